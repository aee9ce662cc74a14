"""The history as people read it: one line per fact, with who, when and why, and nothing hidden."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from django.utils import translation

from tests.builders import a_role
from tests.workflow import flows
from tests.workflow.stories import lines, told, work
from workflow import access
from workflow.actions import administration, approvals
from workflow.models import Instance
from workflow.recorded import read
from workflow.wording import timeline

NOBODY = {"any_of": [{"by": "role", "ids": ["empty"]}]}
HEAD = {"any_of": [{"by": "head"}]}


@pytest.fixture(autouse=True)
def _a_role_of_nobody(ann):
    a_role(ann.tenant, "empty")


def test_a_life_is_one_line_per_fact(ann, bao, dan, later):
    flows.publish(ann, flows.big_and_small(), now=later())
    instance = flows.start(ann, now=later())
    flows.approve(bao, now=later(), comment="fine")
    assert lines(told(instance)) == [
        ("started", f"{ann.name} filed the request {instance.number}"),
        ("assigned", f"Lead → {bao.name}"),
        ("approved", f"{bao.name} approved “Lead”"),
        ("automatic", "Size: the branch “Big” was taken"),
        ("assigned", f"Finance → {dan.name}"),
    ]
    flows.reject(dan, now=later(), comment="too much")
    entries = told(instance)
    assert lines(entries)[5:] == [
        ("rejected", f"{dan.name} rejected “Finance”"),
        ("finished", "The request was rejected"),
    ]
    assert [entry.actor for entry in entries] == [
        ann.name, ann.name, bao.name, bao.name, bao.name, dan.name, dan.name,
    ]  # fmt: skip
    assert [entry.comment for entry in entries] == ["", "", "fine", "", "", "too much", ""]
    assert [entry.at for entry in entries] == sorted(entry.at for entry in entries)
    assert entries[3].why == ("Amount > 10,000.00: true (the value was 12,000.00)",)
    assert entries[4].why == (f"{dan.name}: named in the process",)
    assert entries[2].kind == "task_approved"


def test_the_open_step_is_marked_and_an_ended_one_is_not(ann, bao, later):
    flows.publish(ann, flows.big_and_small(), now=later())
    instance = flows.start(ann, now=later())
    assert [entry.current for entry in told(instance)] == [False, True]
    flows.approve(bao, now=later())
    assert [entry.step for entry in told(instance) if entry.current] == ["Finance"]


def test_only_the_newest_assignment_of_an_open_step_is_marked(ann, bao, chi, dan, admin, later):
    asked = flows.approve_step("lead", "bao"), flows.approve_step("top", who=NOBODY)
    flows.publish(ann, flows.a_document(*asked), now=later())
    instance = flows.start(ann, now=later())

    def marked():
        return [entry.text for entry in told(instance) if entry.current]

    for holder, to in ((bao, chi), (chi, dan)):
        task = flows.open_task(holder)
        administration.reassign(task=task, to=to, user=admin, reason="away", now=later())
        assert marked() == [f"{admin.name} gave the task “Lead” of {holder.name} to {to.name}"]
    flows.approve(dan, now=later())
    assert marked() == ["“Top” is held: nobody was found, a manager has to name somebody"]
    administration.assign_held(
        instance=Instance.objects.get(pk=instance.pk),
        activation=2,
        to=chi,
        user=admin,
        reason="he knows",
        now=later(),
    )
    assert marked() == [f"{admin.name} gave “Top” to {chi.name}"]
    flows.approve(chi, now=later())
    assert marked() == []


def test_why_these_people_with_names_instead_of_codes(ann, bao, later):
    document = flows.a_document(flows.approve_step("lead", who=HEAD))
    flows.publish(ann, document, now=later())
    instance = flows.start(ann, now=later())
    code = ann.department.code
    assert told(instance)[1].why == (f"{bao.name}: head of {code}",)
    assert timeline.mentioned(read(instance.pk)).codes("department") == {code}
    named = told(instance, titles={("department", code): "Engineering & more"})
    assert named[1].why == (f"{bao.name}: head of Engineering & more",)


def test_who_was_left_out_and_why(ann, bao, chi, dan, later):
    who = {
        "any_of": [{"by": "user", "ids": ["ann", "bao", "chi", "dan"]}],
        "without": [{"by": "user", "ids": ["chi"]}],
        "cap": 2,
    }
    step = flows.approve_step("lead", who=who, on_self="forbid", decide={"mode": "all"})
    flows.publish(ann, flows.a_document(step), now=later())
    instance = flows.start(ann, now=later())
    assert told(instance)[1].why == (
        f"{bao.name}: named in the process",
        f"{chi.name} was left out: the process excludes this person",
        f"{dan.name} was left out: the step takes no more people",
        f"{ann.name} was left out: this person filed the request",
    )


@pytest.mark.parametrize(
    ("mode", "words"),
    [("any", "(any one of 3)"), ("all", "(all of 3)"), ("in_order", "(3, one by one)")],
)
def test_how_several_people_decide(ann, bao, chi, dan, later, mode, words):
    step = flows.approve_step("lead", "bao", "chi", "dan", decide={"mode": mode})
    flows.publish(ann, flows.a_document(step), now=later())
    instance = flows.start(ann, now=later())
    people = ", ".join([bao.name, chi.name, dan.name])
    assert told(instance)[1].text == f"Lead → {people} {words}"
    flows.approve(bao, now=later())
    expected = {
        "any": (f"No longer needed: {chi.name}, {dan.name}",),
        "all": (),
        "in_order": (f"Next in turn: {chi.name}",),
    }
    assert told(instance)[2].why == expected[mode]


def test_a_managers_acts(ann, bao, chi, dan, admin, later):
    asked = flows.approve_step("lead", "bao"), flows.approve_step("top", who=NOBODY)
    flows.publish(ann, flows.a_document(*asked), now=later())
    instance = flows.start(ann, now=later())
    task = flows.open_task(bao)
    administration.reassign(task=task, to=chi, user=admin, reason="on leave", now=later())
    approvals.comment_on(instance=instance, user=ann, comment="hurry", now=later())
    flows.approve(chi, now=later())
    entries = told(instance)
    assert lines(entries)[2:] == [
        ("reassigned", f"{admin.name} gave the task “Lead” of {bao.name} to {chi.name}"),
        ("comment", f"{ann.name} commented"),
        ("approved", f"{chi.name} approved “Lead”"),
        ("held", "“Top” is held: nobody was found, a manager has to name somebody"),
    ]
    assert [entry.comment for entry in entries[2:]] == ["on leave", "hurry", "", ""]
    assert entries[-1].current
    administration.assign_held(
        instance=Instance.objects.get(pk=instance.pk),
        activation=2,
        to=dan,
        user=admin,
        reason="he knows",
        now=later(),
    )
    named = told(instance)[len(entries) :]
    assert lines(named) == [("assigned", f"{admin.name} gave “Top” to {dan.name}")]
    assert named[0].comment == "he knows"
    instance = access.managed_instance(admin, instance.pk)
    administration.terminate(instance=instance, user=admin, reason="over", now=later())
    last = told(instance)[-1]
    assert (last.state, last.text) == ("finished", f"{admin.name} ended the request")
    assert (last.comment, last.why) == ("over", (f"No longer needed: {dan.name}",))


def test_copies_and_automatic_verdicts(ann, bao, chi, dan, later):
    automatic = (
        {
            "id": "cc",
            "kind": "copy",
            "name": "Inform",
            "who": {"any_of": [{"by": "user", "ids": ["chi", "dan"]}]},
        },
        {"id": "none", "kind": "copy", "name": "Nobody", "who": NOBODY},
        {"id": "yes", "kind": "auto", "name": "Check", "verdict": "approve", "reason": "small"},
        {"id": "no", "kind": "auto", "name": "Stop", "verdict": "reject", "reason": "closed"},
    )
    flows.publish(ann, flows.a_document(*automatic), now=later())
    instance = flows.start(ann, now=later())
    waiting = told(instance)[-1]
    assert (waiting.state, waiting.current) == ("automatic", True)
    assert waiting.text == "“Inform” is about to be carried out automatically"
    for _ in automatic:
        work(later)
    entries = told(instance)
    assert lines(entries)[1:] == [
        ("copied", f"Inform: copied to {chi.name}, {dan.name}"),
        ("automatic", "Nobody: there was nobody to send a copy to"),
        ("automatic", "“Check” approved automatically"),
        ("rejected", "“Stop” rejected automatically"),
        ("finished", "The request was rejected"),
    ]
    assert [entry.comment for entry in entries[3:]] == ["small", "closed", ""]
    assert {entry.actor for entry in entries[1:]} == {None}


@pytest.mark.parametrize(
    ("word", "line"),
    [
        ("approve", ("automatic", "“Lead” was passed over: nobody was found")),
        ("reject", ("rejected", "“Lead” was rejected automatically: nobody was found")),
    ],
)
def test_the_empty_rule_is_told_in_one_line(ann, bao, later, word, line):
    asked = flows.approve_step("lead", who=NOBODY, on_empty={"do": word})
    flows.publish(ann, flows.a_document(asked), now=later())
    instance = flows.start(ann, now=later())
    assert lines(told(instance))[1] == line
    assert len(told(instance)) == 3


def test_other_people_when_nobody_was_found(ann, bao, later):
    empty = {"do": "people", "who": {"any_of": [{"by": "user", "ids": ["bao"]}]}}
    asked = flows.approve_step("lead", who=NOBODY, on_empty=empty)
    flows.publish(ann, flows.a_document(asked), now=later())
    instance = flows.start(ann, now=later())
    assert told(instance)[1].why == (
        f"{bao.name}: named in the process",
        "Nobody was found, so the people named for this case were asked",
    )


def test_a_seat_that_approved_itself(ann, bao, later):
    asked = flows.approve_step("lead", "ann", "bao", on_self="skip")
    flows.publish(ann, flows.a_document(asked), now=later())
    instance = flows.start(ann, now=later())
    entries = told(instance)
    assert entries[2].state == "automatic"
    assert entries[2].text == f"“Lead” approved itself for {ann.name}, who filed the request"
    assert entries[2].why == (f"No longer needed: {bao.name}",)


# What the reader may not see.


def secret_flow(lead_when):
    lead = flows.approve_step("lead", "bao", fields={"default": "edit"})
    return flows.a_document(
        lead,
        {
            "id": "size",
            "kind": "choice",
            "name": "Size",
            "branches": [
                {"id": "a", "name": "First", "when": lead_when, "steps": []},
                {"id": "b", "name": "Other", "otherwise": True, "steps": []},
            ],
        },
    )


def test_changes_of_the_form_are_told_field_by_field(ann, bao, later):
    flows.publish(ann, secret_flow({"field": "amount", "op": "empty"}), now=later())
    instance = flows.start(ann, now=later(), reason="old")
    flows.approve(bao, now=later(), form={"amount": "5", "reason": None, "secret": "s3cret"})
    (changed,) = [entry for entry in told(instance) if entry.state == "changed"]
    assert changed.text == f"{bao.name} changed the form"
    assert changed.why == (
        "Amount: 12,000.00 → 5.00",
        "Reason: old → empty",
        "Internal note: empty → s3cret",
    )


def test_hidden_fields_appear_nowhere(ann, bao, later):
    """approvals.md 2.10: neither the value nor the name nor the answer of a hidden field."""
    when = {
        "all": [
            {"field": "secret", "op": "eq", "value": "s3cret"},
            {"field": "amount", "op": "gt", "value": "10"},
        ]
    }
    flows.publish(ann, secret_flow(when), now=later())
    instance = flows.start(ann, now=later(), secret="first")
    flows.approve(bao, now=later(), form={"secret": "s3cret"})
    entries = told(instance, shows=lambda field: field != "secret")
    everything = json.dumps([asdict(entry) | {"at": ""} for entry in entries])
    for word in ("s3cret", "first", "Internal note", "secret"):
        assert word not in everything
    assert "changed" not in [entry.state for entry in entries]
    (branch,) = [entry for entry in entries if entry.kind == "branch_taken"]
    assert branch.why == (
        "A condition on a field that you may not see.",
        "Amount > 10.00: true (the value was 12,000.00)",
    )
    assert "s3cret" in json.dumps([asdict(entry) | {"at": ""} for entry in told(instance)])


@pytest.mark.parametrize(
    ("when", "why"),
    [
        (
            {"field": "reason", "op": "eq", "value": "x"},
            "Reason = x: false, because there is no value",
        ),
        (
            {"field": "reason", "op": "ne", "value": "x"},
            "Reason ≠ x: true, because there is no value",
        ),
        ({"field": "reason", "op": "empty"}, "Reason is empty: true"),
        (
            {"field": "amount", "op": "between", "value": ["1", "5"]},
            "Amount is between 1.00 and 5.00: false (the value was 12,000.00)",
        ),
        (
            {"initiator": "in_role", "ids": ["empty"]},
            "The person who filed the request has one of the roles empty: false",
        ),
        (
            {"initiator": "is", "ids": ["ann"]},
            "The person who filed the request is ann: true",
        ),
        ({"step": "lead", "outcome": "approved"}, "“Lead” was approved: true"),
    ],
)
def test_every_kind_of_question(ann, bao, later, when, why):
    flows.publish(ann, secret_flow(when), now=later())
    instance = flows.start(ann, now=later())
    flows.approve(bao, now=later())
    (branch,) = [entry for entry in told(instance) if entry.kind == "branch_taken"]
    assert branch.why == (why,)


def test_options_and_truth_values_have_labels_in_the_readers_language(ann, bao, later):
    form = {
        "formdoc": 1,
        "fields": [
            {
                "id": "sort",
                "type": "choice",
                "label": {"en": "Kind of leave", "zh-hans": "假期类型"},
                "options": [
                    {"id": "sick", "label": {"en": "Sick leave", "zh-hans": "病假"}},
                    {"id": "own", "label": "Own"},
                ],
            },
            {"id": "flag", "type": "bool", "label": "Urgent"},
        ],
    }
    when = {
        "any": [
            {"field": "sort", "op": "in", "value": ["own", "sick"]},
            {"field": "flag", "op": "is", "value": True},
        ]
    }
    flows.publish(ann, secret_flow(when), form, now=later())
    from workflow.actions import requests  # noqa: PLC0415 - this form is not the usual one

    settled = requests.start_request(
        user=ann, flow="expense", values={"sort": "sick", "flag": False}, now=later()
    )
    instance = Instance.objects.get(pk=settled.outcome.instance_id)
    flows.approve(bao, now=later(), form={"sort": "own"})
    changed, branch = (
        entry for entry in told(instance) if entry.kind in {"form_changed", "branch_taken"}
    )
    assert changed.why == ("Kind of leave: Sick leave → Own",)
    assert branch.why == (
        "Kind of leave is one of Own, Sick leave: true (the value was Own)",
        "Urgent = yes: false (the value was no)",
    )
    with translation.override("zh-hans"):
        changed, *_ = (entry for entry in told(instance) if entry.kind == "form_changed")
    assert "假期类型" in changed.why[0]
    assert "病假" in changed.why[0]
