"""A draft in two windows, and one whose process was published anew."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from flowadmin import clock
from flowadmin.directory.models import User
from tests.browser.looking import look_at
from workflow.actions import publishing
from workflow.actions.demonstration import document_of
from workflow.models import Draft, Instance

BOTH = pytest.mark.parametrize(("hand", "language"), [("mouse", "en"), ("keyboard", "zh-hans")])
RULES = {"en": "all", "zh-hans": "none"}


def save(person):
    person.hand.press(person.button("Save draft"))


def revision(person, number):
    return person.word("Draft, revision %(number)s, saved", number=number)


@BOTH
def test_the_second_window_loses_nothing(sit_down, hand, language):
    first = sit_down("ann", hand=hand, language=language, expected=["412"])
    first.open("/start/expense/")
    first.fill_in("expense", {"purpose": "First", "category": "travel"})
    save(first)
    expect(first.page.locator("#draft-state")).to_contain_text(revision(first, 1))
    expect(first.page).to_have_url(f"{first.site}/start/expense/?draft={Draft.objects.get().pk}")
    second = first.in_another_tab()
    second.open(f"/start/expense/?draft={Draft.objects.get().pk}")
    expect(second.field("expense", "purpose")).to_have_value("First")
    second.fill_in("expense", {"purpose": "Second"})
    save(second)
    expect(second.page.locator("#draft-state")).to_contain_text(revision(second, 2))

    first.fill_in("expense", {"purpose": "Third"})
    save(first)
    dialog = first.page.get_by_role(
        "dialog", name=first.word("This draft was saved in another window")
    )
    expect(dialog.get_by_role("row", name="Third")).to_contain_text("Second")
    assert not look_at(first, "start-draft-conflict", rules=RULES[language])
    assert Draft.objects.get().parts()["values"]["purpose"] == "Second"
    # Without the tick nothing is overwritten: the dialog comes again, and takes the focus.
    with first.page.expect_response(lambda answer: answer.status == 412):
        first.hand.press(dialog.get_by_role("button", name=first.word("Overwrite"), exact=True))
    expect(first.page.locator(".htmx-request, .htmx-swapping, .htmx-settling")).to_have_count(0)
    expect(dialog).to_be_visible()
    assert Draft.objects.get().parts()["values"]["purpose"] == "Second"
    keep = dialog.get_by_role("button", name=first.word("Load theirs, keep mine as a copy"))
    first.hand.press(keep)
    expect(first.field("expense", "purpose")).to_have_value("Second")
    kept = {each.parts()["values"]["purpose"]: each.version for each in Draft.objects.all()}
    assert kept == {"Second": 2, "Third": 1}
    first.open("/drafts/")
    expect(first.page.locator("tbody tr")).to_have_count(2)


@BOTH
def test_a_draft_of_an_earlier_version_is_taken_over_by_hand(sit_down, hand, language):
    ann = sit_down("ann", hand=hand, language=language)
    ann.open("/start/expense/")
    ann.fill_in("expense", {"purpose": "Old words", "category": "travel", "details": "Gone"})
    save(ann)
    expect(ann.page.locator("#draft-state")).to_contain_text(revision(ann, 1))
    document, form = document_of("expense")
    form["fields"] = [each for each in form["fields"] if each["id"] != "details"]
    admin = User.objects.get(login="admin")
    publishing.publish(user=admin, document=document, form=form, note="", now=clock.now())
    ann.open(f"/start/expense/?draft={Draft.objects.get().pk}")
    old = ann.page.get_by_role("region", name=ann.word("Your draft of v%(number)s", number=1))
    expect(old).to_contain_text("Old words")
    expect(old).to_contain_text(ann.word("No longer asked for:"))
    expect(ann.field("expense", "purpose")).to_have_value("")
    assert not look_at(ann, "draft-moved-on", rules=RULES[language])
    ann.hand.press(ann.link("Copy matching fields"))
    expect(ann.field("expense", "purpose")).to_have_value("Old words")
    ann.fill_in("expense", {"amount": "12", "spent_on": "2026-02-27"})
    before = Instance.objects.count()
    ann.hand.press(ann.button("Submit"))
    ann.page.wait_for_url("**/requests/*/")
    assert Instance.objects.count() == before + 1
    assert not Draft.objects.exists()
