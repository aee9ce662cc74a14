"""Why a request went the way it went: conditions, people, rules and votes, step by step."""

from __future__ import annotations

import pytest

from tests.builders import a_role
from tests.workflow import flows
from tests.workflow.stories import act, work
from workflow.actions import administration
from workflow.engine import commands
from workflow.models import Instance
from workflow.reading import explained, reading_of

NOBODY = {"any_of": [{"by": "role", "ids": ["empty"]}]}


@pytest.fixture(autouse=True)
def _a_role_of_nobody(ann):
    a_role(ann.tenant, "empty")


def explain(instance, user):
    return explained(reading_of(user, Instance.objects.get(pk=instance.pk)))


def a_request(ann, later, *steps, **members):
    flows.publish(ann, flows.a_document(*steps, **members), now=later())
    return flows.start(ann, now=later())


def because(told):
    return [(each.step, each.round, each.because) for each in told.steps]


def test_which_condition_with_which_value_led_to_a_step(ann, bao, dan, admin, later):
    flows.publish(ann, flows.big_and_small(), now=later())
    instance = flows.start(ann, now=later())
    flows.approve(bao, now=later())
    told = explain(instance, admin)
    assert because(told) == [("lead", 1, "filed"), ("finance", 1, "forward")]
    assert told.steps[0].conditions == ()
    (condition,) = told.steps[1].conditions
    assert (condition.code, condition.step, condition.branch_name) == (
        "branch_taken", "size", "Big",
    )  # fmt: skip
    (question,) = condition.questions
    assert question.args == {
        "asked": "amount",
        "op": "gt",
        "expected": "10000",
        "seen": "12000.00",
        "held": True,
        "no_value": False,
    }
    assert question.message == "Amount > 10,000.00: true (the value was 12,000.00)"
    assert told.steps[1].because_text == "“Lead” came before it"
    assert told.ended is None


def test_a_way_without_a_step_explains_the_end(ann, bao, admin, later):
    flows.publish(ann, flows.big_and_small(), now=later())
    instance = flows.start(ann, now=later(), amount="5")
    flows.approve(bao, now=later())
    told = explain(instance, admin)
    assert [each.step for each in told.steps] == ["lead"]
    assert told.ended.state == "approved"
    assert [each.branch for each in told.ended.conditions] == ["small"]
    lead = told.steps[0].ended
    assert (lead.state, lead.reason, lead.seat) == ("passed", "human", 1)
    assert lead.message == "Passed: Decided by a person"


def test_why_each_person_and_who_was_dropped(ann, bao, chi, dan, admin, later):
    who = {
        "any_of": [{"by": "user", "ids": ["ann", "bao", "chi", "dan"]}],
        "without": [{"by": "user", "ids": ["chi"]}],
        "cap": 2,
    }
    step = flows.approve_step("lead", who=who, on_self="forbid", decide={"mode": "all"})
    instance = a_request(ann, later, step)
    (lead,) = explain(instance, admin).steps
    assert [(each.code, each.person, each.state) for each in lead.people] == [
        ("user", bao.pk, "open"),
    ]  # fmt: skip
    assert lead.people[0].args == {"of": "bao"}
    assert {(each.code, each.person) for each in lead.left_out} == {
        ("excluded", chi.pk),
        ("beyond_cap", dan.pk),
        ("is_initiator", ann.pk),
    }
    assert [each.code for each in lead.rules] == ["self.forbid"]


def test_how_the_votes_stood_when_it_was_decided(ann, bao, chi, dan, admin, later):
    step = flows.approve_step(
        "lead", "bao", "chi", "dan", decide={"mode": "vote", "need": {"num": 2, "den": 3}}
    )
    instance = a_request(ann, later, step)
    flows.approve(bao, now=later())
    assert explain(instance, admin).steps[0].votes == (1, 0, 2, 2)
    flows.approve(chi, now=later())
    (lead,) = explain(instance, admin).steps
    # The third was closed by the decision and had not voted.
    assert lead.votes == (2, 0, 1, 2)
    assert [each.state for each in lead.people] == ["approved", "approved", "closed"]


def test_rules_that_decided_without_a_person(ann, bao, admin, later):
    steps = (
        flows.approve_step("none", who=NOBODY, on_empty={"do": "approve"}),
        flows.approve_step("own", "ann", on_self="skip"),
        flows.approve_step("lead", "bao"),
        flows.approve_step("top", "bao"),
    )
    instance = a_request(ann, later, *steps, policy={"dedupe": "keep_first"})
    flows.approve(bao, now=later())
    told = explain(instance, admin)
    rules = {each.step: [rule.code for rule in each.rules] for each in told.steps}
    assert rules == {
        "none": ["empty.approve"],
        "own": ["self.skip"],
        "lead": [],
        "top": ["dedupe.earlier"],
    }
    (top,) = told.steps[3].rules
    lead = told.steps[2].people[0]
    assert (top.person, top.seat) == (bao.pk, lead.seat)
    assert told.steps[0].ended.state == "skipped"
    assert [each.because for each in told.steps] == ["filed", "forward", "forward", "forward"]


def test_returned_resumed_jumped(ann, bao, chi, admin, later):
    acts = {"return_to": "any"}
    steps = flows.approve_step("lead", "bao"), flows.approve_step("top", "chi", acts=acts)
    instance = a_request(ann, later, *steps)
    flows.approve(bao, now=later())
    act(chi, commands.Return, to="lead", resume="here", now=later())
    flows.approve(bao, now=later())
    row = Instance.objects.get(pk=instance.pk)
    administration.jump(instance=row, to="start", user=admin, reason="again", now=later())
    told = explain(instance, admin)
    assert because(told) == [
        ("lead", 1, "filed"),
        ("top", 1, "forward"),
        ("lead", 2, "returned"),
        ("top", 2, "resumed"),
        ("start", 1, "jump"),
    ]
    assert told.steps[-1].name == "Initiator"
    assert told.steps[1].ended.state == "returned"


def test_handed_over_and_added_people(ann, bao, chi, dan, admin, later):
    acts = {"transfer": True, "add_with": True}
    instance = a_request(ann, later, flows.approve_step("lead", "bao", acts=acts))
    act(bao, commands.Transfer, to=chi.pk, now=later())
    act(chi, commands.AddSigners, people=(dan.pk,), place="with", now=later())
    (lead,) = explain(instance, admin).steps
    assert [(each.code, each.person, each.chain) for each in lead.people] == [
        ("user", chi.pk, (bao.pk,)),
        ("added", dan.pk, ()),
    ]
    assert lead.people[1].message == f"{dan.name}: added by {chi.name}"


def test_an_incident_and_a_copy(ann, bao, admin, later):
    copy = {
        "id": "cc",
        "kind": "copy",
        "name": "Inform",
        "who": {"any_of": [{"by": "user", "ids": ["bao"]}]},
    }
    instance = a_request(ann, later, copy, flows.approve_step("top", who=NOBODY))
    work(later)
    inform, top = explain(instance, admin).steps
    assert [(each.code, each.person, each.state) for each in inform.people] == [
        ("user", bao.pk, "done"),
    ]  # fmt: skip
    assert inform.votes is None
    assert [each.code for each in top.incidents] == ["people.nobody"]
    assert [each.code for each in top.rules] == ["empty.hold"]
    assert top.people == []


def test_conditions_stay_in_their_lane(ann, bao, chi, admin, later):
    """A choice that leads to the end of its branch says nothing about the sibling's step."""
    choice = {
        "id": "size",
        "kind": "choice",
        "name": "Size",
        "branches": [
            {
                "id": "big",
                "name": "Big",
                "when": {"field": "amount", "op": "gt", "value": "99999"},
                "steps": [flows.approve_step("more", "chi")],
            },
            {"id": "small", "name": "Small", "otherwise": True, "steps": []},
        ],
    }
    both = {
        "id": "both",
        "kind": "parallel",
        "name": "Both",
        "join": "all",
        "branches": [
            {"id": "a", "name": "A", "steps": [choice]},
            {"id": "b", "name": "B", "steps": [flows.approve_step("lead", "bao")]},
        ],
    }
    instance = a_request(ann, later, both, flows.approve_step("top", "chi"))
    told = explain(instance, admin)
    assert [(each.step, each.within, each.branch) for each in told.steps] == [
        ("both", 0, ""),
        ("lead", 1, "b"),
    ]
    assert told.steps[1].conditions == ()


def test_a_hidden_field_is_only_said_to_be_hidden(ann, bao, dan, later):
    when = {"field": "secret", "op": "eq", "value": "s3cret"}
    steps = (
        flows.approve_step("lead", "bao", fields={"default": "edit", "set": {}}),
        {
            "id": "size",
            "kind": "choice",
            "name": "Size",
            "branches": [
                {
                    "id": "a",
                    "name": "First",
                    "when": when,
                    "steps": [flows.approve_step("x", "dan")],
                },
                {"id": "b", "name": "Other", "otherwise": True, "steps": []},
            ],
        },
    )
    start = {"fields": {"default": "edit", "set": {"secret": "hide"}}}
    flows.publish(ann, flows.a_document(*steps, start=start), now=later())
    instance = flows.start(ann, now=later())
    flows.approve(bao, now=later(), form={"secret": "s3cret"})
    (question,) = explain(instance, ann).steps[1].conditions[0].questions
    assert question.args == {"hidden": True}
    assert question.message == "A condition on a field that you may not see."
    (seen,) = explain(instance, bao).steps[1].conditions[0].questions
    assert seen.args["seen"] == "s3cret"


def test_people_found_by_a_hidden_field_do_not_tell_its_name(ann, chi, dan, later):
    form = {
        "formdoc": 1,
        "fields": [
            {"id": "amount", "type": "amount", "label": "Amount", "required": True},
            {"id": "boss", "type": "user", "label": "Real boss"},
        ],
    }
    hide = {"default": "read", "set": {"boss": "hide"}}
    steps = (
        flows.approve_step("lead", "chi", fields=hide),
        flows.approve_step("top", who={"any_of": [{"by": "form_users", "field": "boss"}]}),
    )
    flows.publish(ann, flows.a_document(*steps), form, now=later())
    instance = flows.start(ann, now=later(), boss="dan")
    flows.approve(chi, now=later())
    (seen,) = explain(instance, ann).steps[1].people
    assert (seen.args, seen.message) == (
        {"of": "boss"},
        f"{dan.name}: named in the field “Real boss”",
    )
    (hidden,) = explain(instance, chi).steps[1].people
    assert hidden.args == {"hidden": True}
    assert "boss" not in hidden.message.lower()
