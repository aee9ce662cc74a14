"""Rule steps: asked outside of any decision, once, in the version of the entry."""

from __future__ import annotations

import pytest
from django.db import connection

from flowadmin.rest.problems import Problem
from rules import asking
from tests.workflow import flows
from workflow.actions import administration
from workflow.engine.commands import Pause, Resume, Retry
from workflow.jobs import ask_outside
from workflow.models import Event, Instance, Job
from workflow.runtime import replay, steps
from workflow.runtime.execute import execute

RULE = {
    "id": "grade",
    "kind": "rule",
    "name": "Grade",
    "rule": {"key": "expenses/grade", "version": "latest_at_entry"},
    "input": {"amount": {"field": "amount"}, "limit": 100},
    "save": {"reason": "grade"},
}


@pytest.fixture
def rule():
    """`rule(function)` stands for expenses/grade until the test ends."""

    def register(function):
        asking.register("expenses", "grade", function)

    register(lambda inputs: {"grade": f"over {inputs['limit']}: {inputs['amount']}"})
    yield register
    asking.unregister("expenses", "grade")


@pytest.fixture
def waiting(rule, ann, now):
    flows.publish(ann, flows.a_document(RULE, flows.approve_step()), now=now)
    return flows.start(ann, now=now)


def act(instance, command, now):
    return execute(
        tenant_id=instance.tenant_id,
        instance_id=instance.pk,
        command=command,
        actor_id=getattr(command, "by", None),
        now=now,
    )


def values(instance):
    instance.refresh_from_db()
    return instance.snapshot.get("values", {})


def test_a_rule_is_asked_by_a_worker_and_its_answer_saved(waiting):
    assert Job.objects.get().kind == "rule"
    assert ask_outside() == 1
    assert values(waiting)["reason"] == "over 100: 12000.00"
    assert Job.objects.get().state == "done"
    assert waiting.tasks.filter(holder__login="bao", state="open").exists()
    assert replay.differences(waiting.pk) == []
    assert ask_outside() == 0


def test_it_is_asked_outside_of_the_decisions_transaction(waiting, rule):
    seen = []
    depth = len(connection.savepoint_ids)

    def asked(_inputs):
        seen.append(len(connection.savepoint_ids))
        return {"grade": "x"}

    rule(asked)
    ask_outside()
    assert seen == [depth]


def test_a_rule_that_fails_is_an_incident_and_can_be_asked_again(waiting, rule, admin, now):
    def broken(_inputs):
        raise ZeroDivisionError

    rule(broken)
    assert ask_outside() == 1
    waiting.refresh_from_db()
    assert waiting.held == "rule.failed"
    assert ask_outside() == 0
    rule(lambda _inputs: {"grade": "fine"})
    act(waiting, Retry(1, admin.pk, "it works again"), now)
    waiting.refresh_from_db()
    assert waiting.held is None
    assert ask_outside() == 1
    assert values(waiting)["reason"] == "fine"
    assert replay.differences(waiting.pk) == []


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({}, "rule.bad_answer"),
        ({"grade": 12}, "rule.bad_answer"),
        ({"grade": 1.5}, "rule.bad_answer"),
        ("grade", "rule.failed"),
    ],
)
def test_an_answer_that_does_not_fit_changes_nothing(waiting, rule, given, code):
    rule(lambda _inputs: given)
    ask_outside()
    assert "reason" not in values(waiting)
    assert waiting.held == code
    assert not Event.objects.filter(kind="form_changed").exists()


def test_a_rule_that_is_gone_is_named(waiting):
    asking.unregister("expenses", "grade")
    ask_outside()
    waiting.refresh_from_db()
    assert waiting.held == "rule.unknown"


def test_while_paused_nothing_is_asked(waiting, rule, admin, now):
    asked = []

    def grade(inputs):
        asked.append(inputs)
        return {"grade": "late"}

    rule(grade)
    act(waiting, Pause(admin.pk, "stocktaking"), now)
    assert ask_outside() == 0
    assert asked == []
    assert Job.objects.get().state == "pending"
    act(waiting, Resume(admin.pk), now)
    assert ask_outside() == 1
    assert values(waiting)["reason"] == "late"


def test_an_answer_after_the_end_changes_nothing(waiting, rule, admin, now):
    def ended_meanwhile(_inputs):
        administration.terminate(instance=waiting, user=admin, reason="moot", now=now)
        return {"grade": "late"}

    rule(ended_meanwhile)
    assert ask_outside() == 0
    assert "reason" not in values(waiting)
    assert waiting.state == "terminated"
    assert Job.objects.get().state == "cancelled"
    assert replay.differences(waiting.pk) == []


def test_two_workers_ask_once(waiting, now):
    moment = Job.objects.get().due_at
    assert steps.claim(Job.objects.get().pk, "one", moment, outside=True) is not None
    assert steps.claim(Job.objects.get().pk, "two", moment, outside=True) is None


def test_publishing_asks_for_the_rule(rule, ann, now):
    asking.unregister("expenses", "grade")
    with pytest.raises(Problem) as refused:
        flows.publish(ann, flows.a_document(RULE, flows.approve_step()), now=now)
    assert [(each["code"], each["at"]) for each in (refused.value.errors or ())[:1]] == [
        ("rule.unknown", "/document/steps/0/rule/key")
    ]
    assert not Instance.objects.exists()
