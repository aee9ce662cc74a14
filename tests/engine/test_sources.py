"""The fifteen sources, and people who are picked."""

from __future__ import annotations

import pytest

from tests.engine.builders import a_field, approve, by, choice, drive, step, users
from workflow.engine.commands import Approve
from workflow.engine.events import CopySent, Picked, StepEntered
from workflow.engine.picking import picks_asked
from workflow.engine.plan import START
from workflow.engine.rejections import Invalid
from workflow.engine.state import InstanceState

FORM = [
    a_field("boss", "user"),
    a_field("team", "user", limits={"max_count": 5}),
    a_field("unit", "department"),
]


def organised(org):
    org.groups = {"board": ["kim", "dan"]}
    org.posts = {"cashier": ["chi", "pia"]}
    org.superiors = {"ann": "bao", "bao": "kim", "dan": "kim"}
    return org


def found(org, who, **values):
    request = drive(organised(org), approve("lead", who, on_empty={"do": "approve"}), form=FORM)
    request.start(**values)
    (entered,) = request.of(StepEntered)
    return [(org.login(each.user), each.of) for each in entered.chosen]


@pytest.mark.parametrize(
    ("source", "people"),
    [
        ({"by": "user", "ids": ["dan", "bao"]}, [("dan", "dan"), ("bao", "bao")]),
        ({"by": "role", "ids": ["hr"]}, [("chi", "hr"), ("pia", "hr")]),
        ({"by": "role", "ids": ["hr"], "within": "same_branch"}, []),
        ({"by": "group", "ids": ["board"]}, [("kim", "board"), ("dan", "board")]),
        ({"by": "post", "ids": ["cashier"]}, [("chi", "cashier"), ("pia", "cashier")]),
        ({"by": "post", "ids": ["cashier"], "within": "initiator_department"}, []),
        ({"by": "department", "ids": ["finance"]}, [("chi", "finance"), ("dan", "finance")]),
        ({"by": "head"}, [("bao", "engineering")]),
        ({"by": "head", "level": 1}, [("kim", "office")]),
        ({"by": "head", "of": {"department": "platform"}}, [("bao", "engineering")]),
        ({"by": "head", "of": {"department": "platform"}, "missing": "none"}, []),
        ({"by": "head", "of": {"field": "unit"}}, [("dan", "finance")]),
        ({"by": "head", "of": {"field": "boss"}}, [("dan", "finance")]),
        (
            {"by": "head_chain", "until": {"top": True}},
            [("bao", "engineering"), ("kim", "office")],
        ),
        ({"by": "head_chain", "until": {"level": 0}}, [("bao", "engineering")]),
        (
            {"by": "head_chain", "of": {"department": "platform"}, "until": {"role": "auditors"}},
            [("bao", "engineering"), ("kim", "office")],
        ),
        ({"by": "manager"}, [("bao", "1")]),
        ({"by": "manager", "level": 2}, [("kim", "2")]),
        ({"by": "manager", "level": 3}, []),
        ({"by": "manager", "of": {"field": "boss"}}, []),
        ({"by": "manager", "of": {"department": "finance"}}, [("kim", "1")]),
        ({"by": "initiator"}, [("ann", "")]),
        ({"by": "form_users", "field": "team"}, [("tom", "team"), ("bao", "team")]),
        ({"by": "form_users", "field": "boss"}, [("chi", "boss")]),
        ({"by": "form_department_head", "field": "unit"}, [("dan", "finance")]),
        ({"by": "form_department_head", "field": "unit", "level": 1}, [("kim", "office")]),
    ],
)
def test_what_a_source_gives_and_by_what(org, source, people):
    who = {"any_of": [source]}
    assert found(org, who, boss="chi", team=["tom", "bao"], unit="finance") == people


@pytest.mark.parametrize(
    "source",
    [
        {"by": "form_users", "field": "boss"},
        {"by": "form_department_head", "field": "unit"},
        {"by": "head", "of": {"field": "unit"}},
        {"by": "head", "of": {"field": "boss"}},
        {"by": "manager", "of": {"field": "boss"}},
    ],
)
def test_an_empty_field_gives_nobody(org, source):
    assert found(org, {"any_of": [source]}) == []


def test_a_chain_ends_with_the_one_who_has_the_role(org):
    org.roles["auditors"] = ["bao"]
    source = {"by": "head_chain", "until": {"role": "auditors"}}
    assert [login for login, _ in found(org, {"any_of": [source]})] == ["bao"]


def test_those_who_really_decided(org):
    request = drive(
        org,
        approve("first", users("bao", "chi", "dan"), "any"),
        approve("second", by("deciders_of", step="first")),
        approve("third", by("head", of={"decider_of": "first"})),
    )
    request.start()
    request.approve("chi")
    assert list(request.seats()) == ["chi"]
    request.approve("chi")
    assert list(request.seats()) == ["dan"]


# Picked people.

PICKED = by("picked_at_start", **{"from": users("bao", "dan", "kim"), "min": 1, "max": 2})


def picking(org, *steps, **members):
    return drive(org, *(steps or (approve("lead", PICKED, "all"),)), **members)


def test_people_picked_when_filing_get_the_step(org):
    request = picking(org)
    request.start(picked={"lead": ["dan", "bao"]})
    assert list(request.seats()) == ["dan", "bao"]
    assert request.of(Picked) == [Picked(step="lead", people=(org.id("dan"), org.id("bao")))]


@pytest.mark.parametrize(
    ("picked", "code"),
    [
        ({}, "picked.missing"),
        ({"lead": []}, "picked.missing"),
        ({"lead": ["bao", "dan", "kim"]}, "picked.too_many"),
        ({"lead": ["chi"]}, "picked.not_allowed"),
        ({"lead": ["bao", "ghost"]}, "picked.unknown"),
        ({"lead": ["tom"]}, "picked.unknown"),
        ({"lead": ["bao"], "other": ["bao"]}, "picked.not_asked"),
    ],
)
def test_what_may_not_be_picked(org, picked, code):
    org.disable("tom")
    request = picking(org)
    refusal = request.refused(request.starting(picked=picked), Invalid, "picked.invalid")
    name = "other" if "other" in picked else "lead"
    assert [(each.code, each.at) for each in refusal.findings] == [(code, f"/picked/{name}")]


def test_too_few_and_every_problem_at_once(org):
    two = by("picked_at_start", min=2, max=3)
    request = picking(org, approve("lead", two), approve("top", PICKED))
    command = request.starting(picked={"lead": ["bao"], "top": ["chi"]})
    refusal = request.refused(command, Invalid, "picked.invalid")
    assert [(each.code, each.at) for each in refusal.findings] == [
        ("picked.too_few", "/picked/lead"),
        ("picked.not_allowed", "/picked/top"),
    ]
    # The same person twice is one person.
    twice = request.starting(picked={"lead": ["bao", "bao"], "top": ["bao"]})
    refusal = request.refused(twice, Invalid, "picked.invalid")
    assert [each.code for each in refusal.findings] == ["picked.too_few"]


def test_in_a_branch_that_may_not_be_taken_nobody_has_to_be_picked(org):
    much = {"field": "amount", "op": "gt", "value": "100"}
    steps = (choice("size", (much, [approve("lead", PICKED)]), (None, [])),)
    request = drive(org, *steps, form=[a_field("amount", "amount")])
    refusal = request.refused(request.starting(amount="500"), Invalid, "picked.invalid")
    assert [(each.code, each.at) for each in refusal.findings] == [
        ("picked.missing", "/picked/lead")
    ]
    request.start(amount="50")
    assert request.state.status is InstanceState.APPROVED
    (pick,) = picks_asked(request.definition.plan, START)
    assert (pick.step, pick.least, pick.most, pick.needed) == ("lead", 1, 2, False)


def test_an_approver_picks_for_a_later_step(org):
    """People picked by hand stay after a return (approvals.md 2.4)."""
    later = by("picked_by", **{"step": "first", "from": users("dan", "kim")})
    request = drive(
        org,
        approve("first", users("bao")),
        approve("second", later, acts={"return_to": "any"}),
    )
    request.start()
    refusal = request.refused(request.approving("bao"), Invalid, "picked.invalid")
    assert [(each.code, each.at) for each in refusal.findings] == [
        ("picked.missing", "/picked/second")
    ]
    ids = request.ids({"second": ["dan"]})
    request.give(request.act(Approve, "bao", picked=ids))
    assert list(request.seats()) == ["dan"]
    request.send_back("dan", "first")
    request.approve("bao")
    assert list(request.seats()) == ["dan"]
    assert len(request.of(Picked)) == 1


def test_readers_of_a_copy_may_be_picked_too(org):
    request = picking(org, step("cc", "copy", who=users("chi"), also_initiator_picks=True))
    (pick,) = picks_asked(request.definition.plan, START)
    assert (pick.step, pick.least, pick.needed) == ("cc", 0, False)
    request.start(picked={"cc": ["dan", "chi"]})
    request.work()
    assert [org.login(each.holder) for each in request.of(CopySent)] == ["chi", "dan"]
