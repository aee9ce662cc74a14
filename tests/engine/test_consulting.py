"""Rules are asked before a step goes on: as people, in conditions, and as new values."""

from __future__ import annotations

from typing import Any

import pytest

from tests.engine.builders import a_field, approve, by, choice, define, drive, step, users
from tests.engine.flows import flow
from workflow.engine.commands import Answered, FinishWork, Migrate, Pause, Retry
from workflow.engine.consulting import inputs_of
from workflow.engine.events import (
    BranchTaken,
    Dropped,
    GotoDecided,
    RuleAnswer,
    RulesAnswered,
    RulesAsked,
    StepEnded,
    StepEntered,
    WorkAsked,
)
from workflow.engine.parsing import decode
from workflow.engine.rejections import Invalid, NotOpen
from workflow.engine.validation import validate

FORM = [a_field("amount", "amount"), a_field("note", "text")]
CLERKS = by("rule", key="shop/clerks", version="latest_at_entry")
DEAR = {"rule": "shop/is_dear", "is": True}


@pytest.fixture
def shop(org):
    org.rules = {"shop/clerks": 3, "shop/is_dear": 1, "shop/size": 2}
    return org


def answer(request, code="", **values: Any):
    """All rules of the step that asks have answered; `shop__clerks` means shop/clerks."""
    (asking,) = [each for each in request.state.activations if each.is_asking]
    said = {
        (each.rule, each.pinned): values[each.rule.replace("/", "__")]
        for each in asking.asks
        if not code
    }
    return request.give(Answered(asking.number, not code, rules=said, code=code))


def lead(**members: Any) -> dict[str, Any]:
    return approve("lead", CLERKS, **members)


# People.


def test_a_step_waits_for_its_rule_and_then_asks_whom_it_named(shop):
    request = drive(shop, lead(mode="all"), approve("last", users("kim")), form=FORM)
    request.start(amount="5.00")
    assert request.at() == "lead"
    assert request.seats() == {}
    (work,) = request.state.work
    assert (work.kind, work.activation) == ("rule", 1)
    (asked,) = request.of(RulesAsked)
    assert [(each.rule, each.pinned, each.version) for each in asked.asks] == [
        ("shop/clerks", 0, 3)
    ]
    answer(request, shop__clerks=["bao", "ghost", "dan"])
    assert request.seats() == {"bao": "open", "dan": "open"}
    assert request.state.work == ()
    assert request.of(RulesAnswered)[0].answers == (
        RuleAnswer(rule="shop/clerks", version=3, value=["bao", "ghost", "dan"]),
    )
    first, second = request.of(StepEntered)
    assert (first.activation, first.round) == (second.activation, second.round)
    assert [(each.by, each.of) for each in second.chosen] == [("rule", "shop/clerks")] * 2
    assert second.dropped == (Dropped(user=0, why="unknown", login="ghost"),)
    request.approve("bao")
    request.approve("dan")
    assert request.at() == "last"


def test_whoever_is_disabled_is_left_out_and_nobody_is_nobody(shop):
    shop.disable("bao")
    managers = users("kim")
    request = drive(shop, lead(on_empty={"do": "managers"}), managers=managers)
    request.start()
    answer(request, shop__clerks=["bao"])
    assert request.seats() == {"kim": "open"}
    entered = request.of(StepEntered)[-1]
    assert entered.when_empty == "managers"
    assert [(each.user, each.why) for each in entered.dropped] == [(shop.id("bao"), "disabled")]


def test_the_people_for_nobody_may_come_from_a_rule_too(shop):
    empty = {"do": "people", "who": CLERKS, "then": {"do": "reject"}}
    request = drive(shop, approve("lead", users("ghost"), on_empty=empty))
    request.start()
    answer(request, shop__clerks=["dan"])
    assert request.seats() == {"dan": "open"}


def test_a_copy_goes_to_whom_the_rule_names(shop):
    request = drive(shop, step("cc", "copy", who=CLERKS), approve("last", users("kim")))
    request.start()
    request.refused(FinishWork(1), NotOpen, "work.not_open")
    answer(request, shop__clerks=["chi", "ghost"])
    assert [shop.login(each.holder) for each in request.events if hasattr(each, "why")] == ["chi"]
    assert request.of(StepEntered)[1].dropped[0].login == "ghost"
    assert request.at() == "last"


# Conditions.


def test_a_choice_waits_and_the_explanation_has_what_the_rule_said(shop):
    ways = choice("ways", (DEAR, [approve("boss", users("kim"))]), (None, []))
    request = drive(shop, ways, approve("last", users("bao")), form=FORM)
    request.start(amount="500.00")
    assert request.at() == "ways"
    answer(request, shop__is_dear=True)
    assert request.at() == "boss"
    (taken,) = request.of(BranchTaken)
    (leaf,) = taken.leaves
    assert (leaf.kind, leaf.asked, leaf.seen, leaf.held) == ("rule", "shop/is_dear", "true", True)
    assert [each.activation for each in request.of(StepEnded)] == [1]


def test_each_rule_is_asked_once_and_a_pinned_version_is_another_question(shop):
    is_big = {"rule": "shop/size", "version": 1, "is": "big"}
    ways = choice(
        "ways",
        ({"all": [DEAR, is_big]}, []),
        ({"not": DEAR}, [step("no", "auto", verdict="reject")]),
        ({"rule": "shop/size", "is": "big"}, [approve("boss", users("kim"))]),
        (None, []),
    )
    request = drive(shop, ways)
    request.start()
    (asked,) = request.of(RulesAsked)
    assert [(each.rule, each.version) for each in asked.asks] == [
        ("shop/is_dear", 1),
        ("shop/size", 1),
        ("shop/size", 2),
    ]
    said = {("shop/is_dear", 0): True, ("shop/size", 1): "small", ("shop/size", 0): "big"}
    request.give(Answered(1, ok=True, rules=said))
    assert request.at() == "boss"


def test_an_inclusive_block_opens_when_its_rules_have_answered(shop):
    branches = [
        {"id": "dear", "name": "Dear", "when": DEAR, "steps": [approve("a", users("bao"))]},
        {"id": "rest", "name": "Rest", "otherwise": True, "steps": [approve("b", users("dan"))]},
    ]
    request = drive(shop, step("block", "inclusive", branches=branches, join="all"))
    request.start()
    answer(request, shop__is_dear=False)
    assert [each.step for each in request.state.activations] == ["block", "b"]
    request.approve("dan")
    assert request.state.status == "approved"


@pytest.mark.parametrize("again", [True, False])
def test_a_goto_asks_each_time(shop, again):
    goto = step("back", "goto", to="lead", when=DEAR, max=2)
    request = drive(shop, approve("lead", users("bao")), goto)
    request.start()
    request.approve("bao")
    assert request.at() == "back"
    answer(request, shop__is_dear=again)
    assert [each.taken for each in request.of(GotoDecided)] == [again]
    assert request.state.status == ("running" if again else "approved")
    if again:
        request.approve("bao")
        assert len(request.of(RulesAsked)) == 2
        answer(request, shop__is_dear=True)
        request.approve("bao")
        answer(request, shop__is_dear=True)
        assert request.state.held == "goto.limit"
        assert request.at() == "back"


# Values.


def test_a_set_step_writes_what_the_rule_said_and_the_next_one_asks_for_itself(shop):
    changes = [{"field": "note", "to": {"rule": "shop/size"}}, {"field": "amount", "to": "7.00"}]
    request = drive(shop, step("set", "set", changes=changes), lead(), form=FORM)
    request.start(amount="5.00")
    answer(request, shop__size="big")
    assert request.state.values == {"note": "big", "amount": "7.00"}
    assert (request.at(), request.activation().is_asking) == ("lead", True)
    answer(request, shop__clerks=["bao"])
    assert request.seats() == {"bao": "open"}


# What does not fit, and what fails.


@pytest.mark.parametrize(
    ("steps", "said", "about"),
    [
        (lead(), "bao", "shop/clerks"),
        (lead(), [7], "shop/clerks"),
        (lead(), None, "shop/clerks"),
        (lead(), {"login": "bao"}, "shop/clerks"),
        (choice("c", (DEAR, [approve("x", users("bao"))]), (None, [])), 1, "shop/is_dear"),
        (choice("c", (DEAR, [approve("x", users("bao"))]), (None, [])), "true", "shop/is_dear"),
        (choice("c", (DEAR, [approve("x", users("bao"))]), (None, [])), None, "shop/is_dear"),
        (step("s", "set", changes=[{"field": "note", "to": {"rule": "shop/size"}}]), 12, "note"),
        (
            step("s", "set", changes=[{"field": "note", "to": {"rule": "shop/size"}}]),
            1.5,
            "shop/size",
        ),
        (
            step("s", "set", changes=[{"field": "note", "to": {"rule": "shop/size"}}]),
            "nul\0",
            "shop/size",
        ),
    ],
)
def test_an_answer_that_does_not_fit_is_never_a_silent_no(shop, steps, said, about):
    request = drive(shop, steps, form=FORM)
    request.start()
    (asking,) = request.state.activations
    names = {(each.rule, each.pinned): said for each in asking.asks}
    request.give(Answered(1, ok=True, rules=names))
    assert request.state.held == "rule.bad_answer"
    assert request.events[-1].about == about
    assert request.of(RulesAnswered) == request.of(BranchTaken) == []
    assert request.state.work == ()


def test_a_rule_that_failed_is_asked_again_in_the_version_of_then(shop):
    request = drive(shop, lead())
    request.start()
    answer(request, code="rule.failed")
    assert (request.state.held, request.at()) == ("rule.failed", "lead")
    request.refused(Answered(1, ok=True), NotOpen, "work.not_open")
    shop.rules["shop/clerks"] = 4
    request.refused(Retry(1, shop.id("kim"), " "), Invalid, "reason.required")
    request.give(Retry(1, shop.id("kim"), "mended"))
    assert request.state.held is None
    assert [each.kind for each in request.of(WorkAsked)] == ["rule", "rule"]
    answer(request, shop__clerks=["bao"])
    assert request.of(RulesAnswered)[0].answers[0].version == 4
    request.refused(Retry(1, shop.id("kim"), "once more"), NotOpen, "step.not_held")


def test_a_manager_may_name_somebody_instead_of_a_rule(shop):
    request = drive(shop, lead())
    request.start()
    answer(request, code="rule.unknown")
    request.name("dan")
    assert (request.state.held, request.seats()) == (None, {"dan": "open"})
    request.refused(Retry(1, shop.id("kim"), "mended"), NotOpen, "step.not_held")
    request.approve("dan")
    assert request.state.status == "approved"


def test_while_paused_the_answer_has_to_be_given_again(shop):
    request = drive(shop, lead())
    request.start()
    request.give(Pause(shop.id("kim"), "stocktaking"))
    said = {("shop/clerks", 0): ["bao"]}
    request.refused(Answered(1, ok=True, rules=said), NotOpen, "instance.paused")


# Again and elsewhere.


def test_a_return_asks_anew(shop):
    last = approve("last", users("kim"), acts={"return_to": "any"})
    request = drive(shop, lead(), last)
    request.start()
    answer(request, shop__clerks=["bao"])
    request.approve("bao")
    request.send_back("kim", "lead", resume="here")
    assert request.at() == "lead"
    answer(request, shop__clerks=["dan"])
    assert request.seats() == {"dan": "open"}
    assert [each.resume for each in request.of(StepEntered)[-2:]] == ["last", "last"]
    request.approve("dan")
    assert request.at() == "last"


def test_a_version_that_asks_another_rule_is_not_answered_by_the_old_one(shop):
    request = drive(shop, choice("c", (DEAR, [approve("x", users("bao"))]), (None, [])))
    request.start()
    other = {"rule": "shop/size", "is": "big"}
    new = define(choice("c", (other, [approve("x", users("bao"))]), (None, [])))
    move = Migrate(definition=new, old=1, new=2, old_number=1, new_number=2)
    request.give(move)
    request.definition = new
    request.give(Answered(1, ok=True, rules={("shop/is_dear", 0): True}))
    (asking,) = request.state.activations
    assert [each.rule for each in asking.asks] == ["shop/size"]
    answer(request, shop__size="big")
    assert request.at() == "x"


def test_a_copy_that_waits_asks_the_rules_of_the_version_it_was_moved_to(shop):
    last = approve("last", users("kim"))
    request = drive(shop, step("cc", "copy", who=users("bao")), last)
    request.start()
    new = define(step("cc", "copy", who=CLERKS), last)
    request.give(Migrate(definition=new, old=1, new=2, old_number=1, new_number=2))
    request.definition = new
    request.work()
    assert (request.at(), request.activation().is_asking) == ("cc", True)
    answer(request, shop__clerks=["dan"])
    assert request.at() == "last"


def test_side_by_side_each_step_asks_for_itself(shop):
    branches = [
        {"id": "one", "name": "One", "steps": [lead()]},
        {"id": "two", "name": "Two", "steps": [approve("other", CLERKS)]},
    ]
    request = drive(shop, step("both", "parallel", branches=branches, join="all"))
    request.start()
    assert [each.step for each in request.state.activations] == ["both", "lead", "other"]
    request.give(Answered(2, ok=True, rules={("shop/clerks", 0): ["bao"]}))
    request.give(Answered(3, ok=True, rules={("shop/clerks", 0): ["dan"]}))
    request.approve("bao")
    request.approve("dan")
    assert request.state.status == "approved"


def test_what_a_rule_is_asked_with(shop):
    table = a_field("items", "table", columns=[a_field("what", "text")])
    request = drive(shop, lead(), form=[*FORM, table, a_field("crew", "user")])
    request.start(amount="5.00", items=[{"what": "ink"}])
    assert inputs_of(request.state, shop) == {
        "form": {"amount": "5.00", "items": [{"what": "ink"}]},
        "initiator": {"login": "ann", "department": "engineering"},
    }


# Publishing.

RULE = {"by": "rule", "key": "shop/clerks", "version": 1}
WHO = {"any_of": [RULE]}


@pytest.mark.parametrize(
    ("members", "code", "at"),
    [
        ({"start": {"who": WHO}}, "rule.not_here", "/start/who/any_of/0"),
        ({"managers": WHO}, "rule.not_here", "/managers/any_of/0"),
        (
            {"who": {"any_of": [{"by": "initiator"}], "without": [RULE]}},
            "rule.not_here",
            "/steps/0/who/without/0",
        ),
        (
            {"who": {"any_of": [{"by": "picked_at_start", "from": WHO}]}},
            "rule.not_here",
            "/steps/0/who/any_of/0/from/any_of/0",
        ),
        (
            {"deadline": {"after": 60, "then": {"reassign": WHO}}},
            "rule.not_here",
            "/steps/0/deadline/then/reassign/any_of/0",
        ),
    ],
)
def test_a_rule_is_only_where_something_can_wait_for_it(members, code, at):
    at_top = {name: members[name] for name in members.keys() & {"start", "managers"}}
    own = {name: members[name] for name in members.keys() - at_top.keys()}
    lead_step = approve("lead", own.pop("who", users("bao")), **own)
    decoded = decode(flow(lead_step, **at_top))
    assert decoded.doc is not None, decoded.findings
    assert (code, at) in [(each.code, each.at) for each in validate(decoded.doc, None)]


def test_one_answer_is_not_compared_with_two_kinds():
    two = {"any": [{"rule": "shop/size", "is": "big"}, {"rule": "shop/size", "is": 7}]}
    decoded = decode(flow(choice("c", (two, [approve("x", users("bao"))]), (None, []))))
    assert decoded.doc is not None, decoded.findings
    found = [(each.code, each.at) for each in validate(decoded.doc, None)]
    assert ("rule.type", "/steps/0/branches/0/when/any/1/rule") in found
