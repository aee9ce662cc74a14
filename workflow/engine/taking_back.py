"""An approver takes a decision back, as long as nothing that came of it was decided or sent.

Theory of operation. The state forgets what the way forward does not need, so the history is
read: it gives the step as it stood, and everything that followed. What followed in the lane of
the step, and behind each join that this very lane completed, is closed again; the step and these
blocks are opened as they were. Of several people who decide together only the one who takes back
gets a new seat (approvals.md 2.6).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from workflow.engine import deadlines
from workflow.engine.acting import carry_on
from workflow.engine.asking import NOBODY
from workflow.engine.children import CHILD
from workflow.engine.ending import close_step
from workflow.engine.events import (
    BranchArrived,
    InstanceHeld,
    Migrated,
    MigrationUndone,
    OpinionGiven,
    StepEnded,
    StepEntered,
    StepReopened,
    TaskApproved,
    TaskAssigned,
    TaskClosed,
    TaskCompleted,
    TaskRejected,
    TaskReturned,
    TaskTakenBack,
    TimedOut,
    WentBack,
    WorkAsked,
)
from workflow.engine.evolve import evolve
from workflow.engine.flowdoc.durations import seconds_of
from workflow.engine.flowdoc.steps import HumanStep
from workflow.engine.moves import Lane, lane_of
from workflow.engine.rejections import NotAllowed, NotOpen, Rejection
from workflow.engine.state import ActivationState, InstanceState, Reason, SeatState

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from workflow.engine.commands import TakeBack
    from workflow.engine.decision import Decision
    from workflow.engine.events import AnyEvent
    from workflow.engine.plan import Plan
    from workflow.engine.state import Activation, Seat, State

replace = msgspec.structs.replace

# A decision of a person in the stricter sense: what may be taken back, and what forbids it.
_DECISIONS = (TaskApproved, TaskRejected, TaskCompleted)
_BY_PEOPLE = (*_DECISIONS, TaskReturned, OpinionGiven)
# What leaves the house cannot be taken back.
_SENT = frozenset({"http", CHILD})


@dataclass(slots=True)
class _Past:
    """The decision in question and what came of it.

    ``step`` is the activation just before the decision, ``blocks`` those that this lane's arrival
    ended, as they stood just before, with the steps inside them that were closed; ``lane`` is
    where the request stands now because of it; ``arrived`` the block that still waits for others.
    """

    step: Activation
    seat: Seat
    last_before: int
    lane: Lane
    blocks: list[Activation] = field(default_factory=list)
    arrived: Activation | None = None


def take_back(run: Decision, command: TakeBack) -> None:
    """Undo one's own decision. Raises NotAllowed, NotOpen (take_back.*)."""
    rule = run.plan.doc.policy.take_back
    place = _place_of_decision(command.history, command.seat)
    if place is None:
        raise NotOpen("take_back.not_decided")
    past = _past(command.history, place, command.seat)
    if past is None or past.seat.holder != command.by:
        raise NotAllowed("task.not_yours")
    if not rule.on:
        raise NotAllowed("act.switched_off", act="take-back")
    refusal = _why_not_now(run, rule.within, command.decided_at) or _why_not(
        run.plan, run.state, command.history[place:], past
    )
    if refusal is not None:
        raise refusal
    _close_what_followed(run, past)
    _open_again(run, past)
    current = run.state.seat(command.seat)
    version = (current[1].version if current else past.seat.version) + 1
    run.emit(TaskTakenBack(seat=command.seat, version=version, comment=command.comment))
    _new_seat(run, past)


def _place_of_decision(history: Sequence[AnyEvent], seat: int) -> int | None:
    """The index of the last decision that a person took on this seat."""
    for place in range(len(history) - 1, -1, -1):
        event = history[place]
        if isinstance(event, TaskTakenBack) and event.seat == seat:
            return None
        if isinstance(event, _DECISIONS) and event.seat == seat and event.reason is Reason.HUMAN:
            return place
    return None


def _past(history: Sequence[AnyEvent], place: int, seat: int) -> _Past | None:
    """Read the history once: the step before the decision, then each join that it completed."""
    state: State | None = None
    past: _Past | None = None
    for index, event in enumerate(history):
        if state is not None:
            if index == place:
                past = _begin(state, seat)
            elif past is not None:
                _notice(past, state, event, history, index)
        state = evolve(state, event)
    return past


def _begin(state: State, seat: int) -> _Past | None:
    found = state.seat(seat)
    if found is None:
        return None
    return _Past(found[0], found[1], state.last_activation, lane_of(found[0]))


def _notice(
    past: _Past, state: State, event: AnyEvent, history: Sequence[AnyEvent], index: int
) -> None:
    """This lane arrived at its join: did that end the block, or does the block wait on?"""
    if not isinstance(event, BranchArrived):
        return
    if Lane(event.activation, event.branch) != past.lane or past.arrived is not None:
        return
    block = state.activation(event.activation)
    if block is None:
        return
    if _ended_at_once(history, index, block.number):
        past.blocks.append(block)
        past.blocks.extend(state.inside(block.number))
        past.lane = lane_of(block)
    else:
        past.arrived = block


def _ended_at_once(history: Sequence[AnyEvent], index: int, block: int) -> bool:
    """Whether the join was completed by this arrival: only closings stand between them."""
    for event in history[index + 1 :]:
        if isinstance(event, StepEnded):
            if event.activation == block:
                return True
            if event.state is not ActivationState.CLOSED:
                return False
        elif not isinstance(event, TaskClosed):
            return False
    return False


def _why_not_now(run: Decision, within: str | None, decided_at: datetime) -> Rejection | None:
    if run.state.status is not InstanceState.RUNNING:
        return NotOpen("instance.not_running", state=run.state.status.value)
    if run.state.paused:
        return NotOpen("instance.paused")
    seconds = seconds_of(within) if within is not None else None
    if seconds is not None and (run.now - decided_at).total_seconds() > seconds:
        return NotOpen("take_back.too_late")
    return None


def _why_not(plan: Plan, state: State, since: Sequence[AnyEvent], past: _Past) -> Rejection | None:
    """Why it is too late: somebody decided after it, it was sent out, or the request moved."""
    if past.arrived is not None and state.activation(past.arrived.number) is None:
        return NotOpen("take_back.joined")
    if not _has_its_place(state, past) or _ended_work(plan, past):
        return NotOpen("take_back.joined")
    if _holds_again(state, past):
        return NotOpen("take_back.moved")
    followers = _followers(since, past)
    asked = {
        event.seat
        for event in since
        if isinstance(event, TaskAssigned) and event.activation in followers
    }
    for event in since[1:]:
        refusal = _forbids(event, past, followers, plan)
        if refusal is None and _is_decided(event, asked):
            # Also when the step that followed waits for others still.
            refusal = NotOpen("take_back.decided")
        if refusal is not None:
            return refusal
    return None


def _is_decided(event: AnyEvent, seats: set[int]) -> bool:
    """Whether one of these people has decided, or given an opinion; a rule decides nothing."""
    if not isinstance(event, _BY_PEOPLE) or event.seat not in seats:
        return False
    return getattr(event, "reason", Reason.HUMAN) is Reason.HUMAN


def _has_its_place(state: State, past: _Past) -> bool:
    """Whether the blocks around all that would be opened again are open, or are so with it.

    They are not when another branch has completed the join meanwhile.
    """
    again = {block.number for block in past.blocks}
    return all(
        not each.within or each.within in again or state.activation(each.within) is not None
        for each in (past.step, *past.blocks)
    )


def _ended_work(plan: Plan, past: _Past) -> bool:
    """Whether the join ended automatic steps of other branches: nobody can say how far they were.

    They may have been carried out, or sent, so they are not begun a second time.
    """
    return any(
        not each.branches and not each.seats and (each.is_asking or _is_automatic(plan, each.step))
        for each in past.blocks
    )


def _is_automatic(plan: Plan, step: str) -> bool:
    planned = plan.steps.get(step)
    return planned is not None and not isinstance(planned.step, HumanStep)


def _holds_again(state: State, past: _Past) -> bool:
    """Whether the step was given another seat of this person meanwhile: one person, one seat."""
    current = state.activation(past.step.number)
    seats = () if current is None else current.seats
    return any(seat.waits and seat.holder == past.seat.holder for seat in seats)


def _followers(since: Sequence[AnyEvent], past: _Past) -> set[int]:
    """Activations that came of the decision: in the lanes it led through, and inside those."""
    lanes = {lane_of(past.step), past.lane, *(lane_of(each) for each in past.blocks)}
    found: set[int] = set()
    for event in since:
        if isinstance(event, StepEntered) and (
            Lane(event.within, event.branch) in lanes or event.within in found
        ):
            found.add(event.activation)
    return found


def _forbids(event: AnyEvent, past: _Past, followers: set[int], plan: Plan) -> Rejection | None:
    if isinstance(event, WentBack | Migrated | MigrationUndone):
        return NotOpen("take_back.moved")
    if isinstance(event, WorkAsked) and event.activation in followers and event.kind in _SENT:
        return NotOpen("take_back.sent")
    if isinstance(event, TimedOut):
        return NotOpen("take_back.decided") if event.seat in _seats(past) else None
    if isinstance(event, StepEnded) and event.activation in followers:
        # Of the steps that followed only automatic ones may have ended.
        return NotOpen("take_back.decided") if event.reason is Reason.HUMAN else None
    if isinstance(event, _BY_PEOPLE) and event.seat in _seats(past):
        return NotOpen("take_back.decided")
    return None


def _seats(past: _Past) -> set[int]:
    return {seat.number for seat in past.step.seats} - {past.seat.number}


def _close_what_followed(run: Decision, past: _Past) -> None:
    """Close the steps that stand where the decision led to."""
    for activation in run.state.activations:
        if activation.number > past.last_before and lane_of(activation) == past.lane:
            for inner in run.state.inside(activation.number):
                close_step(run, inner, ActivationState.CLOSED, Reason.RETURNED, past.seat.number)
            close_step(run, activation, ActivationState.CLOSED, Reason.RETURNED, past.seat.number)


def _open_again(run: Decision, past: _Past) -> None:
    """The step, and the blocks around it that it ended, stand again as they did."""
    for block in sorted(past.blocks, key=lambda each: each.number):
        run.emit(StepReopened(was=_waiting_again(block)))
        _watch_again(run, block)
    if past.arrived is not None:
        block = run.state.activation(past.arrived.number) or past.arrived
        lane = past.step if past.arrived.number == past.step.within else None
        branch = lane.branch if lane is not None else past.lane.branch
        branches = tuple(
            replace(each, state="running") if each.id == branch else each
            for each in block.branches
        )
        run.emit(StepReopened(was=replace(block, branches=branches)))
    if run.state.activation(past.step.number) is None:
        run.emit(StepReopened(was=_waiting_again(past.step, past.seat.number)))
        _watch_again(run, past.step, past.seat.number)


def _watch_again(run: Decision, was: Activation, decided: int = 0) -> None:
    """The deadlines of the seats that wait again count on, to the moments that they had.

    A step that was held because nobody was found is held again.
    """
    planned = run.plan.steps.get(was.step)
    if planned is None or not isinstance(planned.step, HumanStep):
        return
    if not was.seats:
        run.emit(InstanceHeld(activation=was.number, code=NOBODY))
    for seat in was.seats:
        if seat.waits and seat.due and seat.number != decided:
            deadlines.watch(run, was.number, seat.number, seat.due, planned.step)


def _waiting_again(activation: Activation, decided: int = 0) -> Activation:
    """The activation with new versions for the seats that were closed meanwhile.

    Closing gave each waiting seat one version, so the next one is the second.
    """

    def again(seat: Seat) -> Seat:
        if seat.number == decided:
            return replace(seat, state=SeatState.APPROVED, version=seat.version + 1)
        return replace(seat, version=seat.version + 2) if seat.waits else seat

    return replace(activation, seats=tuple(again(seat) for seat in activation.seats))


def _new_seat(run: Decision, past: _Past) -> None:
    """Only the one who took back decides again; whoever came after him waits again."""
    run.emit(
        TaskAssigned(
            activation=past.step.number,
            seat=run.state.last_seat + 1,
            holder=past.seat.holder,
            group=past.seat.group,
            weight=past.seat.weight,
            origin="taken_back",
            absent=past.seat.absent,
            due=past.seat.due,
        )
    )
    planned = run.plan.steps.get(past.step.step)
    if past.seat.due and planned is not None and isinstance(planned.step, HumanStep):
        number, due = run.state.last_seat, past.seat.due
        deadlines.watch(run, past.step.number, number, due, planned.step)
    carry_on(run, past.step.number)
