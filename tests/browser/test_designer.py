"""The designer as a whole: drawing and publishing, two windows, a reload, no connection."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from flowadmin import clock
from flowadmin.directory.models import Role, RoleGrant, User
from tests.browser.looking import look_at
from tests.browser.people import words_in
from tests.chromium import PATIENCE
from tests.workflow import flows
from workflow.actions import design_drafts
from workflow.models import Definition, Draft

BOTH = [("mouse", "en"), ("keyboard", "zh-hans")]


class Drawing:
    """A person in front of the designer, with the draft that is open there."""

    def __init__(self, person, draft):
        self.person, self.page, self.draft = person, person.page, draft
        self.keys, self.word = person.keys, words_in(person.language)
        person.open(f"/design/{draft.pk}/")
        expect(self.page.locator("#designer[data-ready]")).to_be_visible()

    def card(self, key):
        return self.page.locator(f'[data-card="{key}"]')

    @property
    def chip(self):
        return self.page.locator("[data-save-state]")

    @property
    def dialog(self):
        return self.page.locator("dialog[open]")

    def press(self, text, *, within=None):
        button = (within or self.page).get_by_role("button", name=self.word(text), exact=True)
        self.person.hand.press(button)

    def rename(self, key, name):
        self.card(key).focus()
        self.keys.press("F2")
        self.keys.type(name)
        self.keys.press("Enter")
        expect(self.card(key)).to_contain_text(name)

    def save(self):
        self.keys.press("Control+s")
        expect(self.chip).to_have_attribute("data-save-state", "success")

    def wait_for_kept(self, count):
        """Until so many drafts are kept in this tab; the policy forbids Playwright's own wait."""
        kept = "() => Object.keys(sessionStorage).filter(key => key.includes(':design:')).length"
        for _ in range(PATIENCE // 50):
            if self.page.evaluate(kept) == count:
                return
            self.page.wait_for_timeout(50)
        message = f"{self.page.evaluate(kept)} drafts are kept in this tab, not {count}."
        raise AssertionError(message)

    def stored(self):
        """What the server holds by now."""
        return design_drafts.Design.of(Draft.objects.get(pk=self.draft.pk)).document


@pytest.fixture
def designer(sit_down):
    """`designer(template)`: an administrator in front of a new draft; more as `sit_down`."""

    def opened(template="expense", login="admin", **more):
        person = sit_down(login, **more)
        user = User.objects.get(login=login)
        now = clock.now()
        if template == design_drafts.BLANK:
            draft = design_drafts.from_template(user=user, template=template, now=now)
        else:
            draft = flows.demo_draft(user, template, now)
        return Drawing(person, draft)

    return opened


def ids(steps):
    return [step["id"] for step in steps]


def draw_by_mouse(drawing):
    """A step from the menu of a gap, a choice after it, a card dragged into a branch."""
    page = drawing.page
    page.locator('[data-slot="/1"] button').click()
    page.get_by_role("menuitem", name=drawing.word("Approval", context="kind of step")).click()
    expect(drawing.card("approve_2")).to_be_focused()
    page.locator('[data-slot="/2"] button').click()
    page.get_by_role(
        "menuitem", name=drawing.word("Parallel branches", context="kind of step")
    ).click()
    expect(drawing.card("parallel")).to_be_focused()
    page.locator('[data-slot="parallel/parallel_1/0"] button').click()
    page.get_by_role("menuitem", name=drawing.word("Notice", context="kind of step")).click()
    drag(drawing, "approve_2", "parallel/parallel_2/0", escape=True)
    inside = page.locator('[data-branch="parallel/parallel_2"] [data-card="approve_2"]')
    expect(inside).to_have_count(0)
    drag(drawing, "approve_2", "parallel/parallel_2/0")
    drawing.card("approve").click(button="right")
    page.get_by_role("menuitem", name=drawing.word("Delete")).click()


def drag(drawing, key, slot, *, escape=False):
    drawing.card(key).scroll_into_view_if_needed()
    mouse, start = drawing.page.mouse, drawing.card(key).bounding_box()
    mouse.move(start["x"] + 40, start["y"] + 15)
    mouse.down()
    mouse.move(start["x"] + 60, start["y"] + 30, steps=3)
    target = drawing.page.locator(f'[data-slot="{slot}"].is-open').bounding_box()
    mouse.move(target["x"], target["y"] + target["height"] / 2, steps=4)
    expect(drawing.page.locator(".is-over")).to_have_attribute("data-slot", slot)
    if escape:
        drawing.keys.press("Escape")
    mouse.up()
    expect(drawing.page.locator(".dz-ghost")).to_have_count(0)


def draw_by_keys(drawing):
    """The same with Insert and typed words, Ctrl+X and Ctrl+V, and walking by arrows."""
    keys = drawing.keys

    def insert(word):
        keys.press("Insert")
        expect(drawing.page.get_by_role("menu")).to_be_visible()
        option = drawing.page.get_by_role("menuitem", name=word, exact=True)
        while not option.evaluate("node => node === document.activeElement"):
            keys.press("ArrowRight")
        keys.press("Enter")

    drawing.card("start").focus()
    keys.press("ArrowDown")
    expect(drawing.card("approve")).to_be_focused()
    insert(drawing.word("Parallel branches", context="kind of step"))
    expect(drawing.card("parallel")).to_be_focused()
    keys.press("ArrowDown")
    expect(drawing.card("parallel/parallel_1")).to_be_focused()
    insert(drawing.word("Notice", context="kind of step"))
    expect(drawing.card("notice")).to_be_focused()
    keys.press("ArrowUp")
    keys.press("ArrowRight")
    expect(drawing.card("parallel/parallel_2")).to_be_focused()
    insert(drawing.word("Approval", context="kind of step"))
    expect(drawing.card("approve_2")).to_be_focused()
    keys.press("Control+x")
    expect(drawing.card("approve_2")).to_have_count(0)
    keys.press("Control+z")
    expect(drawing.card("approve_2")).to_be_focused()
    drawing.card("approve").focus()
    keys.press("Delete")
    expect(drawing.card("approve")).to_have_count(0)


@pytest.mark.parametrize(("hand", "language"), BOTH)
def test_a_process_is_drawn_and_published(designer, hand, language):
    drawing = designer("blank", hand=hand, language=language)
    expect(drawing.chip).to_have_attribute("data-save-state", "success")
    before = Draft.objects.get(pk=drawing.draft.pk).version
    (draw_by_mouse if hand == "mouse" else draw_by_keys)(drawing)
    expect(drawing.chip).to_have_attribute("data-save-state", "warning")
    # Nothing was stored: only an explicit save does that.
    assert Draft.objects.get(pk=drawing.draft.pk).version == before
    drawing.rename("approve_2", "Boss")
    drawing.press("Publish…")
    expect(drawing.dialog).to_be_visible()
    key = drawing.stored()["key"]
    drawing.press("Publish now", within=drawing.dialog)
    note = drawing.page.locator("#dz-note")
    expect(note).to_have_attribute("aria-invalid", "true")
    assert not Definition.objects.filter(key=key).exists()
    drawing.person.hand.fill(note, "The first")
    drawing.press("Publish now", within=drawing.dialog)
    said = drawing.word("Published as version {version}").replace("{version}", "1")
    expect(drawing.dialog).to_contain_text(said)
    version = Definition.objects.get(key=key).current
    assert version.note == "The first"
    [block] = drawing.stored()["steps"]
    assert [ids(branch["steps"]) for branch in block["branches"]] == [["notice"], ["approve_2"]]
    assert block["branches"][1]["steps"][0]["name"] == "Boss"


def test_publishing_tells_what_differs_and_not_what_is_only_written_differently(designer):
    person = designer().person
    admin = User.objects.get(login="admin")
    version = Definition.objects.get(key="expense", tenant_id=admin.tenant_id).current
    assert version is not None
    draft = design_drafts.from_version(user=admin, version=version, now=clock.now())
    drawing = Drawing(person, draft)
    now = drawing.dialog.get_by_role("button", name="Publish now", exact=True)
    drawing.press("Publish…")
    expect(drawing.dialog).to_contain_text("Nothing differs from the published version.")
    expect(now).to_be_disabled()
    drawing.press("Cancel", within=drawing.dialog)
    drawing.rename("lead", "Boss")
    drawing.press("Publish…")
    expect(drawing.dialog).to_contain_text("Step “Boss” changed: name: Head of department → Boss")
    expect(drawing.dialog.locator(".dz-changes [data-what]")).to_have_count(1)
    expect(now).to_be_enabled()


def test_named_people_take_the_place_of_the_beginning(designer):
    """A new step begins with somebody, told in full; the first who is named replaces it."""
    drawing = designer()
    drawing.card("lead").focus()
    drawing.keys.press("Insert")
    drawing.page.get_by_role("menuitem", name="Approval").click()
    card = drawing.card("approve")
    expect(card).to_contain_text("Head of the initiator's department")
    drawing.keys.press("Enter")
    drawing.page.get_by_role("button", name="Add people").click()
    expect(card).not_to_contain_text("Head of")
    picker = drawing.page.get_by_role("combobox", name="Named people")
    for person in ("Bao Chen", "Ann Lee"):
        picker.focus()
        drawing.keys.type(person[:3].lower())
        drawing.page.get_by_role("option", name=person).first.click()
    expect(card).to_contain_text("Any one approves")


def test_problems_lead_to_their_cards_and_stop_publishing(designer):
    drawing = designer("blank")
    drawing.press("Publish…")
    expect(drawing.card("approve")).to_be_focused()
    expect(drawing.card("approve").locator(".dz-mark")).to_be_visible()
    expect(drawing.dialog).to_have_count(0)
    assert not Definition.objects.filter(key=drawing.stored()["key"]).exists()
    drawing.card("start").focus()
    drawing.keys.press("F8")
    expect(drawing.card("approve")).to_be_focused()


def test_what_only_the_server_knows_is_shown_too(designer):
    """A role that went away while the page was open."""
    drawing = designer(expected=["422"])
    drawing.press("Publish…")
    drawing.dialog.locator("#dz-note").fill("With problems")
    Role.objects.filter(code="designers").update(code="drawers")
    drawing.press("Publish now", within=drawing.dialog)
    expect(drawing.dialog).to_have_count(0)
    expect(drawing.page.locator(".dz-stages [aria-current]")).to_contain_text("More")
    expect(drawing.page.locator(".dz-problems")).to_contain_text("designers")
    drawing.press("Publish…")
    expect(drawing.dialog).to_have_count(0)
    assert not Definition.objects.filter(key=drawing.stored()["key"]).exists()
    Role.objects.filter(code="drawers").update(code="designers")
    drawing.press("Publish…")
    expect(drawing.dialog).to_be_visible()


def test_undo_covers_everything_and_saving_keeps_it(designer):
    drawing = designer()
    before = drawing.stored()
    drawing.rename("lead", "Chief")
    drawing.keys.press("Control+d")
    expect(drawing.card("lead_2")).to_be_focused()
    drawing.save()
    assert drawing.stored() != before
    drawing.keys.press("Control+z")
    drawing.keys.press("Control+z")
    expect(drawing.card("lead")).to_contain_text("Head of department")
    expect(drawing.chip).to_have_attribute("data-save-state", "warning")
    drawing.save()
    assert drawing.stored() == before
    drawing.keys.press("Control+y")
    expect(drawing.card("lead")).to_contain_text("Chief")


@pytest.mark.parametrize(("hand", "language"), BOTH)
def test_two_windows_meet_and_nothing_is_lost(designer, hand, language):
    drawing = designer(hand=hand, language=language, expected=["412"])
    other = Drawing(drawing.person.in_another_tab(), drawing.draft)
    other.rename("lead", "Theirs")
    other.save()
    drawing.rename("lead", "Mine")
    drawing.keys.press("Control+s")
    expect(drawing.dialog).to_contain_text(drawing.word("Changed on both sides"))
    # The step is named once, and what of it in words.
    if language == "en":
        expect(drawing.dialog).to_contain_text("Step “Mine” (there “Theirs”): name")
    assert drawing.stored()["steps"][0]["name"] == "Theirs"
    drawing.press("Load theirs, keep mine as a copy", within=drawing.dialog)
    expect(drawing.card("lead")).to_contain_text("Theirs")
    expect(drawing.chip).to_have_attribute("data-save-state", "success")
    copy = Draft.objects.exclude(pk=drawing.draft.pk).get()
    assert design_drafts.Design.of(copy).document["steps"][0]["name"] == "Mine"

    other.rename("lead", "Again")
    other.save()
    drawing.rename("size", "Sum")
    drawing.keys.press("Control+s")
    overwrite = drawing.dialog.get_by_role("button", name=drawing.word("Overwrite"), exact=True)
    expect(overwrite).to_be_disabled()
    drawing.person.hand.tick(drawing.dialog.get_by_role("checkbox"))
    drawing.person.hand.press(overwrite)
    expect(drawing.chip).to_have_attribute("data-save-state", "success")
    assert [step["name"] for step in drawing.stored()["steps"]] == ["Theirs", "Sum"]


def test_unsaved_input_survives_a_reload_of_this_tab_only(designer):
    drawing = designer()
    drawing.rename("lead", "Chief")
    drawing.wait_for_kept(1)
    drawing.page.on("dialog", lambda dialog: dialog.accept())
    drawing.page.reload()
    expect(drawing.card("lead")).to_contain_text("Head of department")
    drawing.press("Go on with them")
    expect(drawing.card("lead")).to_contain_text("Chief")
    assert drawing.stored()["steps"][0]["name"] == "Head of department"
    drawing.save()
    assert drawing.stored()["steps"][0]["name"] == "Chief"
    drawing.wait_for_kept(0)

    drawing.rename("lead", "Boss")
    drawing.page.locator("nav.side-nav").get_by_role("link").first.click()
    drawing.press("Stay", within=drawing.dialog)
    expect(drawing.card("lead")).to_contain_text("Boss")
    drawing.page.locator("nav.side-nav").get_by_role("link").first.click()
    drawing.press("Discard and leave", within=drawing.dialog)
    drawing.page.wait_for_url(lambda address: "/design/" not in address)
    drawing.wait_for_kept(0)
    assert drawing.stored()["steps"][0]["name"] == "Chief"


def test_after_a_reload_the_conflict_still_tells_what_each_side_did(designer):
    """What the input was made from is kept with it; fields are called in the reader's language."""
    drawing = designer(language="zh-hans", expected=["412"])
    drawing.rename("lead", "Chief")
    drawing.wait_for_kept(1)
    draft = Draft.objects.get(pk=drawing.draft.pk)
    was = design_drafts.Design.of(draft)
    assert was.form is not None
    assert was.document is not None
    [first, *rest] = was.form["fields"]
    form = was.form | {"fields": [first | {"help": "Elsewhere"}, *rest]}
    document = was.document | {"summary": []}
    now = clock.now()
    design_drafts.save_draft(
        draft=draft, version=draft.version, now=now, document=document, form=form
    )
    drawing.page.on("dialog", lambda dialog: dialog.accept())
    drawing.page.reload()
    drawing.press("Go on with them")
    drawing.keys.press("Control+s")
    dialog = drawing.dialog
    expect(dialog.get_by_role("heading", name=drawing.word("Changed there"))).to_be_visible()
    expect(dialog.get_by_role("heading", name=drawing.word("Changed here"))).to_be_visible()
    expect(dialog.locator(".dz-changes").first).to_contain_text(first["label"]["zh-hans"])
    expect(dialog.locator(".dz-changes").last).to_contain_text("Chief")
    assert drawing.stored()["steps"][0]["name"] != "Chief"


def test_a_finger_that_rests_on_a_card_drags_it(designer):
    drawing = designer("blank")
    drawing.card("approve").focus()
    drawing.keys.press("Control+d")
    second = drawing.card("approve_2")
    expect(second).to_be_focused()
    session = drawing.page.context.new_cdp_session(drawing.page)
    session.send("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def touch(kind, *points):
        at = [{"x": x, "y": y} for x, y in points]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})

    box = second.bounding_box()
    x, y = box["x"] + 40, box["y"] + box["height"] / 2
    touch("touchStart", (x, y))
    expect(drawing.page.locator(".dz-ghost")).to_be_visible()
    gap = drawing.page.locator('[data-slot="/0"].is-open').bounding_box()
    goal = gap["x"] + gap["width"] / 2, gap["y"] + gap["height"] / 2
    for part in (0.5, 0.9, 1):
        touch("touchMove", (x + (goal[0] - x) * part, y + (goal[1] - y) * part))
    expect(drawing.page.locator(".is-over")).to_have_attribute("data-slot", "/0")
    touch("touchEnd")
    expect(drawing.page.locator(".dz-ghost")).to_have_count(0)
    expect(drawing.page.locator(".dz-tree > .dz-item [data-card]").nth(1)).to_have_attribute(
        "data-card", "approve_2"
    )
    drawing.save()
    assert ids(drawing.stored()["steps"]) == ["approve_2", "approve"]


def test_above_sixty_steps_a_small_picture_leads_through_the_canvas(designer):
    drawing = designer("blank")
    shout = {"kind": "notice", "who": {"any_of": [{"by": "initiator"}]}, "title": "T", "text": "T"}
    steps = [shout | {"id": f"n{number}", "name": f"N{number}"} for number in range(61)]
    document = {"flowdoc": 1, "key": "long", "name": "Long", "steps": steps}
    user = User.objects.get(login="admin")
    design = design_drafts.Design(document, None)
    draft = design_drafts.create(user=user, design=design, now=clock.now())
    drawing = Drawing(drawing.person, draft)
    picture = drawing.page.locator(".dz-minimap")
    expect(picture.locator("rect")).to_have_count(61 + 3)  # start, end, what is to be seen
    expect(drawing.card("n60")).not_to_be_in_viewport()
    box = picture.bounding_box()
    # Through the picture's own click, which waits until it stands still.
    picture.click(position={"x": box["width"] / 2, "y": box["height"] - 4})
    expect(drawing.card("n60")).to_be_in_viewport()
    found = look_at(drawing.person, "designer-minimap")
    assert not found, "\n".join(found)
    drawing.card("n60").focus()
    drawing.keys.press("Delete")
    expect(picture).to_have_count(0)


def test_without_connection_or_session_the_input_stays(designer):
    drawing = designer(expected=["ERR_INTERNET_DISCONNECTED", "401", "403"])
    context = drawing.page.context
    drawing.rename("lead", "Chief")
    context.set_offline(True)
    drawing.keys.press("Control+s")
    expect(drawing.chip).to_have_attribute("data-save-state", "danger")
    context.set_offline(False)
    cookies = context.cookies()
    context.clear_cookies()
    drawing.press("Save again", within=drawing.page.locator(".alert-danger"))
    expect(drawing.page.locator("#session-ended")).to_be_visible()
    assert drawing.stored()["steps"][0]["name"] == "Head of department"
    context.add_cookies(cookies)
    drawing.press("I am signed in: go on")
    expect(drawing.chip).to_have_attribute("data-save-state", "success")
    assert drawing.stored()["steps"][0]["name"] == "Chief"


def test_without_the_permission_it_is_only_read(designer):
    drawing = designer(login="bao")
    RoleGrant.objects.filter(permission="flow.design").delete()
    drawing.page.reload()
    expect(drawing.chip).to_have_text("Read-only")
    expect(drawing.page.get_by_role("button", name="Save", exact=True)).to_have_count(0)
    before = drawing.stored()
    drawing.card("lead").focus()
    drawing.keys.press("Delete")
    drawing.keys.press("F2")
    drawing.keys.press("Control+s")
    expect(drawing.card("lead")).to_be_visible()
    assert drawing.stored() == before


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_page_can_be_used_by_everybody(designer, language):
    """axe in both themes, nothing too wide, and the page's policy is kept (conftest listens)."""
    drawing, rules = designer("expense", language=language), "all" if language == "en" else "none"
    found = look_at(drawing.person, "designer", rules=rules)
    drawing.card("size/large").click()
    found += look_at(drawing.person, "designer-branch", rules=rules)
    drawing.keys.press("o")
    found += look_at(drawing.person, "designer-outline", rules=rules)
    drawing.card("lead").focus()
    drawing.keys.press("Insert")
    found += look_at(drawing.person, "designer-menu", rules=rules)
    drawing.keys.press("Escape")
    for index, name in enumerate(("basics", "form", "flow", "more")):
        drawing.page.locator(".dz-stages button").nth(index).click()
        found += look_at(drawing.person, f"designer-{name}", rules=rules)
    drawing.press("Publish…")
    expect(drawing.dialog).to_be_visible()
    found += look_at(drawing.person, "designer-publish", rules=rules)
    assert not found, "\n".join(found)
