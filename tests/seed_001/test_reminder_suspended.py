"""P33: what stands still waits ten seconds at a time, goes out after, and blocks nobody."""

from __future__ import annotations

from datetime import timedelta

import pytest

from notifications.actions import reminding
from notifications.actions.reminding import send_due
from notifications.models import Notice
from tests.acceptance.acting import filed, human
from tests.notifications.told import reminders, to
from tests.workflow import flows
from workflow.actions import administration

HOUR = timedelta(hours=1)
TEN = timedelta(seconds=10)


@pytest.fixture
def waiting(ann, now):
    return filed(ann, human("lead", "bao", deadline={"after": 60}), now=now)


def test_paused_it_stays_and_then_goes_out_without_a_new_hour(waiting, admin, bao, now):
    administration.pause(instance=waiting, user=admin, reason="audit", now=now)
    assert send_due(now + HOUR) == 0
    assert [(row.status, row.scheduled_at) for row in reminders()] == [
        ("PENDING", now + HOUR + TEN)
    ]
    administration.resume(instance=waiting, user=admin, reason="", now=now + HOUR)
    assert send_due(now + HOUR + TEN) == 1
    assert len(to(bao, "timeout")) == 1


def test_nobody_who_can_act_is_nobody_responsible(waiting, bao, now):
    type(bao).objects.filter(pk=bao.pk).update(is_active=False)
    assert send_due(now + HOUR) == 0
    assert reminders()[0].status == "PENDING"
    type(bao).objects.filter(pk=bao.pk).update(is_active=True)
    assert send_due(now + HOUR + TEN) == 1


def test_they_do_not_fill_the_round(ann, bao, admin, now, monkeypatch):
    monkeypatch.setattr(reminding, "ROUND", 3)
    step = human("lead", "bao", deadline={"after": 60})
    instances = [filed(ann, step, now=now)] + [flows.start(ann, now=now) for _each in range(5)]
    for instance in instances[:4]:
        administration.pause(instance=instance, user=admin, reason="audit", now=now)
    # Those that stand still are the oldest ones, and more than a round takes.
    assert send_due(now + HOUR) == 2
    assert len(to(bao, "timeout")) == 2
    moved = Notice.objects.filter(status="PENDING", scheduled_at=now + HOUR + TEN)
    assert moved.count() == 1, "as many as there was room for"


def test_a_task_that_is_over_is_not_looked_at_again(waiting, now):
    """A row that something else left behind, such as an older installation."""
    waiting.tasks.update(state="closed")
    assert send_due(now + HOUR) == 0
    assert reminders()[0].status == "CANCELLED"
