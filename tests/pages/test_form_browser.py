"""Tables and files of a form in a real browser: by keyboard, on a phone, after a reload."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.http import QueryDict
from django.utils.html import format_html
from playwright.sync_api import expect

from tests.chromium import PATIENCE, listen, overhang, unexpected
from tests.pages.test_form_types import FORM, OUTSIDE, RIGHTS, ROWS
from workflow.forms.rights import effective
from workflow.pages.forms import ValuesForm, read_rows

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.browser
ADDRESS = "http://forms.test"
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
POLICY += "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'"
PAGE = """<!DOCTYPE html><html lang="en" data-bs-theme="light"><head><meta charset="utf-8">
<title>Form</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/dist/app.css"><script src="/dist/app.js" defer></script></head>
<body data-user="7"><main><h1>Form</h1><form method="post" action="/" novalidate data-guard
 data-recover="form-1">{}<button type="submit">Send</button>
<div data-recover-offer hidden><button type="button" data-recover-restore>Restore</button></div>
</form>{}</main></body></html>"""


class Site:
    """Answers every request of a tab: the page, its script and styles, the files room."""

    def __init__(self, dist: Path, current) -> None:
        self.dist, self.current = dist, current
        self.posted: list[list[tuple[str, str]]] = []
        self.uploads: list[tuple[dict[str, str], str]] = []

    def answer(self, route) -> None:
        request = route.request
        path = request.url.removeprefix(ADDRESS)
        if path.startswith("/dist/"):
            route.fulfill(path=self.dist / path.removeprefix("/dist/"))
        elif path == "/api/v1/files/":
            self.uploads.append((request.headers, request.post_data or ""))
            if "refuse" in (request.post_data or ""):
                problem = {"status": 422, "detail": "This file holds nothing."}
                route.fulfill(status=422, body=json.dumps(problem))
            else:
                done = {"id": f"up{len(self.uploads)}", "name": "plan <1>.txt"}
                route.fulfill(status=201, body=json.dumps(done))
        elif path == "/":
            if request.method == "POST":
                self.posted.append(parse_qsl(request.post_data or "", keep_blank_values=True))
            headers = {"Content-Type": "text/html", "Content-Security-Policy": POLICY}
            route.fulfill(body=self.page(), headers=headers)
        else:
            route.fulfill(status=404)

    def page(self) -> str:
        form = ValuesForm(FORM, RIGHTS, self.current, language="en", outside=OUTSIDE)
        shown = read_rows(FORM, effective("read", {}, FORM), self.current, "en", OUTSIDE)
        return format_html(PAGE, form, dict(shown)["Lines"])

    def last(self, **current) -> ValuesForm:
        """What the server makes of the last form that was sent."""
        data = QueryDict(mutable=True)
        for name, value in self.posted[-1]:
            data.appendlist(name, value)
        form = ValuesForm(FORM, RIGHTS, current, language="en", outside=OUTSIDE, data=data)
        form.is_valid()
        return form


@pytest.fixture
def visit(chromium, dist):
    """`visit(current, width=…)`: a tab on the form, and the site behind it."""
    contexts = []

    def visited(current, *, width=1280, script=True):
        site = Site(dist, current)
        context = chromium.new_context(
            viewport={"width": width, "height": 800}, java_script_enabled=script
        )
        context.set_default_timeout(PATIENCE)
        complaints = listen(context)
        context.route("**/*", site.answer)
        page = context.new_page()
        contexts.append((context, complaints))
        page.goto(f"{ADDRESS}/")
        return page, site

    yield visited
    for context, complaints in contexts:
        context.close()
        # The browser tells each refused request, the ones that a test asked for too.
        assert unexpected(complaints, ("status of 422", "status of 404")) == []


def lines(page):
    return page.locator("[data-rows] tbody > tr")


def has_rows(page, names):
    expect(lines(page)).to_have_count(len(names))
    for row, name in zip(lines(page).all(), names, strict=True):
        expect(row).to_have_attribute("data-row", name)


def test_rows_are_added_filled_in_and_removed_by_keyboard(visit) -> None:
    page, site = visit({"lines": ROWS})
    expect(lines(page)).to_have_count(2)
    page.locator("[data-row-add]").press("Enter")
    expect(lines(page)).to_have_count(3)
    # The focus is where one types now; a screen reader hears what happened.
    page.keyboard.type("bus")
    page.keyboard.press("Tab")
    page.keyboard.type("5")
    expect(page.locator("[data-rows-status]")).to_have_text("A row was added.")
    page.locator("tr[data-row=r0_1] [data-row-remove]").press("Enter")
    has_rows(page, ["r0_2", "n1"])
    expect(page.locator("tr[data-row=r0_2] :focus")).to_have_count(1)
    with page.expect_navigation():
        page.get_by_role("button", name="Send").press("Enter")
    form = site.last(lines=ROWS)
    assert form.submitted["lines"] == [
        {"_id": "r0_2", "what": "hotel", "cost": None, "ok": True, "tags": None, "by": None,
         "when": None},
        {"what": "bus", "cost": "5", "ok": False, "tags": None, "by": None, "when": None},
    ]  # fmt: skip
    assert form.outcome.findings == ()


def test_an_empty_table_begins_with_one_row_and_ends_somewhere(visit) -> None:
    page, site = visit({})
    has_rows(page, ["n1"])
    page.evaluate("document.querySelector('[data-rows]').dataset.most = '2'")
    page.locator("[data-row-add]").click()
    expect(page.locator("[data-row-add]")).to_be_disabled()
    page.locator("tr[data-row=n2] [data-row-remove]").click()
    expect(page.locator("[data-row-add]")).to_be_enabled()
    with page.expect_navigation():
        page.get_by_role("button", name="Send").click()
    # A row in which nobody typed is no row.
    assert site.last().submitted["lines"] == []


def test_rows_come_back_after_a_reload(visit) -> None:
    page, _ = visit({"lines": ROWS})
    page.locator("[data-row-add]").click()
    page.keyboard.type("bus")
    page.locator("tr[data-row=r0_1] [data-row-remove]").click()
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    has_rows(page, ["r0_1", "r0_2"])
    page.locator("[data-recover-restore]").click()
    has_rows(page, ["r0_2", "n1"])
    expect(page.locator("[name='values-lines.n1.what']")).to_have_value("bus")


def test_without_a_script_rows_are_ticked_off_and_spare_ones_filled_in(visit) -> None:
    page, site = visit({"lines": ROWS}, script=False)
    page.locator("[name='values-lines.r0_1._remove']").check()
    page.locator("[name='values-lines.n2.what']").fill("bus")
    with page.expect_navigation():
        page.get_by_role("button", name="Send").click()
    sent = site.last(lines=ROWS).submitted["lines"]
    assert [(each.get("_id"), each["what"]) for each in sent] == [
        ("r0_2", "hotel"), (None, "bus"),
    ]  # fmt: skip


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_a_narrow_screen_shows_cards_and_nobody_is_shut_out(visit, width) -> None:
    page, _ = visit({"lines": ROWS, "papers": ("f1",)}, width=width)
    page.locator("[data-row-add]").click()
    assert overhang(page) == 0
    # Boxes stand one below the other, each beside its word.
    boxes = [each.bounding_box() for each in page.locator("#id_values-many label").all()]
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
    assert boxes[1]["width"] > 60
    label = page.locator("tr[data-row=n1] label").first
    expect(label).to_be_visible()
    box = label.bounding_box()
    assert box is not None
    assert (box["width"] > 1) is (width < 700)
    results = Axe().run(page)
    assert [each["id"] for each in results.response["violations"]] == []


def test_a_chosen_file_is_sent_at_once_and_its_id_goes_along(visit, tmp_path) -> None:
    page, site = visit({"papers": ("f1",)})
    files = page.locator("#id_values-papers")
    chooser = files.locator("[data-file-choose]")
    chooser.set_input_files({"name": "plan.txt", "mimeType": "text/plain", "buffer": b"hello"})
    files.get_by_text("plan <1>.txt").wait_for()
    headers, body = site.uploads[0]
    assert "x-csrftoken" in headers
    assert 'name="file"; filename="plan.txt"' in body
    # Two are enough here, and what is refused says why.
    chooser.set_input_files({"name": "b.txt", "mimeType": "text/plain", "buffer": b"x"})
    files.get_by_text("There can be no more files here.").wait_for()
    assert len(site.uploads) == 1
    files.locator("li", has_text="bill").locator("[data-file-remove]").press("Enter")
    chooser.set_input_files({"name": "c", "mimeType": "text/plain", "buffer": b"refuse"})
    files.get_by_text("c: This file holds nothing.").wait_for()
    # From a file: to hand 10 MB through to the browser takes longer than to choose them there.
    big = tmp_path / "big"
    with big.open("wb") as file:
        file.truncate(10 * 1024 * 1024 + 1)
    chooser.set_input_files(big)
    files.get_by_text("big: A file may have at most 10 MB.").wait_for()
    assert len(site.uploads) == 2
    with page.expect_navigation():
        page.get_by_role("button", name="Send").click()
    assert site.last().submitted["papers"] == ["up1"]
