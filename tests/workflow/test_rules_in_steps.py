"""Rules as people, in conditions and in changes: asked by a worker, told with what they said."""

from __future__ import annotations

import json
from contextlib import suppress
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from flowadmin.rest.problems import Problem
from rules import asking
from tests.workflow import flows
from tests.workflow.stories import lines, told
from workflow import queries
from workflow.actions import administration
from workflow.engine.commands import Retry
from workflow.jobs import ask_outside
from workflow.models import Event, Instance, Job, Step
from workflow.reading import explained, reading_of
from workflow.runtime import replay
from workflow.runtime.execute import execute

CLERKS = {"any_of": [{"by": "rule", "key": "shop/clerks", "version": "latest_at_entry"}]}
CHOICE: dict[str, Any] = {
    "id": "size",
    "kind": "choice",
    "name": "Size",
    "branches": [
        {
            "id": "dear",
            "name": "Dear",
            "when": {"rule": "shop/is_dear", "version": 1, "is": True},
            "steps": [flows.approve_step("finance", "dan")],
        },
        {"id": "rest", "name": "Rest", "otherwise": True, "steps": []},
    ],
}
SET = {
    "id": "note",
    "kind": "set",
    "name": "Note",
    "changes": [{"field": "secret", "to": {"rule": "shop/note"}}],
}


@pytest.fixture
def shop():
    """`shop(clerks=…, is_dear=…)` stands for the rules of the shop until the test ends."""

    def register(**functions):
        for name, function in functions.items():
            asking.register("shop", name, function)

    register(
        clerks=lambda inputs: {"value": ["bao", "ghost"]},
        is_dear=lambda inputs: {"value": inputs["form"]["amount"] == "12000.00"},
        note=lambda inputs: {"value": f"{inputs['initiator']['login']} asks"},
    )
    yield register
    for name in ("clerks", "is_dear", "note"):
        asking.unregister("shop", name)


@pytest.fixture
def waiting(shop, ann, now):
    lead = flows.approve_step("lead", who=CLERKS)
    flows.publish(ann, flows.a_document(SET, lead, CHOICE), now=now)
    return flows.start(ann, now=now)


def values(instance):
    instance.refresh_from_db()
    return instance.snapshot.get("values", {})


def test_each_step_waits_for_its_rules_and_goes_on_with_what_they_said(waiting, bao, admin, later):
    assert values(waiting).get("secret") is None
    assert ask_outside() == 1
    assert values(waiting)["secret"] == "ann asks"
    assert Job.objects.filter(state="pending").get().kind == "rule"
    assert not waiting.tasks.exists()
    assert ask_outside() == 1
    assert [task.holder.login for task in waiting.tasks.filter(state="open")] == ["bao"]
    assert Step.objects.filter(instance=waiting, step="lead").count() == 1
    flows.approve(bao, now=later())
    assert ask_outside() == 1
    assert [task.holder.login for task in waiting.tasks.filter(state="open")] == ["dan"]
    assert Job.objects.filter(state="pending").count() == 0
    assert replay.differences(waiting.pk) == []

    lead = next(
        each for each in explained(reading_of(admin, waiting)).steps if each.step == "lead"
    )
    said = lead.rules[0]
    assert (said.code, said.args) == (
        "rule.answered",
        {"rule": "shop/clerks", "version": 1, "value": ["bao", "ghost"]},
    )
    assert said.message == "The rule shop/clerks, version 1, answered: bao, ghost"
    assert lead.people[0].message.endswith(": named by the rule shop/clerks")
    assert [each.message for each in lead.left_out] == [
        "ghost was left out: there is nobody with this login name"
    ]
    finance = explained(reading_of(admin, waiting)).steps[-1]
    (condition,) = finance.conditions
    (question,) = condition.questions
    assert question.message == "The rule shop/is_dear answers yes: true"
    assert question.args["seen"] == "true"
    texts = [text for _state, text in lines(told(waiting))]
    assert "“Lead” asks its rules" in texts
    assert "“Size”: its rules have answered" in texts
    assert not any("passed over" in text for text in texts)


def test_whoever_does_not_see_the_whole_form_is_not_told_what_a_rule_said(waiting, ann, later):
    secret = "the budget is gone"
    asking.register("shop", "note", lambda _inputs: {"value": secret})
    ask_outside()
    hidden = told(waiting, shows=lambda field: field != "secret")
    assert secret not in json.dumps([[each.text, *each.why] for each in hidden])
    assert secret in json.dumps([[each.text, *each.why] for each in told(waiting)])


def test_rules_are_asked_outside_of_the_decisions_transaction(waiting, shop):
    seen = []
    depth = len(connection.savepoint_ids)

    def asked(inputs):
        seen.append((len(connection.savepoint_ids), inputs))
        return {"value": "x"}

    shop(note=asked)
    ask_outside()
    assert seen == [
        (
            depth,
            {
                "form": {"amount": "12000.00"},
                "initiator": {"login": "ann", "department": "engineering"},
            },
        )
    ]


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (lambda _inputs: {"value": 7}, "rule.bad_answer"),
        (lambda _inputs: {"other": "x"}, "rule.bad_answer"),
        (lambda _inputs: 1 / 0, "rule.failed"),
        (None, "rule.unknown"),
    ],
)
def test_what_cannot_be_used_is_held_and_asked_again(waiting, shop, admin, now, said, code):
    if said is None:
        asking.unregister("shop", "note")
    else:
        shop(note=said)
    assert ask_outside() == 1
    waiting.refresh_from_db()
    assert waiting.held == code
    assert not Event.objects.filter(kind__in=["rules_answered", "form_changed"]).exists()
    assert ask_outside() == 0
    shop(note=lambda _inputs: {"value": "fine"})
    execute(
        tenant_id=waiting.tenant_id,
        instance_id=waiting.pk,
        command=Retry(1, admin.pk, "mended"),
        actor_id=admin.pk,
        now=now,
    )
    assert ask_outside() == 1
    assert values(waiting)["secret"] == "fine"
    assert replay.differences(waiting.pk) == []


def test_an_answer_after_the_end_changes_nothing(waiting, shop, admin, now):
    def ended_meanwhile(_inputs):
        administration.terminate(instance=waiting, user=admin, reason="moot", now=now)
        return {"value": "late"}

    shop(note=ended_meanwhile)
    assert ask_outside() == 0
    waiting.refresh_from_db()
    assert (waiting.state, values(waiting).get("secret")) == ("terminated", None)
    assert Job.objects.get().state == "cancelled"
    assert replay.differences(waiting.pk) == []


def test_publishing_asks_for_every_rule_with_its_place(shop, ann, now):
    gone = {"any_of": [{"by": "rule", "key": "shop/clerks", "version": 9}]}
    empty = {"do": "people", "who": {"any_of": [{"by": "rule", "key": "no/such", "version": 1}]}}
    document = flows.a_document(
        flows.approve_step("lead", who=gone, on_empty=empty),
        {**SET, "changes": [{"field": "secret", "to": {"rule": "no/note"}}]},
        {**CHOICE, "branches": [
            {**CHOICE["branches"][0], "when": {"not": {"rule": "no/such", "is": "big"}}},
            CHOICE["branches"][1],
        ]},
    )  # fmt: skip
    with pytest.raises(Problem) as refused:
        flows.publish(ann, document, now=now)
    found = [(each["code"], each["at"]) for each in refused.value.errors or ()]
    assert [each for each in found if each[0].startswith("rule.")] == [
        ("rule.version_gone", "/document/steps/0/who/any_of/0/version"),
        ("rule.unknown", "/document/steps/0/on_empty/who/any_of/0/key"),
        ("rule.unknown", "/document/steps/1/changes/0/to/rule"),
        ("rule.unknown", "/document/steps/2/branches/0/when/not/rule"),
    ]
    assert not Instance.objects.exists()


def test_what_if_takes_what_the_rules_said_then(waiting, shop, bao, dan, later, tmp_path):
    ask_outside()
    ask_outside()
    flows.approve(bao, now=later())
    ask_outside()
    flows.approve(dan, now=later())
    assert queries.state_of(Instance.objects.get()).status == "approved"
    shop(is_dear=lambda _inputs: {"value": False})
    lead = flows.approve_step("lead", who=CLERKS)
    other = {**CHOICE, "branches": [
        {**CHOICE["branches"][0], "when": {"rule": "shop/other", "is": True}},
        CHOICE["branches"][1],
    ]}  # fmt: skip
    asking.register("shop", "other", lambda _inputs: {"value": True})
    counts = []
    for steps in ((SET, lead, CHOICE), (SET, lead, other)):
        file = tmp_path / "candidate.json"
        file.write_text(json.dumps({"document": flows.a_document(*steps), "form": flows.FORM}))
        out = StringIO()
        arguments = ("--document", str(file), "--tenant", "demo", "--json")
        with suppress(CommandError):  # what cannot be decided is told, and then is the exit code
            call_command("flow_whatif", "expense", *arguments, stdout=out)
        counts.append(json.loads(out.getvalue())["counts"])
    asking.unregister("shop", "other")
    assert (counts[0]["same"], counts[1]["cannot_decide"]) == (1, 1)
