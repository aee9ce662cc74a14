"""Taking a decision back: only one's own seat reopens, and never what was decided after it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.engine.builders import NOW, Driven, approve, drive, step, users
from tests.engine.test_blocks import block, ended, one, open_steps
from tests.engine.test_going_back import holders
from workflow.engine.commands import Jump, TakeBack
from workflow.engine.decide import decide
from workflow.engine.events import TaskApproved
from workflow.engine.rejections import NotAllowed, NotOpen
from workflow.engine.state import InstanceState

ON = {"policy": {"take_back": {"on": True}}}


def seat_of(request: Driven, login: str) -> int:
    """The seat of this person that was decided last, or else got last."""
    user = request.org.id(login)
    mine = [
        each.seat
        for each in request.events
        if type(each).__name__ == "TaskAssigned" and each.holder == user
    ]
    decided = [each.seat for each in request.of(TaskApproved) if each.seat in mine]
    return (decided or mine)[-1]


def taking_back(request: Driven, login: str, *, by: str = "", late: int = 0) -> TakeBack:
    return TakeBack(
        seat=seat_of(request, login),
        by=request.org.id(by or login),
        comment="too fast",
        history=tuple(request.events),
        decided_at=NOW - timedelta(seconds=late),
    )


def test_possible_while_the_next_has_not_acted_and_not_afterwards(org) -> None:
    """approvals.md 4, 41."""
    request = drive(org, one("bao"), one("chi"), one("dan"), **ON)
    request.start()
    request.approve("bao")
    request.give(taking_back(request, "bao"))
    assert holders(request) == ["bao"]
    assert ended(request, "by_chi") == ["closed"]
    request.approve("bao")
    assert holders(request) == ["chi"]
    request.approve("chi")
    request.refused(taking_back(request, "bao"), NotOpen, "take_back.decided")


def test_refused_once_somebody_decided_after_it(org) -> None:
    request = drive(org, one("bao"), one("chi"), one("dan"), **ON)
    request.start()
    request.approve("bao")
    request.approve("chi")
    request.refused(taking_back(request, "bao"), NotOpen, "take_back.decided")
    request.give(taking_back(request, "chi"))
    assert holders(request) == ["chi"]


def test_in_a_countersign_only_my_seat_reopens(org) -> None:
    """approvals.md 4, 42."""
    request = drive(org, approve("team", users("bao", "chi"), "all"), one("dan"), **ON)
    request.start()
    request.approve("bao")
    request.give(taking_back(request, "bao"))
    assert holders(request) == ["chi", "bao"] or holders(request) == ["bao", "chi"]
    request.approve("bao")
    request.approve("chi")
    assert holders(request) == ["dan"]
    request.give(taking_back(request, "chi"))
    assert holders(request) == ["chi"]
    assert request.seats() == {"bao": "approved", "chi": "open"} or "bao" in request.seats()
    request.approve("chi")
    assert holders(request) == ["dan"]


def test_an_earlier_vote_of_a_step_is_not_the_last_one(org) -> None:
    request = drive(org, approve("team", users("bao", "chi", "dan"), "all"), **ON)
    request.start()
    request.approve("bao")
    request.approve("chi")
    request.refused(taking_back(request, "bao"), NotOpen, "take_back.decided")


def test_one_by_one_the_next_waits_again(org) -> None:
    request = drive(org, approve("team", users("bao", "chi"), "in_order"), **ON)
    request.start()
    request.approve("bao")
    assert holders(request) == ["chi"]
    request.give(taking_back(request, "bao"))
    assert holders(request) == ["bao"]
    request.approve("bao")
    request.approve("chi")
    assert request.state.status is InstanceState.APPROVED


def test_in_an_or_sign_the_colleagues_seats_are_open_again(org) -> None:
    request = drive(org, approve("team", users("bao", "chi"), "any"), one("dan"), **ON)
    request.start()
    request.approve("bao")
    request.give(taking_back(request, "bao"))
    assert sorted(holders(request)) == ["bao", "chi"]
    request.approve("chi")
    assert holders(request) == ["dan"]


def test_the_last_arrival_of_a_join_opens_the_block_again(org) -> None:
    request = drive(org, block("p", [one("bao")], [one("chi")]), one("dan"), **ON)
    request.start()
    request.approve("bao")
    request.approve("chi")
    assert holders(request) == ["dan"]
    request.give(taking_back(request, "chi"))
    assert holders(request) == ["chi"]
    request.approve("chi")
    assert holders(request) == ["dan"]
    request.approve("dan")
    assert request.state.status is InstanceState.APPROVED


def test_an_arrival_that_others_completed_is_too_late(org) -> None:
    request = drive(org, block("p", [one("bao")], [one("chi")]), one("dan"), **ON)
    request.start()
    request.approve("bao")
    request.approve("chi")
    request.refused(taking_back(request, "bao"), NotOpen, "take_back.joined")


def test_before_the_join_the_branch_runs_again_and_siblings_stay(org) -> None:
    request = drive(org, block("p", [one("bao"), one("pia")], [one("chi")]), **ON)
    request.start()
    request.approve("bao")
    request.give(taking_back(request, "bao"))
    assert sorted(open_steps(request)) == ["by_bao", "by_chi"]
    request.approve("bao")
    request.approve("pia")
    request.give(taking_back(request, "pia"))
    assert sorted(open_steps(request)) == ["by_chi", "by_pia"]
    request.approve("chi")
    request.approve("pia")
    assert request.state.status is InstanceState.APPROVED


def test_a_first_join_gives_the_siblings_their_seats_back(org) -> None:
    request = drive(org, block("p", [one("bao")], [one("chi")], join="first"), one("dan"), **ON)
    request.start()
    request.approve("bao")
    request.give(taking_back(request, "bao"))
    assert sorted(holders(request)) == ["bao", "chi"]
    request.approve("chi")
    assert holders(request) == ["dan"]


def test_a_decision_in_another_lane_does_not_forbid_it(org) -> None:
    request = drive(org, block("p", [one("bao"), one("pia")], [one("chi"), one("dan")]), **ON)
    request.start()
    request.approve("bao")
    request.approve("chi")
    request.give(taking_back(request, "bao"))
    assert sorted(open_steps(request)) == ["by_bao", "by_dan"]


def test_what_an_automatic_step_did_meanwhile_does_not_forbid_it(org) -> None:
    request = drive(org, one("bao"), step("c", "copy", who=users("tom")), one("chi"), **ON)
    request.start()
    request.approve("bao")
    request.work()
    assert holders(request) == ["chi"]
    request.give(taking_back(request, "bao"))
    assert holders(request) == ["bao"]


def test_work_that_waits_behind_it_is_cancelled(org) -> None:
    request = drive(org, one("bao"), step("c", "copy", who=users("tom")), one("chi"), **ON)
    request.start()
    request.approve("bao")
    assert request.state.work
    request.give(taking_back(request, "bao"))
    assert not request.state.work


def test_after_an_administrator_moved_it_there_is_no_way_back(org) -> None:
    """approvals.md 4, 43."""
    request = drive(org, one("bao"), one("chi"), one("dan"), **ON)
    request.start()
    request.approve("bao")
    request.give(Jump("by_dan", org.id("kim"), "urgent"))
    request.refused(taking_back(request, "bao"), NotOpen, "take_back.moved")
    request.give(Jump("end", org.id("kim"), "enough"))
    request.refused(taking_back(request, "bao"), NotOpen, "instance.not_running")


@pytest.mark.parametrize(("late", "allowed"), [(3600, True), (3601, False)])
def test_only_within_the_policys_window(org, late: int, *, allowed: bool) -> None:
    policy = {"take_back": {"on": True, "within": "PT1H"}}
    request = drive(org, one("bao"), one("chi"), policy=policy)
    request.start()
    request.approve("bao")
    command = taking_back(request, "bao", late=late)
    if allowed:
        assert decide(request.definition, request.state, command, org, NOW).events
    else:
        request.refused(command, NotOpen, "take_back.too_late")


def test_only_ones_own_and_only_where_it_is_switched_on(org) -> None:
    request = drive(org, one("bao"), one("chi"), **ON)
    request.start()
    request.refused(taking_back(request, "bao"), NotOpen, "take_back.not_decided")
    request.approve("bao")
    request.refused(taking_back(request, "bao", by="dan"), NotAllowed, "task.not_yours")
    off = drive(org, one("bao"), one("chi"))
    off.start()
    off.approve("bao")
    off.refused(taking_back(off, "bao"), NotAllowed, "act.switched_off")
