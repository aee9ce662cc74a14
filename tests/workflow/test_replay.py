"""`flow_replay` finds every row that is not what the history says, and changes nothing."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from notifications.models import Notice
from tests.workflow import flows
from workflow.jobs import run_due_steps
from workflow.models import Event, Instance, Job, Step, Task
from workflow.runtime import replay, steps

COPY = {
    "id": "tell",
    "kind": "copy",
    "name": "Tell finance",
    "who": {"any_of": [{"by": "department", "ids": ["finance"]}]},
}


@pytest.fixture
def ended(ann, bao, now):
    """A request that went through a decision and a copy, and was approved."""
    flows.publish(ann, flows.a_document(flows.approve_step(), COPY), now=now)
    instance = flows.start(ann, now=now)
    flows.approve(bao, now=now + timedelta(hours=1), comment="yes")
    run_due_steps()
    return instance


@pytest.fixture
def running(ended, ann, now):
    return flows.start(ann, now=now)


def replayed(*arguments):
    """Exit code and output of the command."""
    out = StringIO()
    try:
        call_command("flow_replay", *arguments, stdout=out, stderr=StringIO())
    except CommandError as error:
        return error.returncode, out.getvalue()
    return 0, out.getvalue()


def places(instance):
    return {(each.table, each.column) for each in replay.differences(instance.pk)}


def test_sound_requests_have_no_difference(ended, running):
    assert replay.differences(ended.pk) == replay.differences(running.pk) == []
    assert replayed("--all") == (0, "2 requests are what their history says.\n")
    assert replayed(str(ended.pk)) == (0, "1 request is what its history says.\n")


def test_every_kind_of_life_is_replayed(ann, bao, chi, dan, admin, now):
    """Rejected, ended by a manager, reassigned, one by one, held, waiting for a worker."""
    from workflow.actions import administration  # noqa: PLC0415 - used once

    order = flows.approve_step("line", "bao", "dan", decide={"mode": "in_order"})
    nobody = flows.approve_step(
        "alone",
        who={"any_of": [{"by": "user", "ids": ["ann"]}], "without": [{"by": "initiator"}]},
    )
    flows.publish(ann, flows.a_document(order, nobody, COPY), now=now)
    for decide in (flows.approve, flows.reject):
        flows.start(ann, now=now)
        decide(bao, now=now)
    flows.start(ann, now=now)
    task = flows.open_task(bao)
    administration.reassign(task=task, to=chi, user=admin, reason="away", now=now)
    flows.approve(chi, now=now)
    flows.approve(dan, now=now)
    instance = Instance.objects.order_by("-pk")[0]
    assert instance.held == "people.nobody"
    administration.assign_held(
        instance=instance, activation=2, to=bao, user=admin, reason="you", now=now
    )
    flows.approve(bao, now=now)
    assert Job.objects.get().state == "pending"
    assert steps.claim(Job.objects.get().pk, "one", now) is not None
    administration.terminate(
        instance=Instance.objects.order_by("pk")[0], user=admin, reason="enough", now=now
    )
    assert replayed("--all")[0] == 0


PLANTED = [
    (Instance, {"state": "rejected"}, ("flow_instance", "state")),
    (Instance, {"position": 3}, ("flow_instance", "position")),
    (Instance, {"number": "X"}, ("flow_instance", "number")),
    (Instance, {"title": "X"}, ("flow_instance", "title")),
    (Instance, {"ended_at": None}, ("flow_instance", "ended_at")),
    (Instance, {"snapshot": {"initiator": 1}}, ("flow_instance", "snapshot")),
    (Task, {"state": "rejected"}, ("flow_task", "state")),
    (Task, {"version": 9}, ("flow_task", "version")),
    (Task, {"decided_at": None}, ("flow_task", "decided_at")),
    (Task, {"decided_by": None}, ("flow_task", "decided_by_id")),
    (Task, {"reason": "admin"}, ("flow_task", "reason")),
    (Task, {"closed_by": 1}, ("flow_task", "closed_by")),
    (Step, {"state": "open"}, ("flow_step", "state")),
    (Step, {"round": 2}, ("flow_step", "round")),
    (Job, {"state": "pending"}, ("flow_job", "state")),
    (Job, {"kind": "auto"}, ("flow_job", "kind")),
    (Event, {"kind": "commented"}, ("flow_event", "kind")),
]


@pytest.mark.parametrize(("model", "change", "place"), PLANTED)
def test_a_planted_difference_is_found_and_left_alone(ended, model, change, place):
    rows = model.objects.filter(pk=ended.pk) if model is Instance else model.objects
    row = rows.order_by("pk").first()
    model.objects.filter(pk=row.pk).update(**change)
    assert place in places(ended)
    code, text = replayed("--all")
    assert code == 1
    assert place[0] in text
    assert place[1] in text
    row.refresh_from_db()
    assert {name: getattr(row, name) for name in change} == change


@pytest.mark.parametrize("model", [Task, Step, Job])
def test_a_row_that_is_missing_or_one_too_many_is_found(ended, model):
    row = model.objects.order_by("pk").first()
    table, pk = model._meta.db_table, row.pk
    Notice.objects.filter(instance=ended).delete()
    row.delete()
    assert (table, "") in places(ended)
    row.pk = pk
    row.save(force_insert=True)
    assert replay.differences(ended.pk) == []
    row.pk += 50
    for name in ("number", "activation"):
        if hasattr(row, name):
            setattr(row, name, 50)
    row.save(force_insert=True)
    assert (table, "") in places(ended)


def test_a_gap_in_the_history_is_found(ended):
    Event.objects.filter(instance=ended, position=2).delete()
    assert ("flow_event", "position") in places(ended)


def test_an_event_that_cannot_be_read_is_told(ended):
    Event.objects.filter(instance=ended, position=2).update(payload='{"event":"nix"}')
    code, text = replayed(str(ended.pk))
    assert code == 1
    assert "flow_event" in text


def test_json_names_every_place(ended, running):
    Task.objects.filter(instance=running).update(version=7)
    code, text = replayed("--all", "--json")
    answer = json.loads(text)
    assert code == 1
    assert (answer["checked"], answer["differing"]) == (2, 1)
    assert answer["differences"] == [
        {
            "instance": running.pk,
            "table": "flow_task",
            "row": Task.objects.get(instance=running).pk,
            "column": "version",
            "stored": "7",
            "replayed": "1",
        }
    ]


def test_one_tenant_alone(ended, running):
    Instance.objects.filter(pk=ended.pk).update(number="X")
    assert replayed("--all", "--tenant", "other") == (
        0,
        "0 requests are what their history says.\n",
    )
    assert replayed("--all", "--tenant", "demo")[0] == 1


@pytest.mark.parametrize(
    "arguments",
    [[], ["1", "--all"], ["999999"], ["-1"], ["9" * 30], ["--all", "--tenant", "nix"]],
)
def test_wrong_use_is_said(ended, arguments):
    assert replayed(*arguments)[0] == 2
