"""Journeys of initiators: returned and submitted again, urged once, told to others once more."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.utils import translation
from playwright.sync_api import expect

from flowadmin import clock
from flowadmin.directory.models import User
from notifications.models import Callback, Notice
from tests.notifications import posted
from tests.notifications.posted import answer, heard, listening
from tests.workflow.flows import a_document, approve, publish, start
from workflow.models import Event, Instance, Task

BOTH = pytest.mark.parametrize(("hand", "language"), [("mouse", "en"), ("keyboard", "zh-hans")])
TITLE = "Expense: Chairs"


@BOTH
def test_returned_corrected_and_submitted_again(sit_down, file_expense, hand, language):
    filed = file_expense("Chairs")
    bao = sit_down("bao", hand=hand, language=language)
    bao.open_task(TITLE)
    bao.hand.fill(bao.comment, "How many?")
    bao.hand.press(bao.page.locator(".decide details > summary"))
    bao.hand.press(bao.button("Return …"))
    panel = bao.page.locator("[data-panel]")
    expect(panel).to_be_focused()
    bao.hand.press(panel.locator("button[value=return]"))
    bao.sees_message("You returned “%(title)s”.", title=TITLE)
    assert Task.objects.get(instance=filed, state="open").holder.login == "ann"

    ann = sit_down("ann", hand=hand, language=language)
    ann.open_task(TITLE)
    ann.sees_event(
        "%(person)s sent the request back from “%(step)s” to “%(to)s”",
        "How many?",
        person="Bao Chen",
        step="Head of department",
        to=ann.word("Initiator"),
    )
    expect(ann.field("expense", "amount")).to_have_value(re.compile("12,?000"))
    ann.fill_in("expense", {"amount": "9000", "details": "Six of them."})
    ann.hand.press(ann.button("Submit again"))
    ann.sees_message("You submitted “%(title)s” again.", title=TITLE)

    bao.open_task(TITLE)
    expect(bao.page.get_by_text("Six of them.").first).to_be_visible()
    bao.approve()
    bao.sees_message("You approved “%(title)s”.", title=TITLE)
    ann.open(f"/requests/{filed.pk}/")
    ann.sees_state("Approved")
    assert Instance.objects.get(pk=filed.pk).state == "approved"


@BOTH
def test_urged_once_in_ten_minutes(sit_down, file_expense, hand, language):
    filed = file_expense("Chairs")
    ann = sit_down("ann", hand=hand, language=language)
    ann.open(f"/requests/{filed.pk}/")
    late = ann.in_another_tab()
    late.open(f"/requests/{filed.pk}/")

    def button(person):
        return person.page.locator("form.urge button")

    ann.hand.press(button(ann))
    ann.sees_message("You urged %(people)s.", people="Bao Chen")
    # It is off and says how long; after a reload too.
    expect(button(ann)).to_be_disabled()
    expect(button(ann).locator("[data-countdown-left]")).to_have_text(re.compile(r"\d:\d\d"))
    urges = Notice.objects.filter(instance=filed, kind="urge")
    assert [each.receiver.login for each in urges] == ["bao"]

    # A tab that does not know of it yet is told, and nobody is urged again.
    late.hand.press(button(late))
    expect(button(late)).to_be_disabled()
    expect(late.page.locator(".alert-warning, [data-tone=warning]").first).to_be_visible()
    assert urges.count() == 1

    bao = sit_down("bao", hand=hand, language=language)
    bao.open("/notices/?kind=urge")
    expect(bao.page.get_by_role("link", name=TITLE)).to_have_count(1)


def told_to_others(receiver, now):
    """A request of ann's that was approved, while what it posts to refuses every attempt."""
    people = {user.login: user for user in User.objects.select_related("tenant")}
    posted.target(people["ann"].tenant, receiver.url)
    document = a_document(posted.lead(), key="chairs", name="Chairs")
    publish(people["admin"], document, now=now)
    filed = start(people["ann"], "chairs", now=now)
    approve(people["bao"], now=now)
    return filed, posted.fail_for_good(now)


@BOTH
def test_a_callback_that_failed_is_sent_again(sit_down, site, hand, language):
    with listening(*[answer(503)] * 5, answer(200)) as receiver:
        filed, last = told_to_others(receiver, clock.now() - timedelta(hours=1))
        assert receiver.connections == 5
        ann = sit_down("ann", hand=hand, language=language)
        ann.open(f"/requests/{filed.pk}/callbacks/")
        row = ann.page.locator("tr[data-row-id]")
        with translation.override(language):
            states = {each: str(each.label) for each in Callback.Status}
        expect(row).to_contain_text(states[Callback.Status.FAILED])
        ann.hand.press(row.get_by_role("button"))
        expect(row).to_contain_text(states[Callback.Status.PENDING])
        expect(row.get_by_role("button")).to_have_count(0)
        # Nothing is sent while somebody waits for a page: a worker sends it.
        assert receiver.connections == 5
        posted.go(max(posted.due_at(posted.only()), posted.later(last)))
        ann.page.reload()
        expect(row).to_contain_text(states[Callback.Status.SUCCEEDED])
        first, again = heard(receiver, 0), heard(receiver, 5)
    assert first[2] == again[2]
    assert first[1]["x-flow-event-id"] == again[1]["x-flow-event-id"]
    assert Event.objects.filter(instance=filed, kind="task_approved").count() == 1
