"""What random lives have found: each the shortest story that went wrong once."""

from __future__ import annotations

import pytest

from tests.engine.builders import NOW, approve, drive, step, users
from tests.engine.test_decide_any_history import check_history, check_state
from workflow.engine.commands import ChildBegun, ChildOver, ChildRefused, Reassign, TakeBack
from workflow.engine.rejections import NotOpen
from workflow.engine.state import InstanceState

TAKE_BACK = {"take_back": {"on": True}}
ACTS = {"add_before": True, "delegate": True}


@pytest.fixture(autouse=True)
def _flows(org):
    org.flows = {"other": 1}


def subflow(*, wait):
    return step("child", "subflow", flow="other", version="latest_at_entry", wait=wait)


def taking_back(life, seat, login):
    by = life.org.id(login)
    return TakeBack(seat=seat, by=by, comment="oops", history=tuple(life.events), decided_at=NOW)


def sound(life):
    check_state(life.state, life.definition)
    check_history(life.events, life.state)


def test_a_child_that_nobody_waits_for_may_end_before_it_is_reported_to_have_begun(org):
    life = drive(org, subflow(wait=False), approve("lead", users("bao")))
    life.start()
    life.give(ChildOver(1, 77, "O-1", InstanceState.REJECTED, {}))
    assert life.at() == "lead"
    sound(life)


def test_a_child_that_has_begun_cannot_be_refused_afterwards(org):
    life = drive(org, subflow(wait=True), approve("lead", users("bao")))
    life.start()
    life.give(ChildBegun(1, 77, "O-1"))
    life.refused(ChildRefused(1, "form.invalid"), NotOpen, "work.not_open")
    sound(life)


def branches(*ways, join):
    return step(
        "both",
        "parallel",
        join=join,
        branches=[
            {"id": f"b{number}", "name": f"B{number}", "steps": list(steps)}
            for number, steps in enumerate(ways)
        ],
    )


def test_what_another_branch_has_ended_is_not_opened_again(org):
    """Two people in order, and the block is over by another branch before the second one."""
    life = drive(
        org,
        branches(
            [approve("slow", users("bao", "dan"), "in_order")],
            [approve("quick", users("kim"))],
            join="first",
        ),
        approve("last", users("tom")),
        policy=TAKE_BACK,
    )
    life.start()
    mine = life.seat("bao").number
    life.approve("bao")
    life.approve("kim")
    life.refused(taking_back(life, mine, "bao"), NotOpen, "take_back.joined")
    sound(life)


def test_automatic_steps_of_other_branches_are_not_begun_twice(org):
    call = step("call", "http", method="POST", url="https://example.com/x")
    life = drive(
        org,
        branches([call], [approve("quick", users("kim"))], join="first"),
        approve("last", users("tom")),
        policy=TAKE_BACK,
    )
    life.start()
    mine = life.seat("kim").number
    life.approve("kim")
    life.refused(taking_back(life, mine, "kim"), NotOpen, "take_back.joined")
    sound(life)


def test_whoever_was_given_the_seat_above_does_not_get_a_second_one(org):
    life = drive(org, approve("lead", users("bao"), acts=ACTS), policy=TAKE_BACK)
    life.start()
    above = life.seat("bao").number
    life.add("bao", "before", "dan", "tom")
    mine = life.seat("dan").number
    life.approve("dan")
    life.give(Reassign(above, org.id("dan"), org.id("kim"), "away"))
    life.refused(taking_back(life, mine, "dan"), NotOpen, "take_back.moved")
    sound(life)


def test_a_task_that_waits_for_an_opinion_stays_closed_when_the_one_before_decides_again(org):
    life = drive(org, approve("lead", users("bao"), acts=ACTS), policy=TAKE_BACK)
    life.start()
    life.add("bao", "before", "kim")
    before = life.seat("kim").number
    life.approve("kim")
    life.delegate("bao", "tom")
    life.give(taking_back(life, before, "kim"))
    assert life.seats()["bao"] == "blocked"
    life.approve("kim")
    assert life.seats()["bao"] == "blocked"
    life.hand_back("tom", "fine")
    assert life.seats()["bao"] == "open"
    sound(life)


def test_deadlines_count_on_after_a_decision_was_taken_back(org):
    life = drive(
        org,
        approve("lead", users("bao"), deadline={"after": 60, "then": "approve"}),
        approve("last", users("tom")),
        policy=TAKE_BACK,
    )
    life.start()
    first = life.seat("bao")
    life.approve("bao")
    life.give(taking_back(life, first.number, "bao"))
    again = life.seat("bao")
    assert again.due == first.due
    assert life.state.work_of(life.activation().number, again.number) is not None
    sound(life)
