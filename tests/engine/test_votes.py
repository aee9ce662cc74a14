"""Votes in a request: what the arithmetic leads to, and what is recorded."""

from __future__ import annotations

import pytest

from tests.engine.builders import approve, drive, step, users
from workflow.engine.events import InstanceHeld, InstanceReleased, StepEnded, TaskClosed
from workflow.engine.state import Reason

FIVE = users("bao", "chi", "dan", "kim", "pia")


def vote(step_id, who, need, **members):
    counts = members.pop("counts", "cannot_pass")
    decide = {"mode": "vote", "need": need, **members}
    return approve(step_id, who) | {"decide": decide, "reject": {"counts": counts}}


def test_half_of_three_with_one_rejection_goes_on(org):
    """Acceptance test 1."""
    request = drive(org, vote("lead", users("bao", "chi", "dan"), {"num": 1, "den": 2}))
    request.start()
    request.reject("bao", "no")
    assert request.seats() == {"bao": "rejected", "chi": "open", "dan": "open"}
    request.approve("chi")
    assert request.state.status == "running"
    request.approve("dan")
    assert request.state.status == "approved"


def test_when_passing_is_impossible_the_rest_is_closed_by_that_rejection(org):
    request = drive(org, vote("lead", FIVE, {"num": 3, "den": 5}))
    request.start()
    for login in ("bao", "chi"):
        request.reject(login)
        assert request.at() == "lead"
    run = request.reject("dan")
    assert [(each.seat, each.by_seat) for each in run.events if isinstance(each, TaskClosed)] == [
        (4, 3),
        (5, 3),
    ]
    assert request.state.status == "rejected"


def test_weights_follow_the_login_and_stay_with_the_seat(org):
    weights = {"bao": 3}
    who = users("bao", "chi", "dan")
    request = drive(org, vote("lead", who, {"num": 1, "den": 2}, weights=weights))
    request.start()
    assert [seat.weight for seat in request.activation().seats] == [3, 1, 1]
    request.reassign("bao", "kim")
    request.approve("kim")
    assert request.state.status == "approved"


def test_early_false_asks_everybody(org):
    request = drive(
        org, vote("lead", users("bao", "chi", "dan"), {"num": 1, "den": 3}, early=False)
    )
    request.start()
    request.approve("bao")
    request.approve("chi")
    assert request.at() == "lead"
    request.reject("dan")
    assert request.state.status == "approved"


def test_a_vote_that_lacks_people_is_held_until_there_are_enough(org):
    acts = {"add_with": True, "remove_added": True}
    lead = vote("lead", {"any_of": [{"by": "role", "ids": ["hr"]}]}, {"count": 3}) | {"acts": acts}
    request = drive(org, lead)
    request.start()
    assert request.of(InstanceHeld) == [InstanceHeld(activation=1, code="people.too_few")]
    request.add("chi", "with", "dan")
    assert request.of(InstanceReleased) == [InstanceReleased(activation=1)]
    assert request.state.held is None
    request.remove("dan", "chi")
    assert request.state.incidents == {1: "people.too_few"}
    request.add("chi", "with", "kim")
    for login in ("chi", "pia", "kim"):
        request.approve(login)
    assert request.state.status == "approved"


def test_a_vote_over_work_is_done_when_enough_have_done_it(org):
    decide = {"mode": "vote", "need": {"num": 2, "den": 3}}
    request = drive(org, step("todo", "work", who=users("bao", "chi", "dan"), decide=decide))
    request.start()
    request.complete("bao")
    request.complete("chi")
    (ended,) = request.of(StepEnded)
    assert (ended.outcome, ended.reason) == ("done", Reason.HUMAN)
    assert request.state.outcomes == {"todo": "done"}
    assert request.state.status == "approved"


@pytest.mark.parametrize("mode", ["any", "all", "in_order", "draw"])
def test_cannot_pass_in_the_other_modes(org, mode):
    lead = approve("lead", users("bao", "chi"), mode, reject={"counts": "cannot_pass"})
    request = drive(org, lead)
    request.start()
    first = next(login for login, state in request.seats().items() if state == "open")
    request.reject(first)
    goes_on = mode == "any"
    assert (request.state.status == "running") is goes_on
    if goes_on:
        request.approve("chi")
        assert request.state.status == "approved"


def test_a_draw_asks_one_and_says_who_was_not_drawn(org):
    drawn = set()
    for number in range(12):
        request = drive(org, approve("lead", FIVE, "draw"))
        command = request.starting()
        request.give(type(command)(command.initiator, f"L-{number}", {}))
        (entered,) = [each for each in request.events if type(each).__name__ == "StepEntered"]
        (login,) = request.seats()
        drawn.add(login)
        assert len(entered.chosen) == 1
        assert {each.why for each in entered.dropped} == {"not_drawn"}
        assert len(entered.dropped) == 4
    assert len(drawn) > 1, "always the same one"
