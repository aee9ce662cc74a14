"""P9, P32: from the creation of the task, once, to whoever holds it when it is due."""

from __future__ import annotations

from datetime import timedelta

import pytest

from notifications.actions.reminding import send_due
from tests.acceptance.acting import (
    ALL_ACTS,
    approve,
    filed,
    give,
    human,
    reject,
    task_of,
)
from tests.notifications.told import reminders, to
from workflow import access
from workflow.actions import approvals
from workflow.engine import commands

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


def timed(*logins, **members):
    return human("lead", *logins, deadline={"after": 60}, acts=ALL_ACTS, **members)


def test_once_and_to_the_holder_of_that_moment(ann, bao, chi, now):
    """A transfer does not restart it, and the person before hears nothing."""
    instance = filed(ann, timed("bao"), now=now)
    give(task_of(bao, instance), bao, commands.Transfer, to=chi.pk, now=now + HOUR / 2)
    assert send_due(now + HOUR - MINUTE) == 0
    assert send_due(now + HOUR) == 1
    assert (to(bao, "timeout"), to(chi, "timeout")) == ([], [task_of(chi, instance).pk])
    [row] = reminders()
    assert (row.status, row.receiver, row.sent_at) == ("SENT", chi, now + HOUR)
    assert send_due(now + 9 * HOUR) == 0
    approve(chi, instance, now=now + 9 * HOUR)
    assert reminders()[0].status == "SENT", "what was sent stays"


@pytest.mark.parametrize("act", [approve, reject])
def test_the_end_of_a_task_cancels_it(ann, bao, now, act):
    instance = filed(ann, timed("bao"), now=now)
    act(bao, instance, now=now + HOUR / 2)
    assert [row.status for row in reminders()] == ["CANCELLED"]
    assert send_due(now + HOUR) == 0
    assert to(bao, "timeout") == []


def test_a_colleagues_decision_and_the_end_of_the_request_cancel_it_too(ann, bao, chi, now):
    instance = filed(ann, timed("bao", "chi"), now=now)
    approve(bao, instance, now=now)
    assert [row.status for row in reminders()] == ["CANCELLED", "CANCELLED"]


def test_a_return_is_a_new_task_with_a_new_reminder(ann, bao, now):
    instance = filed(ann, timed("bao"), now=now)
    give(task_of(bao, instance), bao, commands.Return, to="start", now=now)
    give(task_of(ann, instance), ann, commands.Complete, now=now + HOUR)
    assert [(row.status, row.scheduled_at) for row in reminders()] == [
        ("CANCELLED", now + HOUR),
        ("PENDING", now + 2 * HOUR),
    ]


def test_one_by_one_counts_from_when_it_is_ones_turn(ann, bao, chi, now):
    instance = filed(ann, timed("bao", "chi", mode="in_order"), now=now)
    assert len(reminders()) == 1
    approve(bao, instance, now=now + HOUR / 2)
    assert reminders(status="PENDING")[0].scheduled_at == now + HOUR * 3 / 2
    assert send_due(now + HOUR * 3 / 2) == 1
    assert to(chi, "timeout") == [task_of(chi, instance).pk]


def test_whoever_was_added_is_reminded_of_his_own_and_the_other_waits(ann, bao, chi, now):
    instance = filed(ann, timed("bao"), now=now)
    add = {"people": (chi.pk,), "place": "before"}
    give(task_of(bao, instance), bao, commands.AddSigners, now=now + HOUR / 2, **add)
    assert send_due(now + HOUR) == 0, "bao cannot act while chi has not"
    assert send_due(now + HOUR * 3 / 2) == 1
    assert (len(to(chi, "timeout")), to(bao, "timeout")) == (1, [])
    approve(chi, instance, now=now + 2 * HOUR)
    assert send_due(now + 2 * HOUR) == 1
    assert to(bao, "timeout") == [task_of(bao, instance).pk]


def test_a_decision_taken_back_lets_the_colleagues_reminder_wait_again(ann, bao, chi, now):
    policy = {"take_back": {"on": True, "within": None}}
    step = human("next", "dan")
    instance = filed(ann, timed("bao", "chi"), step, policy=policy, now=now)
    decided = approve(bao, instance, now=now)
    approvals.take_back(task=access.own_task(bao, decided.pk), user=bao, comment="", now=now)
    assert send_due(now + HOUR) == 2, "chi's old one, and one for bao's new task"
    assert (len(to(bao, "timeout")), len(to(chi, "timeout"))) == (1, 1)
    assert sorted(row.status for row in reminders()) == ["CANCELLED", "SENT", "SENT"]


def test_a_task_from_before_gets_one_when_it_is_assigned_again(ann, bao, chi, now):
    """P16: not by being there, but by being given to somebody; counted from its creation."""
    instance = filed(ann, timed("bao"), now=now)
    reminders()[0].delete()
    give(task_of(bao, instance), bao, commands.Snooze, until=now + HOUR, now=now)
    assert reminders() == []
    give(task_of(bao, instance), bao, commands.Transfer, to=chi.pk, now=now + HOUR / 2)
    assert [row.scheduled_at for row in reminders()] == [now + HOUR]
