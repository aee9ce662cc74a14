"""Parts of the designer that are fetched: as they are served, late, not at all; letters stay."""

from __future__ import annotations

import re
import threading
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest
from django.conf import settings as product
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import call_command
from playwright.sync_api import expect

from flowadmin import clock
from flowadmin.directory.models import User
from workflow.actions import design_drafts
from workflow.models import Draft

HASHED = re.compile(r"\.[0-9a-f]{12}(?=\.js)")


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_args):
        """Nothing: the requests of a test are not news."""


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


@pytest.fixture
def as_served(dist, demo, settings, tmp_path):
    """Address of the product behind collected static files, hashed and served as in production."""
    del dist, demo
    settings.STATIC_ROOT = tmp_path / "static"
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}
    }
    # Our own files are enough; those of the administration take their time to be compressed.
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    own = product.BASE_DIR / "flowadmin" / "static" / "flowadmin"
    settings.STATICFILES_DIRS = [("flowadmin", own)]
    call_command("collectstatic", interactive=False, verbosity=0)
    settings.ALLOWED_HOSTS = ["127.0.0.1"]
    server = make_server("127.0.0.1", 0, WSGIHandler(), _Server, _Quiet)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def draft_of(template="blank"):
    user = User.objects.get(login="admin")
    return design_drafts.from_template(user=user, template=template, now=clock.now())


def open_draft(person, draft, *, until="whole"):
    person.open(f"/design/{draft.pk}/")
    expect(person.page.locator(f"#designer[data-{until}]")).to_be_visible()


def hold(page, pattern):
    """Lets requests for it wait; the list holds them as routes, to go on with."""
    held = []

    def keep(route):
        held.append(route)

    page.route(pattern, keep)
    return held


def card(person, key):
    return person.page.locator(f'[data-card="{key}"]')


class TestAsServed:
    @pytest.fixture
    def site(self, as_served):
        """Instead of the server of the tests, which finds static files where they lie."""
        return as_served

    def test_every_part_comes_once_and_works_with_the_others(self, sit_down, dist):
        """The policy of the page is kept too: what the browser refuses fails the test."""
        person, scripts = sit_down("admin"), []

        def note(answer):
            scripts.append(answer)

        person.page.on("response", note)
        open_draft(person, draft_of())
        files = [answer for answer in scripts if "/dist/" in answer.url and ".js" in answer.url]
        names = [answer.url.rpartition("/")[2] for answer in files]
        parts = (dist / "parts.txt").read_text().split()
        assert sorted(set(names) & set(parts)) == sorted(parts)
        # No file by two names: a module of each would be there twice, with a state of its own.
        assert len({HASHED.sub("", name) for name in names}) == len(names)
        assert sum(bool(HASHED.search(name)) for name in names if name.startswith("designer")) == 1
        for answer in files:
            assert answer.status == 200
            assert "immutable" in answer.headers["cache-control"]
        # The properties (a part) and the card (the start) share one document, and the checks find
        # what is wrong in it.
        expect(card(person, "approve").locator(".dz-mark")).to_be_visible()
        card(person, "approve").click()
        person.page.get_by_role("textbox", name="Name of the step").fill("Chief")
        expect(card(person, "approve")).to_contain_text("Chief")
        person.page.locator(".dz-stages button").nth(1).click()
        expect(person.page.get_by_role("region", name="Add a field")).to_be_visible()


def test_a_part_that_cannot_be_had_says_so_and_nothing_typed_is_lost(sit_down):
    person, draft = sit_down("admin", expected=["ERR_FAILED"]), draft_of()
    person.page.route("**/dist/Properties-*.js", lambda route: route.abort())
    open_draft(person, draft, until="ready")
    panel = person.page.locator("[data-properties]")
    expect(panel.get_by_role("alert")).to_contain_text("could not be loaded")
    card(person, "approve").focus()
    person.page.keyboard.press("F2")
    person.page.keyboard.type("Chief")
    person.page.keyboard.press("Enter")
    again = panel.get_by_role("button", name="Try again")
    again.click()
    expect(panel.get_by_role("alert")).to_contain_text("could not be loaded")
    person.page.unroute("**/dist/Properties-*.js")
    again.click()
    expect(panel.get_by_role("textbox", name="Name of the step")).to_have_value("Chief")
    expect(panel.get_by_role("alert")).to_have_count(0)
    assert Draft.objects.get(pk=draft.pk).version == draft.version


def test_the_focus_goes_into_the_properties_when_they_come_late(sit_down):
    person = sit_down("admin")
    held = hold(person.page, "**/dist/Properties-*.js")
    open_draft(person, draft_of(), until="ready")
    card(person, "approve").focus()
    person.page.keyboard.press("Enter")
    panel = person.page.locator("[data-properties]")
    expect(panel.locator("[data-part=coming]")).to_be_visible()
    expect(card(person, "approve")).to_be_focused()
    held[0].continue_()
    expect(panel.locator("input:focus, select:focus, button:focus")).to_have_count(1)


def test_a_name_that_is_typed_while_the_checks_come_keeps_its_letters(sit_down):
    person = sit_down("admin")
    held = hold(person.page, "**/dist/validate-*.js")
    open_draft(person, draft_of(), until="ready")
    step = card(person, "approve")
    step.focus()
    person.page.keyboard.press("F2")
    person.page.keyboard.press("Control+a")
    person.page.keyboard.type("Bo")
    counted = person.page.get_by_role("button", name=re.compile(r"^Check.*\d"))
    expect(counted).to_have_count(0)
    held[0].continue_()
    expect(counted).to_be_visible()
    person.page.keyboard.type("ss")
    expect(step.locator("input")).to_have_value("Boss")
    person.page.keyboard.press("Enter")
    expect(step).to_contain_text("Boss")


# As another box does it: what the person types in is drawn again without being left.
OTHER = """([name, text]) => {
    const box = [...document.querySelectorAll("label")]
        .find(each => each.innerText.trim().startsWith(name)).control;
    box.value = text;
    box.dispatchEvent(new Event("input", { bubbles: true }));
}"""


def test_an_id_keeps_its_letters_when_the_panel_is_drawn_again(sit_down):
    person = sit_down("admin")
    open_draft(person, draft_of())
    page, keys = person.page, person.page.keyboard
    page.locator(".dz-stages button").nth(1).click()
    page.get_by_role("region", name="Add a field").get_by_role("button", name="Amount").click()
    identity = page.get_by_role("textbox", name="Id", exact=True)
    identity.press("Control+a")
    keys.type("travel")
    page.evaluate(OTHER, ["Label", "Costs"])
    expect(page.locator("[data-field=amount]")).to_contain_text("Costs")
    keys.type("_cost")
    expect(identity).to_have_value("travel_cost")
    keys.press("Enter")
    expect(page.locator("[data-field=travel_cost]")).to_be_visible()
    # What is refused is put back when it is said, and only then.
    identity.press("Control+a")
    keys.type("9 lives")
    expect(identity).to_have_value("9 lives")
    keys.press("Enter")
    expect(identity).to_have_value("travel_cost")


def test_minutes_stay_minutes_until_the_box_is_left(sit_down):
    """ "605" began as sixty minutes, which is one hour: it must not become fifteen hours."""
    person = sit_down("admin")
    user = User.objects.get(login="admin")
    wait = {"id": "wait", "kind": "delay", "name": "Wait", "for": "PT5M"}
    document = {"flowdoc": 1, "key": "slow", "name": "Slow", "steps": [wait]}
    design = design_drafts.Design(document, None)
    draft = design_drafts.create(user=user, design=design, now=clock.now())
    open_draft(person, draft)
    card(person, "wait").click()
    length = person.page.locator('[id="in/flow/steps/0/for"]')
    length.press("Control+a")
    person.page.keyboard.type("605")
    expect(length).to_have_value("605")
    expect(person.page.locator("[data-properties]")).to_contain_text("10 h 5 min")
