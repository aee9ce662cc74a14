"""The panels of the designer: every option stays, people are picked by keyboard, forms made."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from flowadmin import clock
from flowadmin.directory.models import User
from tests.browser.kitchen_sink import DOCUMENT, FORM
from tests.browser.looking import look_at
from workflow.actions import design_drafts
from workflow.actions.design_drafts import Design
from workflow.models import Draft

CARDS = [
    "start", "first", "size", "size/big", "do_it", "stop", "both", "tell", "wait", "some",
    "some/one", "some/two", "auto", "call", "ask", "change", "child", "shout", "again", "until",
]  # fmt: skip

# What stands in every input of a part of the page, with its label, in order.
SHOWN = """root => [...document.querySelectorAll(
        `${root} :is(input, select, textarea, .picked li)`)]
    .filter(each => each.getAttribute("role") !== "combobox")
    .map(each => {
        const label = each.labels?.[0]?.innerText ?? each.getAttribute("aria-label") ?? "";
        const value = each.tagName === "LI" ? each.innerText : each.value;
        return `${label.trim()}: ${each.type === "checkbox" ? each.checked : value}`;
    })"""

# Changes every input of a part of the page once, also those that appear on the way. What names
# things (ids, keys, headers) is left alone, and what is typed fits the kind of input.
CHANGE = """async root => {
    const drawn = () => new Promise(done => setTimeout(done, 20));
    const tell = (each, type) => each.dispatchEvent(new Event(type, { bubbles: true }));
    const typed = each => ({
        number: "2", date: "2029-03-04", time: "10:15", "datetime-local": "2029-03-04T10:15",
    })[each.type] ?? (each.inputMode === "decimal" || each.inputMode === "numeric" ? "7" : "qq");
    const named = each => each.closest("[role=group]")?.id + each.parentElement.innerText;
    const done = new Set();
    for (let count = 0; count < 150; count += 1) {
        const next = [...document.querySelectorAll(`${root} :is(input, select, textarea)`)].find(
            each => each.id && !done.has(each.id) && each.getAttribute("role") !== "combobox" &&
                !/(\\/(id|key|by|pointer|url|\\*)|\\/flow)$/.test(each.id));
        const loose = [...document.querySelectorAll(`${root} input[type=checkbox]:not([id])`)]
            .find(each => !done.has(named(each)));
        const each = next ?? loose;
        if (!each) return count;
        done.add(next ? each.id : named(each));
        if (each.tagName === "SELECT") {
            const others = [...each.options].filter(
                option => option.value && option.value !== each.value && !option.disabled);
            if (others.length === 0) continue;
            each.value = others[0].value;
            tell(each, "change");
        } else if (each.type === "checkbox") {
            each.click();
        } else {
            each.value = typed(each);
            tell(each, "input");
            tell(each, "change");
        }
        await drawn();
    }
    return 150;
}"""


class Panels:
    """A person in front of the designer, with the draft that is open there."""

    def __init__(self, person, draft):
        self.person, self.page, self.draft = person, person.page, draft
        self.keys = person.keys
        self.reopen()

    def reopen(self):
        self.person.open(f"/design/{self.draft.pk}/")
        # What is opened later is there too: the tests below count tabs without waiting for them.
        expect(self.page.locator("#designer[data-whole]")).to_be_visible()

    def select(self, key):
        self.page.locator(f'[data-card="{key}"]').focus()
        self.keys.press("Enter")

    def tabs(self):
        return self.page.get_by_role("tab").count()

    def tab(self, name):
        self.page.get_by_role("tab", name=name).click()

    def stage(self, number):
        self.page.locator(".dz-stages button").nth(number).click()

    def save(self):
        self.keys.press("Control+s")
        chip = self.page.locator("[data-save-state]")
        expect(chip).to_have_attribute("data-save-state", "success")

    def stored(self):
        """What the server holds by now."""
        return Design.of(Draft.objects.get(pk=self.draft.pk))

    def shown(self):
        """What every panel of every card shows, with the two stages that are panels too."""
        found = {}
        for key in CARDS:
            self.select(key)
            for number in range(max(self.tabs(), 1)):
                if self.tabs():
                    self.page.get_by_role("tab").nth(number).click()
                found[key, number] = self.page.evaluate(SHOWN, "[data-properties]")
        for number in (0, 3):
            self.stage(number)
            found["stage", number] = self.page.evaluate(SHOWN, ".dz-sheet")
        self.stage(2)
        return found


@pytest.fixture
def panels(sit_down):
    """`panels(document, form)`: an administrator in front of a draft of that content."""

    def opened(document=DOCUMENT, form=FORM, **more):
        person = sit_down("admin", **more)
        user = User.objects.get(login="admin")
        draft = design_drafts.create(user=user, design=Design(document, form), now=clock.now())
        return Panels(person, draft)

    return opened


def plain(step="approve", **members):
    """A process with one approval by nobody yet."""
    lead = {"id": step, "kind": "approve", "name": "Lead", "who": {"any_of": []}} | members
    return {"flowdoc": 1, "key": "plain", "name": "Plain", "steps": [lead]}


def test_looking_at_every_panel_changes_nothing(panels):
    drawn = panels()
    before = drawn.shown()
    assert sum(len(lines) for lines in before.values()) > 400
    chip = drawn.page.locator("[data-save-state]")
    expect(chip).to_have_attribute("data-save-state", "success")
    drawn.stage(1)
    drawn.page.locator('[data-field="rows"]').click()
    drawn.page.locator('[data-field="rows.cost"]').click()
    expect(chip).to_have_attribute("data-save-state", "success")
    assert drawn.stored().document == DOCUMENT


def test_every_option_that_was_set_is_shown_again_after_a_reload(panels):
    drawn = panels()
    changed = 0
    for key in CARDS:
        drawn.select(key)
        for number in range(max(drawn.tabs(), 1)):
            if drawn.tabs():
                drawn.page.get_by_role("tab").nth(number).click()
            changed += drawn.page.evaluate(CHANGE, "[data-properties]")
    for number in (0, 3):
        drawn.stage(number)
        changed += drawn.page.evaluate(CHANGE, ".dz-sheet")
    drawn.stage(2)
    assert changed > 300
    before = drawn.shown()
    drawn.save()
    stored = drawn.stored()
    drawn.reopen()
    assert drawn.shown() == before
    first, second = DOCUMENT["steps"][0], stored.document["steps"][0]
    assert {name for name in first if first[name] == second.get(name)} == {"id", "kind"}
    same = {name for name in DOCUMENT if DOCUMENT[name] == stored.document.get(name)}
    assert same == {"flowdoc", "key", "form"}


def test_every_property_of_a_field_is_shown_again_after_a_reload(panels):
    drawn = panels()
    fields = [field["id"] for field in FORM["fields"]] + ["rows.what", "rows.cost"]

    def shown():
        found = {}
        for field in fields:
            drawn.page.locator(f'[data-field="{field}"]').click()
            found[field] = drawn.page.evaluate(SHOWN, ".field-properties")
        return found

    drawn.stage(1)
    for field in fields:
        drawn.page.locator(f'[data-field="{field}"]').click()
        # Another type would take the options and columns away that others are about.
        drawn.page.evaluate(CHANGE.replace("(id|key", "(id|key|type"), ".field-properties")
    before = shown()
    drawn.save()
    drawn.reopen()
    drawn.stage(1)
    assert shown() == before
    assert drawn.stored().form != FORM


def test_people_are_picked_with_the_keyboard_alone(panels):
    drawn = panels(plain(), None)
    drawn.select("approve")
    drawn.page.get_by_role("button", name="Add people").click()
    picker = drawn.page.get_by_role("combobox", name="Named people")
    picker.focus()
    drawn.keys.type("ba")
    expect(drawn.page.get_by_role("option", name="Bao Chen")).to_be_visible()
    drawn.keys.press("Escape")
    expect(drawn.page.get_by_role("listbox")).to_have_count(0)
    expect(picker).to_be_focused()
    drawn.keys.press("ArrowDown")
    expect(picker).to_have_attribute("aria-expanded", "true")
    drawn.keys.press("Enter")
    chips = drawn.page.get_by_role("list", name="Chosen").get_by_role("listitem")
    expect(chips).to_have_text(["Bao Chen"])
    drawn.keys.type("ann")
    expect(drawn.page.get_by_role("option", name="Ann Lee")).to_be_visible()
    drawn.keys.press("Enter")
    expect(chips).to_have_text(["Bao Chen", "Ann Lee"])
    drawn.keys.press("Backspace")
    expect(chips).to_have_text(["Bao Chen"])
    expect(drawn.page.locator('[data-card="approve"]')).to_contain_text("Bao Chen")
    drawn.save()
    who = drawn.stored().document["steps"][0]["who"]
    assert who == {"any_of": [{"by": "user", "ids": ["bao"]}]}


def test_minutes_are_echoed_checked_and_taken_back_at_once(panels):
    drawn = panels(plain(who={"any_of": [{"by": "initiator"}]}), None)
    drawn.select("approve")
    drawn.tab("Time & events")
    drawn.page.get_by_label("Time limit").select_option("minutes")
    minutes = drawn.page.get_by_label("Minutes", exact=True)
    minutes.fill("")
    minutes.press_sequentially("3060")
    expect(drawn.page.locator("[data-properties]")).to_contain_text("2 days 3 h")
    minutes.press("Control+a")
    minutes.press_sequentially("1.5")
    expect(minutes).to_have_attribute("aria-invalid", "true")
    described = minutes.get_attribute("aria-describedby").split()[0]
    expect(drawn.page.locator(f'[id="{described}"]')).to_be_visible()
    drawn.page.get_by_role("button", name="Undo", exact=False).first.click()
    expect(minutes).to_have_value("1440")
    minutes.fill("0")
    expect(minutes).not_to_have_attribute("aria-invalid", "true")
    drawn.save()
    assert drawn.stored().document["steps"][0]["deadline"] == {"after": 0}


def test_a_form_is_made_moved_and_a_used_field_is_removed_only_when_said_twice(panels):
    drawn = panels(plain(who={"any_of": [{"by": "initiator"}]}), None)
    drawn.stage(1)
    palette = drawn.page.get_by_role("region", name="Add a field")
    palette.get_by_role("button", name="Amount").click()
    palette.get_by_role("button", name="Date", exact=True).click()
    drawn.page.get_by_role("textbox", name="Label", exact=True).fill("Day of travel")
    preview = drawn.page.get_by_role("region", name="How it looks")
    expect(preview.get_by_text("Day of travel")).to_be_visible()
    row = drawn.page.locator("[data-field=date]")
    row.focus()
    drawn.keys.press("Alt+ArrowUp")
    rows = drawn.page.locator("[data-field]")
    expect(rows.first).to_contain_text("Day of travel")
    expect(row).to_be_focused()
    start, end = row.bounding_box(), rows.last.bounding_box()
    drawn.page.mouse.move(start["x"] - 15, start["y"] + 20)
    drawn.page.mouse.down()
    drawn.page.mouse.move(end["x"] + 40, end["y"] + 20, steps=4)
    drawn.page.mouse.up()
    expect(rows.last).to_contain_text("Day of travel")
    drawn.stage(0)
    drawn.page.get_by_role("button", name="Day of travel", exact=True).click()
    drawn.stage(1)
    identity = drawn.page.get_by_role("textbox", name="Id", exact=True)
    identity.press("Control+a")
    identity.press_sequentially("travel_day")
    identity.press("Enter")
    drawn.page.locator("[data-field=travel_day]").focus()
    drawn.keys.press("Delete")
    expect(drawn.page.get_by_role("alert")).to_contain_text("a text template")
    expect(drawn.page.locator("[data-field=travel_day]")).to_be_visible()
    drawn.save()
    stored = drawn.stored()
    assert stored.document["form"] == {"key": "plain"}
    assert stored.document["title"].endswith("{form.travel_day}")
    assert [field["id"] for field in stored.form["fields"]] == ["amount", "travel_day"]
    drawn.page.get_by_role("button", name="Remove it anyway").click()
    expect(drawn.page.locator("[data-field=travel_day]")).to_have_count(0)


def test_the_panels_are_accessible_at_every_width_and_in_both_themes(panels):
    drawn = panels()
    found = []
    for key, tab in (("first", "People"), ("first", "Fields"), ("first", "Time & events")):
        drawn.select(key)
        drawn.tab(tab)
        found += look_at(drawn.person, f"panel-{tab.split()[0].lower()}")
    drawn.select("size/big")
    found += look_at(drawn.person, "panel-branch")
    drawn.stage(1)
    drawn.page.locator('[data-field="ok"]').click()
    expect(
        drawn.page.get_by_role("region", name="How it looks").get_by_text("Kind")
    ).to_be_visible()
    found += look_at(drawn.person, "form-editor")
    drawn.stage(0)
    found += look_at(drawn.person, "designer-basics")
    assert not found, "\n".join(found)
