"""Several people in one step: any one, all, one by one; rejections; one seat per person."""

from __future__ import annotations

import pytest

from tests.engine.builders import approve, by, drive, users
from workflow.engine.commands import Approve, Reject
from workflow.engine.events import (
    InstanceFinished,
    StepEnded,
    TaskApproved,
    TaskAssigned,
    TaskClosed,
    TaskOpened,
    TaskRejected,
)
from workflow.engine.rejections import NotAllowed, NotOpen, VersionMoved
from workflow.engine.state import InstanceState, Reason

MODES = ("any", "all", "in_order")
THREE = users("bao", "chi", "dan")


def test_any_one_approval_carries_the_step_and_closes_the_others(org):
    request = drive(org, approve("lead", THREE, "any"))
    request.start()
    assert request.seats() == {"bao": "open", "chi": "open", "dan": "open"}
    chi = request.seat("chi").number
    run = request.approve("chi")
    closed = [event for event in run.events if isinstance(event, TaskClosed)]
    assert [event.seat for event in closed] == [1, 3]
    assert {event.by_seat for event in closed} == {chi}
    assert {event.reason for event in closed} == {Reason.SIBLING_DECIDED}
    assert request.state.status is InstanceState.APPROVED
    assert request.state.deciders["lead"] == [org.id("chi")]


def test_all_needs_everybody_in_any_order(org):
    """Acceptance test 2: one approval of three does not advance; the last does, at once."""
    request = drive(org, approve("lead", THREE, "all"), approve("top", users("kim")))
    request.start()
    request.approve("dan")
    assert request.at() == "lead"
    assert request.seats() == {"bao": "open", "chi": "open", "dan": "approved"}
    request.approve("bao")
    assert request.at() == "lead"
    request.approve("chi")
    assert request.at() == "top"
    assert not request.of(TaskClosed)
    assert request.state.deciders["lead"] == [org.id(login) for login in ("dan", "bao", "chi")]


def test_a_siblings_decision_leaves_my_version_alone(org):
    request = drive(org, approve("lead", THREE, "all"))
    request.start()
    before = request.seat("dan")
    request.approve("bao")
    assert request.seat("dan") == before
    request.approve("dan")


def test_one_by_one_opens_the_next_seat_only_after_the_last_approval(org):
    request = drive(org, approve("lead", THREE, "in_order"))
    request.start()
    assert request.seats() == {"bao": "open", "chi": "blocked", "dan": "blocked"}
    request.refused(request.approving("chi"), NotOpen, "task.not_open")
    run = request.approve("bao")
    (opened,) = [event for event in run.events if isinstance(event, TaskOpened)]
    assert (opened.seat, opened.version) == (2, 2)
    assert request.seats() == {"bao": "approved", "chi": "open", "dan": "blocked"}
    request.approve("chi")
    request.approve("dan")
    assert request.state.status is InstanceState.APPROVED


def test_one_by_one_the_version_moves_when_the_turn_comes(org):
    request = drive(org, approve("lead", users("bao", "chi"), "in_order"))
    request.start()
    early = request.approving("chi")
    request.approve("bao")
    request.refused(early, VersionMoved, "task.version_moved")


@pytest.mark.parametrize("mode", MODES)
def test_a_rejection_ends_the_request_and_closes_who_did_not_decide(org, mode):
    """Acceptance tests 4, 5 and 11: exactly one rejection, by the one who rejected."""
    request = drive(org, approve("lead", THREE, mode), approve("top", users("kim")))
    request.start()
    run = request.reject("bao", "no")
    closed = [event for event in run.events if isinstance(event, TaskClosed)]
    assert {event.seat: event.by_seat for event in closed} == {2: 1, 3: 1}
    (rejected,) = request.of(TaskRejected)
    assert (rejected.seat, rejected.comment) == (1, "no")
    (ended,) = request.of(StepEnded)
    assert (ended.state, ended.outcome, ended.reason) == ("refused", "rejected", Reason.HUMAN)
    assert request.state.status is InstanceState.REJECTED
    assert not request.state.activations
    assert "top" not in request.state.rounds


def test_in_all_an_approval_and_then_a_rejection_reject_once(org):
    request = drive(org, approve("lead", THREE, "all"))
    request.start()
    request.approve("bao")
    run = request.reject("dan")
    closed = [event for event in run.events if isinstance(event, TaskClosed)]
    assert [(event.seat, event.by_seat) for event in closed] == [(2, 3)]
    assert len(request.of(TaskApproved)) == 1
    assert request.state.status is InstanceState.REJECTED


@pytest.mark.parametrize("mode", MODES)
def test_the_same_person_twice_is_one_seat(org, mode):
    """Acceptance test 10."""
    who = {
        "any_of": [
            {"by": "user", "ids": ["chi", "chi"]},
            {"by": "role", "ids": ["hr"]},
            {"by": "department", "ids": ["finance"]},
        ]
    }
    request = drive(org, approve("lead", who, mode))
    request.start()
    assert list(request.seats()) == ["chi", "pia", "dan"]
    (why, *_) = request.events[1].chosen
    assert (why.by, why.of) == ("user", "chi")


@pytest.mark.parametrize("mode", MODES)
def test_one_person_alone_decides_alike_in_every_mode(org, mode):
    request = drive(org, approve("lead", by("head"), mode))
    request.start()
    request.approve("bao")
    assert request.state.status is InstanceState.APPROVED
    assert [type(event) for event in request.events[-2:]] == [StepEnded, InstanceFinished]


def test_a_double_click_is_refused_and_writes_nothing(org):
    """Acceptance test 52."""
    request = drive(org, approve("lead", THREE, "all"))
    request.start()
    command = request.approving("bao")
    request.give(command)
    before = list(request.events)
    request.refused(command, NotOpen, "task.not_open")
    assert request.events == before


def test_two_in_one_moment_the_second_is_too_late(org):
    """Acceptance test 52: any one of two; both pages were opened before."""
    request = drive(org, approve("lead", users("bao", "chi"), "any"))
    request.start()
    second = request.approving("chi")
    request.approve("bao")
    request.refused(second, NotOpen, "task.not_open")


def test_nobody_decides_the_seat_of_another(org):
    request = drive(org, approve("lead", THREE, "all"))
    request.start()
    seat = request.seat("bao")
    for command in (Approve, Reject):
        stranger = command(seat=seat.number, by=org.id("ann"), version=seat.version)
        request.refused(stranger, NotAllowed, "task.not_yours")


@pytest.mark.parametrize("mode", MODES)
def test_a_former_holder_is_turned_away(org, mode):
    """Acceptance test 51: an old page of somebody who holds the task no longer."""
    request = drive(org, approve("lead", users("bao", "chi"), mode))
    request.start()
    old = request.approving("bao")
    request.reassign("bao", "dan")
    request.refused(old, NotAllowed, "task.not_yours")
    request.approve("dan")


def test_the_done_list_is_the_decisions_that_one_made(org):
    """Acceptance tests 5 and 6: a closed sibling decided nothing."""
    request = drive(org, approve("lead", THREE, "any"))
    request.start()
    request.approve("bao")
    assert request.state.deciders == {"lead": [org.id("bao")]}
    assert [event.seat for event in request.of(TaskApproved)] == [1]


def test_seats_are_numbered_over_the_whole_request(org):
    request = drive(org, approve("lead", users("bao", "chi")), approve("top", users("bao", "kim")))
    request.start()
    request.approve("bao")
    assert [event.seat for event in request.of(TaskAssigned)] == [1, 2, 3, 4]
    assert [event.activation for event in request.of(TaskAssigned)] == [1, 1, 2, 2]
