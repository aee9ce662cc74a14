"""Automatic steps: claimed once, carried out once, fenced by their token."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.workflow import flows
from workflow.jobs import run_due_steps
from workflow.models import Event, Instance, Job, Task
from workflow.runtime import steps

COPY = {
    "id": "tell",
    "kind": "copy",
    "name": "Tell finance",
    "who": {"any_of": [{"by": "department", "ids": ["finance"]}]},
}


@pytest.fixture
def waiting(ann, bao, now):
    flows.publish(ann, flows.a_document(flows.approve_step(), COPY), now=now)
    flows.start(ann, now=now)
    flows.approve(bao, now=now)
    return Job.objects.get()


def test_a_copy_is_a_row_until_a_worker_carries_it_out(waiting, now):
    assert waiting.state == "pending"
    assert Instance.objects.get().state == "running"
    assert run_due_steps() == 1
    assert Instance.objects.get().state == "approved"
    readers = Task.objects.filter(kind="copy").values_list("holder__login", "state")
    assert sorted(readers) == [("chi", "done"), ("dan", "done")]
    waiting.refresh_from_db()
    assert (waiting.state, waiting.attempts) == ("done", 1)


def test_only_one_of_two_workers_gets_it(waiting, now):
    assert steps.due(now) == [waiting.pk]
    assert steps.claim(waiting.pk, "one", now) is not None
    assert steps.claim(waiting.pk, "two", now) is None


def test_a_lease_that_ran_out_is_taken_again_and_the_late_worker_writes_nothing(waiting, now):
    slow = steps.claim(waiting.pk, "slow", now)
    assert slow is not None
    later = now + steps.LEASE
    assert steps.due(later) == [waiting.pk]
    quick = steps.claim(waiting.pk, "quick", later)
    assert quick is not None
    assert quick.token == slow.token + 1
    events = Event.objects.count()
    assert steps.carry_out(slow, later) is False
    assert Event.objects.count() == events
    assert steps.carry_out(quick, later) is True
    assert Task.objects.filter(kind="copy").count() == 2


def test_a_broken_step_is_tried_again_later_and_says_why(waiting, now):
    claimed = steps.claim(waiting.pk, "one", now)
    assert claimed is not None
    steps.put_back(claimed, "ValueError", now)
    waiting.refresh_from_db()
    assert waiting.state == "pending"
    assert waiting.due_at > now
    assert waiting.details == {"retry_count": 1, "last_error": "ValueError"}
    assert steps.due(now) == []
    assert steps.due(now + timedelta(minutes=10)) == [waiting.pk]


def test_an_ended_request_cancels_its_job(waiting, admin, now):
    from workflow.actions import administration  # noqa: PLC0415 - used once

    administration.terminate(instance=Instance.objects.get(), user=admin, reason="x", now=now)
    waiting.refresh_from_db()
    assert waiting.state == "cancelled"
    assert run_due_steps() == 0


def test_an_automatic_rejection_ends_the_request_with_its_reason(ann, bao, now):
    auto = {"id": "no", "kind": "auto", "name": "No", "verdict": "reject", "reason": "budget"}
    flows.publish(ann, flows.a_document(flows.approve_step(), auto), now=now)
    flows.start(ann, now=now)
    flows.approve(bao, now=now)
    run_due_steps()
    assert Instance.objects.get().state == "rejected"
