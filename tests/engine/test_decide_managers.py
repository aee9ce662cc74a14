"""What managers do, every refusal, and the order in which refusals are tested."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from tests.engine.builders import NOW, a_field, approve, by, drive, step, users
from workflow.engine.commands import Approve, AssignHeld, Comment, Reassign, Terminate
from workflow.engine.decide import decide
from workflow.engine.decision import MOST
from workflow.engine.events import (
    Commented,
    InstanceFinished,
    StepEnded,
    TaskClosed,
    TaskReassigned,
)
from workflow.engine.rejections import Invalid, NotAllowed, NotOpen, VersionMoved
from workflow.engine.state import InstanceState, Reason


def two(org, mode="all"):
    request = drive(org, approve("lead", users("bao", "chi"), mode))
    request.start()
    return request


# Reassigning.


def test_a_reassigned_seat_keeps_its_number_and_moves_its_version(org):
    request = two(org)
    run = request.reassign("bao", "dan", "on leave")
    assert run.events == [
        TaskReassigned(
            seat=1, version=2, before=org.id("bao"), holder=org.id("dan"), comment="on leave"
        )
    ]
    assert request.seats() == {"dan": "open", "chi": "open"}
    request.approve("dan")
    request.approve("chi")
    assert request.state.deciders["lead"] == [org.id("dan"), org.id("chi")]


def test_after_two_reassignments_the_whole_chain_is_kept(org):
    """Acceptance test 46."""
    request = two(org)
    request.reassign("bao", "dan")
    request.reassign("dan", "kim")
    chain = [
        (org.login(each.before), org.login(each.holder)) for each in request.of(TaskReassigned)
    ]
    assert chain == [("bao", "dan"), ("dan", "kim")]
    assert request.seat("kim").version == 3


def test_a_seat_that_waits_for_its_turn_can_be_reassigned(org):
    request = two(org, "in_order")
    request.reassign("chi", "dan")
    assert request.seats() == {"bao": "open", "dan": "blocked"}
    request.approve("bao")
    request.approve("dan")
    assert request.state.status is InstanceState.APPROVED


def test_after_the_own_decision_another_seat_may_be_taken_over(org):
    request = two(org)
    request.approve("bao")
    request.reassign("chi", "bao")
    request.approve("bao")
    assert request.state.status is InstanceState.APPROVED


@pytest.mark.parametrize(
    ("to", "reason", "code"),
    [
        ("dan", " ", "reason.required"),
        ("chi", "away", "person.already_holds"),
        ("bao", "away", "person.already_holds"),
        ("tom", "away", "person.unknown"),
    ],
)
def test_a_reassignment_that_is_wrong(org, to, reason, code):
    org.disable("tom")
    request = two(org)
    seat = request.seat("bao")
    command = Reassign(seat.number, org.id(to), org.id("kim"), reason)
    refused = request.refused(command, Invalid, code)
    assert [finding.code for finding in refused.findings] == [code]


def test_what_is_not_open_cannot_be_reassigned(org):
    request = two(org)
    request.approve("bao")
    for seat in (1, 3, 99):
        command = Reassign(seat, org.id("dan"), org.id("kim"), "")
        request.refused(command, NotOpen, "task.not_open")


# Naming somebody for a held step.


def held(org):
    request = drive(org, approve("lead", by("role", ids=["nobody"]), "all"))
    request.start()
    return request


def test_a_named_person_gets_the_step_with_the_managers_reason(org):
    request = held(org)
    run = request.name("dan", "he knows")
    assert run.events[0] == Commented(comment="he knows", step="lead")
    assert request.seats() == {"dan": "open"}
    assert request.state.held is None
    request.refused(request.naming("kim"), NotOpen, "step.not_held")


@pytest.mark.parametrize(
    ("to", "reason", "code"),
    [("dan", "", "reason.required"), ("tom", "so be it", "person.unknown")],
)
def test_a_naming_that_is_wrong_leaves_it_held(org, to, reason, code):
    org.disable("tom")
    request = held(org)
    request.refused(request.naming(to, reason), Invalid, code)
    assert request.state.held == "people.nobody"


def test_only_a_held_step_gets_somebody_named(org):
    request = two(org)
    request.refused(request.naming("dan"), NotOpen, "step.not_held")
    request.refused(AssignHeld(99, org.id("dan"), org.id("kim"), "x"), NotOpen, "step.not_held")
    waiting = drive(org, step("cc", "copy", who=users("chi")))
    waiting.start()
    waiting.refused(waiting.naming("dan"), NotOpen, "step.not_held")


# Ending.


def test_ending_closes_every_seat_and_step_with_a_reason(org):
    """Acceptance test 45."""
    request = two(org, "in_order")
    run = request.terminate("wrong form")
    closed = [event for event in run.events if isinstance(event, TaskClosed)]
    assert [(event.seat, event.version, event.reason) for event in closed] == [
        (1, 2, Reason.CANCELLED),
        (2, 2, Reason.CANCELLED),
    ]
    assert request.of(StepEnded)[0].state == "closed"
    assert request.events[-1] == InstanceFinished(
        result=InstanceState.TERMINATED, reason=Reason.ADMIN, comment="wrong form"
    )
    assert not request.state.activations


def test_a_held_request_and_one_without_an_open_task_can_be_ended(org):
    """Acceptance test 45: also when nobody has a task."""
    request = held(org)
    request.terminate()
    assert (request.state.status, request.state.held) == (InstanceState.TERMINATED, None)
    waiting = drive(org, step("cc", "copy", who=users("chi")))
    waiting.start()
    waiting.terminate()
    assert waiting.state.status is InstanceState.TERMINATED


def test_ending_needs_a_reason(org):
    request = two(org)
    request.refused(Terminate(org.id("kim"), "\t "), Invalid, "reason.required")


def test_after_the_end_nothing_is_accepted(org):
    request = two(org)
    late = request.approving("bao")
    number = request.activation().number
    request.terminate()
    kim = org.id("kim")
    request.refused(late, NotOpen, "task.not_open")
    for command in (
        Terminate(kim, "again"),
        Comment(kim, "hello"),
        Reassign(1, org.id("dan"), kim, "away"),
        AssignHeld(number, org.id("dan"), kim, "you"),
    ):
        refused = request.refused(command, NotOpen, "instance.not_running")
        assert refused.about["state"] == "terminated"


def test_a_comment_needs_words(org):
    request = two(org)
    refused = request.refused(Comment(org.id("ann"), "  "), Invalid, "comment.required")
    assert refused.findings[0].at == "/comment"


# The contract's order: 403 before 409 before 412 before 422.


def test_the_order_of_refusals(org):
    form = [a_field("days", "integer")]
    request = drive(
        org,
        approve("lead", users("bao", "chi"), "all", evidence={"comment": "must"}),
        form=form,
    )
    request.start(days=1)
    good = request.approving("bao", "fine")
    everything_wrong = Approve(seat=1, by=org.id("ann"), version=9, changes={"ghost": 1})
    request.refused(everything_wrong, NotAllowed, "task.not_yours")
    mine = replace(everything_wrong, by=org.id("bao"))
    moved = request.refused(mine, VersionMoved, "task.version_moved")
    assert moved.about["current_version"] == 1
    current = replace(mine, version=1)
    request.refused(current, Invalid, "comment.required")
    said = replace(current, comment="fine")
    request.refused(said, Invalid, "form.invalid")
    request.give(good)
    # Now it is decided: a stranger is still told 403, the holder 409 whatever else is wrong.
    request.refused(everything_wrong, NotAllowed, "task.not_yours")
    request.refused(mine, NotOpen, "task.not_open")


def test_a_start_is_the_only_command_without_a_request(org):
    request = two(org)
    with pytest.raises(ValueError, match="start"):
        decide(request.definition, None, Comment(1, "x"), org, NOW)


def test_a_history_has_an_end(org):
    """Ids are made of positions and seats, so a history may not outgrow them."""
    request = two(org)
    comment = Comment(org.id("ann"), "one more")
    almost = msgspec.structs.replace(request.state, position=MOST - 1)
    full = decide(request.definition, almost, comment, org, NOW).state
    assert full.position == MOST
    with pytest.raises(Invalid) as caught:
        decide(request.definition, full, comment, org, NOW)
    assert caught.value.code == "instance.too_long"
