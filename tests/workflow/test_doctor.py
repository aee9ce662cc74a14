"""`doctor` names the rows that break an invariant, and holds its peace on a sound database."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from flowadmin import doctor
from notifications.models import Notice
from tests.builders import a_person, a_tenant
from tests.workflow import flows
from workflow.jobs import run_due_steps
from workflow.models import SPAN, Event, Instance, Job, Step, Task, Version

COPY = {
    "id": "tell",
    "kind": "copy",
    "name": "Tell finance",
    "who": {"any_of": [{"by": "department", "ids": ["finance"]}]},
}


def examined(*arguments):
    """Exit code and output of the command."""
    out = StringIO()
    try:
        call_command("doctor", *arguments, stdout=out)
    except CommandError as error:
        return error.returncode, out.getvalue()
    return 0, out.getvalue()


def broken(now):
    return {each.id: each.examples for each in doctor.examine(now) if not each.ok}


@pytest.fixture
def life(ann, bao, chi, dan, now):
    """Two requests: one approved with copies, one that waits for one of two people."""
    both = flows.approve_step("both", "bao", "dan")
    flows.publish(ann, flows.a_document(both, COPY), now=now)
    ended = flows.start(ann, now=now)
    flows.approve(bao, now=now)
    run_due_steps()
    return Instance.objects.get(pk=ended.pk), flows.start(ann, now=now)


def test_a_sound_installation_passes(life, now):
    assert broken(now) == {}
    code, text = examined()
    assert code == 0
    assert all(line.startswith("ok ") for line in text.splitlines())


def test_an_empty_one_passes_too(db, now):
    assert broken(now) == {}


def test_i2_a_task_that_ended_twice(life, now):
    ended, _running = life
    event = Event.objects.get(instance=ended, kind="task_approved")
    event.pk, event.position = ended.pk * SPAN + 90, 90
    event.save(force_insert=True)
    task = Task.objects.get(instance=ended, state="approved")
    assert broken(now)["I2"] == (f"task {task.pk}",)


def test_i2_a_task_whose_end_nobody_recorded(life, now):
    Task.objects.filter(instance=life[1], holder__login="bao").update(state="approved")
    task = Task.objects.get(instance=life[1], holder__login="bao")
    assert broken(now)["I2"] == (f"task {task.pk}",)


def test_i2_an_end_without_its_task(life, now):
    Notice.objects.filter(task__instance=life[0]).delete()
    Task.objects.filter(instance=life[0], state="approved").delete()
    assert broken(now)["I2"] == (f"event without its task in request {life[0].pk}",)


def test_i3_a_history_that_is_not_whole(life, now):
    Event.objects.filter(instance=life[1], position=2).delete()
    assert broken(now)["I3"] == (f"request {life[1].pk}",)


@pytest.mark.parametrize(
    ("model", "change", "place"),
    [
        (Task, {"state": "blocked"}, "running without anything to wait for"),
        (Instance, {"state": "approved"}, "ended with an open task"),
        (Instance, {"state": "approved"}, "ended with an open step"),
        (Instance, {"state": "approved"}, "state and end do not agree"),
    ],
)
def test_i4_a_request_that_waits_for_nobody_or_too_long(life, now, model, change, place):
    running = life[1]
    rows = model.objects.filter(pk=running.pk) if model is Instance else None
    (rows if rows is not None else model.objects.filter(instance=running)).update(**change)
    assert f"{place}: request {running.pk}" in broken(now)["I4"]


def test_i4_work_that_waits_after_the_end(life, now):
    Job.objects.update(state="pending")
    assert broken(now)["I4"] == (f"ended with waiting work: request {life[0].pk}",)


def test_i4_a_held_request_waits_for_a_manager(life, admin, now):
    nobody = flows.approve_step(
        who={"any_of": [{"by": "user", "ids": ["ann"]}], "without": [{"by": "initiator"}]}
    )
    flows.publish(admin, flows.a_document(nobody, key="held"), now=now)
    from flowadmin.directory.models import User  # noqa: PLC0415 - after Django's set-up

    assert flows.start(User.objects.get(login="ann"), "held", now=now).held
    assert broken(now) == {}


@pytest.mark.parametrize(
    ("model", "name"), [(Event, "event"), (Task, "task"), (Step, "step"), (Job, "job")]
)
def test_i13_a_row_of_another_tenant(life, now, model, name):
    row = model.objects.order_by("pk").first()
    model.objects.filter(pk=row.pk).update(tenant=a_tenant("acme"))
    assert f"{name} {row.pk}" in broken(now)["I13"]


def test_i13_a_version_of_another_tenant(life, now):
    Version.objects.update(tenant=a_tenant("acme"))
    assert f"request of a foreign process {life[0].pk}" in broken(now)["I13"]


@pytest.mark.parametrize(
    ("model", "column", "name"),
    [
        (Task, "holder", "holder of task"),
        (Task, "decided_by", "who ended task"),
        (Event, "actor", "actor of event"),
        (Instance, "initiator", "initiator of request"),
    ],
)
def test_i13_a_stranger_has_a_part_in_it(life, now, model, column, name):
    row = model.objects.filter(**{f"{column}__isnull": False}).order_by("pk").first()
    stranger = a_person(a_tenant("acme"))
    model.objects.filter(pk=row.pk).update(**{column: stranger})
    assert broken(now) == {"I13": (f"{name} {row.pk}",)}


def test_i13_an_operator_of_another_tenant_may_have_acted(life, now):
    operator = a_person(a_tenant("acme"), is_superuser=True)
    Event.objects.filter(actor__isnull=False).update(actor=operator)
    Task.objects.filter(decided_by__isnull=False).update(decided_by=operator)
    assert broken(now) == {}


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite lets it be planted")
@pytest.mark.django_db(transaction=True)
def test_i16_a_row_that_leads_nowhere(life, now):
    with connection.constraint_checks_disabled():
        Task.objects.filter(pk=Task.objects.first().pk).update(holder_id=999_999)
    try:
        assert any("flow_task" in each for each in broken(now)["I16"])
    finally:
        with connection.constraint_checks_disabled():
            Notice.objects.filter(task__holder_id=999_999).delete()
            Task.objects.filter(holder_id=999_999).delete()


def test_work_that_nobody_carries_out(ann, bao, now):
    flows.publish(ann, flows.a_document(flows.approve_step(), COPY), now=now)
    flows.start(ann, now=now)
    flows.approve(bao, now=now)
    job = Job.objects.get()
    late = now + timedelta(minutes=11)
    assert broken(now) == {}
    assert broken(late) == {"late": (f"job {job.pk}",)}
    Job.objects.update(state="leased", lease_until=now + timedelta(minutes=5))
    assert broken(late) == {}
    assert broken(now + timedelta(minutes=16)) == {"late": (f"job {job.pk}",)}


def test_the_output_is_bounded_and_machines_can_read_it(life, ann, now):
    for _ in range(doctor.EXAMPLES + 3):
        flows.start(ann, now=now)
    Event.objects.filter(position=2).delete()
    code, text = examined("--json")
    answer = json.loads(text)
    assert (code, answer["ok"]) == (1, False)
    whole = next(each for each in answer["checks"] if each["id"] == "I3")
    assert (whole["ok"], len(whole["examples"]), whole["more"]) == (False, doctor.EXAMPLES, True)
    assert "BROKEN I3" in examined()[1]
