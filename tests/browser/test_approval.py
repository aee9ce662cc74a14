"""The whole way: filed, approved twice, approved; and a timeline that says who, when and why."""

from __future__ import annotations

import pytest
from django.utils.dateparse import parse_datetime
from playwright.sync_api import expect

from tests.conftest import DEMO_PASSWORD
from workflow.models import Event, Instance, Task

TITLE = "Expense: Workshop in Oslo"


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("hand", ["mouse", "keyboard"])
def test_from_start_to_approved(sit_down, hand, language):
    def come(login):
        person = sit_down(hand=hand, language=language)
        person.sign_in(login, DEMO_PASSWORD)
        return person

    ann = come("ann")
    number = ann.file_expense("Workshop in Oslo", details="Two days, four people.")
    ann.sees_state("In progress")
    expect(
        ann.page.get_by_role("listitem").filter(has_text="Head of department").first
    ).to_be_visible()

    bao = come("bao")
    bao.open_task(TITLE)
    bao.approve("As agreed in spring.")
    bao.sees_message("You approved “%(title)s”.", title=TITLE)

    dan = come("dan")
    dan.open_task(TITLE)
    dan.fill_in("expense", {"cost_center": "4711"})
    dan.approve()
    dan.sees_message("You approved “%(title)s”.", title=TITLE)

    ann.hand.go(ann.word("My requests"), "g m")
    expect(ann.heading).to_have_text(ann.word("My requests"))
    ann.hand.press(ann.page.get_by_role("link", name=ann.word("Finished", context="tab")))
    ann.hand.open_row(ann.page.get_by_role("link", name=TITLE, exact=True))
    ann.sees_state("Approved")
    assert ann.number == number
    _reads_who_when_and_why(ann, Instance.objects.get(number=number))


def _reads_who_when_and_why(ann, instance):
    ann.sees_event(
        "%(person)s filed the request %(number)s", person="Ann Lee", number=instance.number
    )
    lead, finance = {"step": "Head of department"}, {"step": "Head of finance"}
    ann.sees_event("%(step)s → %(people)s", "Engineering", people="Bao Chen", **lead)
    approved = "%(person)s approved “%(step)s”"
    ann.sees_event(approved, "As agreed in spring.", person="Bao Chen", **lead)
    ann.sees_event(
        "%(step)s: the branch “%(branch)s” was taken",
        f"{ann.label('expense', 'amount')} > 10,000.00",
        "12,000.00",
        step="How much",
        branch="Above 10,000",
    )
    ann.sees_event("%(step)s → %(people)s", "Finance", people="Dan Liu", **finance)
    ann.sees_event(approved, person="Dan Liu", **finance)
    ann.sees_event("The request was approved")
    shown = {
        parse_datetime(when.get_attribute("datetime"))
        for when in ann.timeline.locator("time").all()
    }
    assert shown == set(Event.objects.filter(instance=instance).values_list("at", flat=True))
    assert len(shown) == 3
    decided = Task.objects.filter(instance=instance).order_by("id")
    assert [task.decided_by.login for task in decided] == ["bao", "dan"]


def test_done_and_copied_boxes_keep_what_happened(sit_down):
    """What a person decided, and what was copied to them, is found again in its own box."""
    bao = sit_down("bao")
    bao.open_task("Expense: Workshop room for two days")
    bao.approve()
    bao.sees_message("You approved “%(title)s”.", title="Expense: Workshop room for two days")
    bao.hand.go("Done", "g o")
    row = bao.page.get_by_role("row").filter(has_text="Workshop room for two days")
    expect(row).to_contain_text("Approved")
    bao.hand.open_row(row.get_by_role("link"))
    expect(bao.page.get_by_text("You approved this")).to_be_visible()
    expect(bao.button("Approve")).to_have_count(0)

    chi = sit_down("chi")
    chi.hand.go("Copied to me", "g c")
    leave = chi.page.get_by_role("link", name="Leave: Ann Lee, 10 days")
    expect(leave).to_have_count(1)
    chi.hand.open_row(leave)
    chi.sees_state("Approved")
    expect(chi.page.get_by_text("This was copied to you")).to_be_visible()
