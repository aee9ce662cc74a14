"""Automatic steps and deadlines: claimed once, carried out once, fenced by their token."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from tests.workflow import flows
from workflow.engine.commands import Pause, Resume
from workflow.jobs import run_due_steps
from workflow.models import Event, Instance, Job, Task
from workflow.runtime import replay, steps
from workflow.runtime.execute import execute

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


HOUR = timedelta(hours=1)


@pytest.fixture
def watched(ann, now):
    """The deadline of a task that approves itself after an hour."""
    deadline = {"after": 60, "then": "approve"}
    flows.publish(ann, flows.a_document(flows.approve_step(deadline=deadline)), now=now)
    flows.start(ann, now=now)
    return Job.objects.get()


def manage(instance, command, now):
    """A manager's act on a request."""
    return execute(
        tenant_id=instance.tenant_id,
        instance_id=instance.pk,
        command=command,
        actor_id=command.by,
        now=now,
    )


def carry_out(job, moment):
    """A worker claims a row and carries it out; whether it was done."""
    claimed = steps.claim(job.pk, "one", moment)
    assert claimed is not None
    return steps.carry_out(claimed, moment)


def test_a_deadline_is_a_row_that_is_not_found_before_it_is_due(watched, now):
    due = now + HOUR
    assert (watched.kind, watched.seat, watched.due_at) == ("deadline", 1, due)
    assert Task.objects.get().due_at == due
    early = due - timedelta(microseconds=1)
    assert steps.due(early) == []
    assert steps.claim(watched.pk, "one", early) is None
    assert steps.due(due) == [watched.pk]


def test_a_deadline_that_has_passed_is_carried_out_by_nobody_in_its_own_tenant(watched, now):
    """Acceptance tests 58 and 62."""
    # The moment is long past by the database's clock.
    assert run_due_steps() == 1
    assert Instance.objects.get().state == "approved"
    task = Task.objects.get()
    assert (task.state, task.reason, task.decided_by_id) == ("approved", "timeout", None)
    written: Any = Event.objects.filter(kind__in=["timed_out", "task_approved"]).values_list(
        "kind", "tenant_id", "actor_id"
    )
    assert sorted(written) == [
        ("task_approved", watched.tenant_id, None),
        ("timed_out", watched.tenant_id, None),
    ]
    watched.refresh_from_db()
    assert watched.state == "done"
    assert run_due_steps() == 0
    assert replay.differences(watched.instance_id) == []


def test_a_decision_in_time_cancels_the_deadline(watched, bao, now):
    flows.approve(bao, now=now)
    watched.refresh_from_db()
    assert watched.state == "cancelled"
    assert steps.due(now + 2 * HOUR) == []


def test_a_deadline_during_a_pause_is_put_off_and_a_new_row_afterwards(watched, admin, now):
    instance, late = watched.instance, now + 2 * HOUR
    manage(instance, Pause(admin.pk, "stocktaking"), now)
    assert carry_out(watched, late) is True
    watched.refresh_from_db()
    assert watched.state == "put_off"
    assert steps.due(late + HOUR) == []
    assert Task.objects.get().state == "open"
    assert replay.differences(instance.pk) == []
    manage(instance, Resume(admin.pk), late)
    again = Job.objects.exclude(pk=watched.pk).get()
    assert (again.kind, again.seat, again.state, again.due_at) == (
        "deadline", 1, "pending", late,
    )  # fmt: skip
    watched.refresh_from_db()
    assert watched.state == "cancelled"
    assert Task.objects.get().due_at == now + HOUR
    assert carry_out(again, late) is True
    assert Instance.objects.get().state == "approved"
    assert replay.differences(instance.pk) == []


def test_a_row_whose_work_is_over_is_done_and_changes_nothing(waiting, now):
    assert run_due_steps() == 1
    Job.objects.update(state="pending")
    before = (flows.rows(), flows.everything())
    assert carry_out(waiting, now) is False
    waiting.refresh_from_db()
    assert waiting.state == "done"
    assert (flows.rows(), flows.everything()) == before


def test_a_row_that_is_refused_for_another_reason_is_tried_again_and_says_why(waiting, now):
    instance = waiting.instance
    snapshot = instance.snapshot
    state = json.loads(snapshot) if isinstance(snapshot, str) else dict(snapshot)
    full = state | {"position": 99_999}
    stored = json.dumps(full) if isinstance(snapshot, str) else full
    Instance.objects.update(position=99_999, snapshot=stored)
    events = Event.objects.count()
    assert run_due_steps() == 0
    waiting.refresh_from_db()
    assert waiting.state == "pending"
    assert waiting.details["last_error"] == "instance.too_long"
    assert waiting.due_at > now
    assert Event.objects.count() == events


@pytest.mark.parametrize("kind", ["http", "rule"])
def test_what_is_sent_outside_is_not_carried_out_here(waiting, now, kind):
    Job.objects.update(kind=kind)
    assert steps.due(now) == []
    assert steps.claim(waiting.pk, "one", now) is None
