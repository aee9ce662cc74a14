"""`flow_migrate`: a plan, the move of running requests, and the way back, on real rows."""

from __future__ import annotations

import copy
import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from flowadmin import doctor
from flowadmin.rest.problems import Problem
from tests.engine.builders import NOW
from tests.workflow import flows
from workflow import access, reading
from workflow.actions import approvals, migrating
from workflow.models import Event, Instance, Job, Step, Task
from workflow.runtime import replay

DEADLINE = {"after": "PT24H", "then": "approve"}


def step(login, **members):
    return flows.approve_step(f"by_{login}", login, name=f"By {login}", **members)


def publish(user, *steps, now, form=flows.FORM, **members):
    return flows.publish(user, flows.a_document(*steps, **members), form, now=now)


def migrate(*arguments, key="expense", old=1, new=2):
    """Exit code, output and the JSON answer of the command, if it is one."""
    out = StringIO()
    code = 0
    try:
        call_command(
            "flow_migrate", key, "--from", str(old), "--to", str(new), *arguments,
            stdout=out, stderr=StringIO(),
        )  # fmt: skip
    except CommandError as error:
        code = error.returncode
    text = out.getvalue()
    return code, json.loads(text) if "--json" in arguments and text else text


def moved(*arguments, **versions):
    return migrate("--reason", "Better", "--json", *arguments, **versions)


def sound():
    """Every row is what its history says, and what belongs together agrees."""
    for pk in Instance.objects.values_list("pk", flat=True):
        assert replay.differences(pk) == []
    assert doctor.rows_are_of_one_tenant(NOW) == []
    assert doctor.requests_wait_for_something(NOW) == []


def holders(instance):
    rows = Task.objects.filter(instance=instance, state="open").order_by("pk")
    return list(rows.values_list("holder__login", flat=True))


def approve(user, instance, now):
    """Approve the open task that this person has in this request."""
    pk = Task.objects.get(instance=instance, holder=user, state="open").pk
    task = access.own_task(user, pk)
    approvals.approve(task=task, user=user, version=task.version, now=now)


def shown_to(user, instance):
    return reading.reading_of(user, access.instance(user, instance.pk))


@pytest.fixture
def two(ann, bao, later):
    """A request that waits for bao and dan, of whom bao has approved, and one for bao alone."""
    board = flows.approve_step(
        "board", "bao", "dan", decide={"mode": "all"}, deadline=DEADLINE, name="Board"
    )
    publish(ann, board, step("chi"), now=later())
    first = flows.start(ann, now=later())
    flows.approve(bao, now=later())
    return first, flows.start(ann, now=later())


def test_a_dry_run_shows_the_plan_and_writes_nothing(two, ann, later):
    publish(ann, step("chi"), now=later())
    before, rows = flows.everything(), flows.rows()
    code, answer = moved("--dry-run")
    assert code == 0
    assert flows.everything() == before
    assert flows.rows() == rows
    assert (answer["movable"], answer["moved"], answer["steps"]) == (2, 0, {"removed": 2})
    assert answer["people"] == [
        {"login": "bao", "gains": 0, "loses": 1},
        {"login": "chi", "gains": 2, "loses": 0},
        {"login": "dan", "gains": 0, "loses": 2},
    ]
    (plan,) = answer["requests"][0]["steps"]
    assert (plan["step"], plan["what"], plan["why"]) == ("board", "removed", "step_gone")
    assert plan["goes_on"] == "by_chi"
    code, text = migrate("--dry-run")
    assert code == 0
    assert "board closed; goes on at by_chi (The new version does not have this step.)" in text
    assert "inbox of dan: 0 more, 2 less" in text
    assert text.endswith("2 requests can be moved to version 2.\n")


def test_half_finished_steps_and_timers_are_kept(two, ann, bao, chi, dan, later):
    """approvals.md 4, 83."""
    first, second = two
    board = flows.approve_step(
        "board", "bao", "dan", decide={"mode": "all"}, deadline=DEADLINE, name="The board"
    )
    new = publish(ann, board, step("chi"), step("bao"), now=later())
    rows = [list(each.objects.order_by("pk").values()) for each in (Task, Job, Step)]
    code, answer = moved()
    assert (code, answer["moved"], answer["steps"]) == (0, 2, {"kept": 2})
    assert [list(each.objects.order_by("pk").values()) for each in (Task, Job, Step)] == rows
    for each in two:
        each.refresh_from_db()
        assert each.version == new
    sound()
    approve(dan, first, later())
    approve(chi, first, later())
    assert holders(first) == ["bao"]
    assert Task.objects.filter(instance=first).latest("pk").step == "by_bao"
    assert holders(second) == ["bao", "dan"]
    sound()


def test_a_request_on_a_removed_step_opens_and_goes_on(two, ann, bao, chi, later):
    """approvals.md 4, 82, 84 and 92: nothing is hidden, and no finished step starts again."""
    first, _second = two
    publish(ann, step("chi"), step("dan"), now=later())
    assert moved()[0] == 0
    sound()
    assert holders(first) == ["chi"]
    shown = shown_to(bao, first)
    assert shown.values()["amount"]
    told = [entry.text for entry in reading.entries_of(shown)]
    assert any(text.startswith("Board → ") for text in told)
    assert "The system moved the request to version 2 of the process" in told
    explained = reading.explained(shown)
    assert [each.name for each in explained.steps] == ["Board", "By chi"]
    assert explained.steps[1].because == "migrated"
    approve(chi, first, later())
    assert holders(first) == ["dan"]
    assert Task.objects.filter(instance=first, step="board").count() == 2
    sound()


def test_the_timeline_says_who_moved_it_and_whose_task_is_gone(two, ann, bao, admin, later):
    first, _second = two
    publish(ann, step("chi"), now=later())
    assert moved("--by", "bao", "--limit", "1")[1]["moved"] == 1
    (entry,) = [
        each for each in reading.entries_of(shown_to(admin, first)) if each.kind == "migrated"
    ]
    assert (entry.actor, entry.comment) == (bao.name, "Better")
    assert entry.why == ("No longer needed: Dan Liu",)
    assert moved("--undo", "--by", "bao")[1]["moved"] == 1
    back = next(
        each
        for each in reading.entries_of(shown_to(admin, first))
        if each.kind == "migration_undone"
    )
    assert back.text == "Bao Chen moved the request back to version 1 of the process"
    assert back.why == ("No longer needed: Chi Wang", "Open again: Dan Liu")


def test_moved_back_while_nothing_was_decided(two, ann, chi, dan, later):
    first, second = two
    publish(ann, step("chi"), step("dan"), now=later())
    moved()
    approve(chi, second, later())
    code, answer = moved("--undo")
    assert code == 1
    assert [each["code"] for each in answer["requests"]] == ["", "migrate.decided"]
    first.refresh_from_db()
    second.refresh_from_db()
    assert (first.version.number, second.version.number) == (1, 2)
    assert holders(first) == ["dan"]
    job = Job.objects.get(instance=first, state="pending")
    assert job.due_at == Task.objects.get(instance=first, state="open").due_at
    sound()
    approve(dan, first, later())
    assert holders(first) == ["chi"]
    sound()


def test_what_cannot_be_moved_says_why_and_stays(two, ann, later):
    publish(ann, step("dan"), now=later())
    before = flows.everything()
    code, answer = moved()
    assert code == 1
    assert (answer["moved"], answer["failed"]) == (0, 2)
    (first, _second) = answer["requests"]
    assert first["code"] == "migrate.stuck"
    assert "board: Nothing follows this step in the old order" in first["message"]
    assert flows.everything() == before
    sound()


def test_work_that_waits_is_called_off_and_asked_for_again(ann, bao, later):
    delay = {"id": "pause", "kind": "delay", "name": "Pause", "for": "PT48H"}
    publish(ann, delay, step("bao"), now=later())
    instance = flows.start(ann, now=later())
    before = Job.objects.get()
    publish(ann, step("bao"), now=later())
    assert moved()[0] == 0
    before.refresh_from_db()
    assert before.state == "cancelled"
    assert holders(instance) == ["bao"]
    sound()
    assert moved("--undo")[0] == 0
    again = Job.objects.get(state="pending")
    assert (again.kind, again.due_at) == ("delay", before.due_at)
    assert again.number > before.number
    assert holders(instance) == []
    sound()


def test_out_of_a_block_that_is_gone(ann, bao, chi, dan, later):
    branches = [
        {"id": "one", "name": "One", "steps": [step("bao")]},
        {"id": "two", "name": "Two", "steps": [step("chi")]},
    ]
    block = {"id": "both", "kind": "parallel", "name": "Both", "join": "all"}
    publish(ann, block | {"branches": branches}, step("dan"), now=later())
    instance = flows.start(ann, now=later())
    approve(bao, instance, later())
    task = Task.objects.get(instance=instance, state="open")
    publish(ann, step("chi"), step("dan"), now=later())
    assert moved()[0] == 0
    sound()
    assert Task.objects.get(instance=instance, state="open").pk == task.pk
    assert Step.objects.get(instance=instance, step="both").state == "closed"
    assert moved("--undo")[0] == 0
    sound()
    assert Step.objects.get(instance=instance, step="both").state == "open"
    approve(chi, instance, later())
    approve(dan, instance, later())
    instance.refresh_from_db()
    assert instance.state == "approved"
    sound()


def test_fields_that_are_gone_are_seen_no_more_and_those_that_changed_are_empty(
    ann, bao, chi, later
):
    fields = {"default": "edit"}
    old: dict[str, Any] = copy.deepcopy(flows.FORM)
    publish(ann, step("bao"), step("chi", fields=fields), now=later(), form=old)
    instance = flows.start(ann, now=later(), reason="Train", secret="s")
    approve(bao, instance, later())
    new = copy.deepcopy(old)
    new["fields"][1] = {"id": "reason", "type": "integer", "label": "Reason"}
    new["fields"][2] = {"id": "fresh", "type": "text", "label": "Fresh"}
    publish(ann, step("chi", fields=fields), now=later(), form=new)
    code, answer = moved()
    assert (code, answer["requests"][0]["dropped"]) == (0, ["reason"])
    assert shown_to(ann, instance).values() == {
        "amount": shown_to(ann, instance).values()["amount"]
    }
    # Bao's step is gone; he still reads what he saw there.
    assert "amount" in shown_to(bao, instance).values()
    sound()
    moved("--undo")
    assert shown_to(ann, instance).values()["reason"] == "Train"
    sound()


def test_a_decision_of_before_the_move_is_not_taken_back(ann, bao, chi, later):
    policy = {"take_back": {"on": True, "within": None}}
    publish(ann, step("bao"), step("chi"), now=later(), policy=policy)
    instance = flows.start(ann, now=later())
    approve(bao, instance, later())
    publish(ann, step("bao"), step("chi"), step("dan"), now=later(), policy=policy)
    assert moved()[0] == 0
    task = access.own_task(bao, Task.objects.get(instance=instance, holder=bao).pk)
    with pytest.raises(Problem) as refusal:
        approvals.take_back(task=task, user=bao, comment="", now=later())
    assert refusal.value.code == "take_back.moved"
    approve(chi, instance, later())
    assert holders(instance) == ["dan"]


def test_what_moved_meanwhile_is_left_alone(two, ann, later):
    first, _second = two
    new = publish(ann, step("chi"), now=later())
    route = migrating.route_of(ann.tenant_id, "expense", 1, 2)
    planned = migrating.rehearse(route, first.pk, later())
    assert planned.ok
    fence = migrating._still_there(route, first.pk)
    Instance.objects.filter(pk=first.pk).update(version=new)
    with transaction.atomic(), pytest.raises(Problem) as refusal:
        fence()
    assert refusal.value.code == "migrate.elsewhere"
    events = Event.objects.count()
    found = migrating.move(route, first.pk, user=None, reason="x", now=later())
    assert found.skipped
    assert Event.objects.count() == events


def test_only_requests_of_the_tenant_and_of_the_version(two, ann, eve, later):
    publish(ann, step("chi"), now=later())
    newer = flows.start(ann, now=later())
    board = flows.approve_step("board", "eve")
    for steps in ([board], [board, step("eve")]):
        publish(eve, *steps, now=later())
    foreign = flows.start(eve, now=later())
    assert migrate("--dry-run")[0] == 2
    code, answer = moved("--tenant", "demo")
    assert (code, answer["moved"]) == (0, 2)
    assert {each["instance"] for each in answer["requests"]} == {str(each.pk) for each in two}
    kinds = Event.objects.filter(kind="migrated").values_list("instance_id", flat=True)
    assert not {newer.pk, foreign.pk} & set(kinds)
    sound()


@pytest.mark.parametrize(
    ("arguments", "versions"),
    [
        ([], {}),
        (["--reason", " "], {}),
        (["--dry-run"], {"new": 9}),
        (["--dry-run"], {"new": 1}),
        (["--dry-run"], {"key": "nix"}),
        (["--dry-run", "--tenant", "nix"], {}),
        (["--dry-run", "--tenant", "other"], {}),
        (["--dry-run", "--limit", "-1"], {}),
        (["--dry-run", "--by", "nix"], {}),
        (["--dry-run", "--by", "ann"], {}),
        (["--dry-run", "--by", "eve"], {}),
    ],
)
def test_wrong_use_is_said(two, ann, later, arguments, versions):
    publish(ann, step("chi"), now=later())
    before = flows.rows()
    assert migrate(*arguments, **versions)[0] == 2
    assert flows.rows() == before
