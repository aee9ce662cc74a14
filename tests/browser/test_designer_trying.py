"""Simulate in the designer: the way of a sample request, scenarios, past requests."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from flowadmin import clock
from flowadmin.directory.models import User
from tests.browser.looking import look_at
from workflow.actions import design_drafts
from workflow.actions.design_drafts import Design
from workflow.models import Definition, Draft, ScenarioSet


class Trying:
    """A person in front of the designer of the expense process, with "Simulate" open."""

    def __init__(self, person, draft):
        self.person, self.page, self.draft = person, person.page, draft
        self.hand, self.keys = person.hand, person.keys
        person.open(f"/design/{draft.pk}/")
        expect(self.page.locator("#designer[data-ready]")).to_be_visible()
        self.hand.press(self.page.locator("[data-simulate] summary"))
        expect(self.page.locator("[data-way='known'] [data-line]").first).to_be_visible()

    def card(self, key):
        return self.page.locator(f'[data-card="{key}"]')

    def fill(self, field, text):
        self.hand.fill(self.page.locator(f'[id="in/sample/values/{field}"]'), text)

    def lies(self, key, how):
        expect(self.card(key)).to_have_attribute("data-lies", how)

    def start_as(self, login):
        """Choose who starts it; the list is searched in while typing."""
        box = self.page.locator('[id="in/sample/starter"]')
        self.hand.fill(box, login)
        expect(self.page.locator("[data-sample] .picker-list li").first).to_contain_text(login)
        box.press("Enter")
        name = User.objects.get(login=login).name
        expect(self.page.locator("[data-sample] .picked li").first).to_contain_text(name)

    def fill_in(self, amount):
        sample = {"purpose": "Train", "amount": amount, "spent_on": "2026-02-27"}
        for field, text in sample.items():
            self.fill(field, text)
        self.page.locator('[id="in/sample/values/category"]').select_option("travel")

    def keep(self, name):
        self.hand.fill(self.page.locator("#dz-keep"), name)
        self.keys.press("Enter")
        expect(self.page.locator("[data-scenarios]")).to_contain_text(name)

    def save(self):
        self.keys.press("Control+s")
        chip = self.page.locator("[data-save-state]")
        expect(chip).to_have_attribute("data-save-state", "success")

    def stored(self):
        return Design.of(Draft.objects.get(pk=self.draft.pk))


@pytest.fixture
def trying(sit_down):
    """`trying()`: an administrator in front of a draft of the published expense process."""

    def opened(**more):
        person = sit_down("admin", **more)
        user = User.objects.get(login="admin")
        live = Definition.objects.get(tenant=user.tenant, key="expense").current
        assert live is not None
        draft = design_drafts.from_version(user=user, version=live, now=clock.now())
        return Trying(person, draft)

    return opened


def test_a_sample_shows_its_way_becomes_a_scenario_and_is_played_before_publishing(trying):
    desk = trying()
    page = desk.page
    desk.lies("start", "on")
    desk.lies("size/large", "maybe")
    expect(desk.card("size/large")).to_contain_text("Depends on the field “Amount”")
    desk.start_as("ann")
    desk.fill_in("12000")
    desk.lies("finance", "on")
    desk.lies("size/small", "off")
    expect(page.locator("[data-announced]")).to_contain_text("Path updated: 2 steps")
    assert look_at(desk.person, "designer-simulate") == []
    desk.keep("Much money")
    desk.save()
    (kept,) = desk.stored().scenarios
    assert kept["expect"] == {"path": ["lead", "finance"], "ends": "approved"}
    # Another limit: the scenario goes another way, and publishing says so.
    page.get_by_role("button", name="Play all").click()
    expect(page.locator("[data-scenarios] [data-state='green']")).to_be_visible()
    document = desk.stored().document
    document["steps"][1]["branches"][0]["when"]["value"] = "20000"
    draft = Draft.objects.get(pk=desk.draft.pk)
    design_drafts.save_draft(
        draft=draft, version=draft.version, now=clock.now(), document=document
    )
    page.reload()
    page.get_by_role("button", name="Publish…").click()
    dialog = page.locator("dialog[open]")
    red = dialog.locator("[data-scenarios] [data-state='red']")
    expect(red).to_contain_text("“finance” was expected next")
    publish = dialog.get_by_role("button", name="Publish now")
    expect(publish).to_be_enabled()
    dialog.get_by_role("checkbox").check()
    expect(publish).to_be_disabled()
    dialog.get_by_role("checkbox").uncheck()
    dialog.get_by_role("textbox").fill("Another limit")
    publish.click()
    expect(dialog).to_contain_text("Published as version 2")
    stored = ScenarioSet.objects.get(version__number=2, version__definition__key="expense")
    assert (stored.scenarios, stored.results[0]["green"]) == ([kept], False)


def test_past_requests_go_through_what_is_not_saved(trying, file_expense):
    desk = trying(hand="keyboard")
    page = desk.page
    file_expense("A train")
    desk.hand.press(page.get_by_role("button", name="Replay"))
    expect(page.locator("[data-looked]")).to_be_visible()
    expect(page.locator("[data-outcome='same'] dd")).not_to_have_text("0")
    desk.card("size/large").focus()
    desk.keys.press("Enter")
    value = page.locator('[id="in/flow/steps/1/branches/0/when/value"]')
    desk.hand.fill(value, "20000")
    desk.hand.press(page.get_by_role("button", name="Replay"))
    expect(page.locator("[data-outcome='other_path'] dd")).not_to_have_text("0")
    link = page.locator("[data-examples] a").first
    expect(link).to_have_attribute("href", re.compile(r"^/requests/\d+/$"))


def test_simulate_in_chinese(trying):
    desk = trying(language="zh-hans", width=390)
    expect(desk.page.locator("[data-sample] label").first).to_be_visible()
    assert look_at(desk.person, "designer-simulate", rules="none") == []
