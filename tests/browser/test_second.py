"""Whoever comes second: another tab, another person, another click."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.people import EXPENSE
from workflow.models import Event, Instance, Task

BOTH = [("mouse", "en"), ("keyboard", "zh-hans")]
TITLE = "Expense: Dinner with guests"


@pytest.mark.parametrize(("hand", "language"), BOTH)
def test_second_tab_learns_who_decided_and_keeps_the_comment(
    sit_down, file_expense, hand, language
):
    file_expense("Dinner with guests")
    bao = sit_down("bao", hand=hand, language=language, expected=["409"])
    bao.open_task(TITLE)
    again = bao.in_another_tab()
    again.open(bao.page.url.removeprefix(bao.site))
    again.hand.fill(again.comment, "Only with the bill, please.")

    bao.approve("Fine.")
    bao.sees_message("You approved “%(title)s”.", title=TITLE)
    task = Task.objects.get(instance__title=TITLE, holder__login="bao")
    events = Event.objects.count()

    again.reject()
    told = again.page.get_by_role("alert").filter(
        has_text=again.word("Approved by %(person)s", person="Bao Chen")
    )
    expect(told).to_be_focused()
    expect(told.locator("time")).to_have_attribute("datetime", task.decided_at.isoformat())
    kept = told.get_by_label(again.word("Your comment"))
    expect(kept).to_have_value("Only with the bill, please.")
    again.sees_event(
        "%(person)s approved “%(step)s”", "Fine.", person="Bao Chen", step="Head of department"
    )
    expect(again.button("Reject")).to_have_count(0)
    assert Event.objects.count() == events
    assert Task.objects.get(pk=task.pk).state == "approved"


@pytest.mark.parametrize("keys", ["click", "Enter"])
def test_double_submit_files_one_request(sit_down, keys):
    ann = sit_down("ann")
    ann.to_form_of("Expense")
    ann.fill_in("expense", {"purpose": "Two clicks"} | EXPENSE)
    submit = ann.button("Submit")
    if keys == "click":
        submit.dblclick()
    else:
        submit.focus()
        ann.keys.press("Enter")
        ann.page.keyboard.press("Enter")
    expect(ann.heading).to_have_text("Expense: Two clicks")
    assert Instance.objects.filter(title="Expense: Two clicks").count() == 1


def test_double_approval_is_one_decision(sit_down, file_expense):
    file_expense("Dinner with guests")
    bao = sit_down("bao")
    bao.open_task(TITLE)
    bao.button("Approve").dblclick()
    bao.sees_message("You approved “%(title)s”.", title=TITLE)
    assert Event.objects.filter(instance__title=TITLE, kind="task_approved").count() == 1


def test_going_back_does_not_decide_again(sit_down, file_expense):
    """The browser's back button may show the page of before; its button finds its own answer."""
    file_expense("Dinner with guests")
    bao = sit_down("bao")
    bao.open_task(TITLE)
    bao.approve()
    bao.sees_message("You approved “%(title)s”.", title=TITLE)
    events = list(Event.objects.filter(instance__title=TITLE).values())
    bao.page.go_back()
    expect(bao.heading).to_have_text(TITLE)
    if bao.button("Approve").count():
        bao.approve()
        bao.sees_message("You approved “%(title)s”.", title=TITLE)
    else:
        bao.sees_message("You approved this")
    assert list(Event.objects.filter(instance__title=TITLE).values()) == events


def test_connection_lost_loses_nothing(sit_down):
    ann = sit_down("ann", expected=["ERR_INTERNET_DISCONNECTED", "htmx:"])
    ann.to_form_of("Expense")
    ann.fill_in("expense", {"purpose": "On the train"} | EXPENSE)
    ann.page.context.set_offline(True)
    ann.button("Submit").click()
    expect(ann.page.get_by_text("No connection. Your input is still here.")).to_be_visible()
    assert not Instance.objects.filter(title="Expense: On the train").exists()
    ann.page.context.set_offline(False)
    ann.button("Submit").click()
    expect(ann.heading).to_have_text("Expense: On the train")
    assert Instance.objects.filter(title="Expense: On the train").count() == 1
