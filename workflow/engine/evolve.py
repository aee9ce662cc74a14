"""`evolve(state, event) -> state`: the only way a state comes to be.

It believes its history: everything that had to be refused was refused by `decide`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import msgspec

from workflow.engine.events import (
    AnyEvent,
    BranchTaken,
    Commented,
    CopySent,
    FormChanged,
    InstanceFinished,
    InstanceHeld,
    InstanceReleased,
    InstanceStarted,
    StepEnded,
    StepEntered,
    TaskApproved,
    TaskAssigned,
    TaskClosed,
    TaskOpened,
    TaskReassigned,
    TaskRejected,
    WorkAsked,
)
from workflow.engine.state import Activation, Reason, Seat, SeatState, State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

replace = msgspec.structs.replace


def fold(events: Iterable[AnyEvent]) -> State:
    """The state after a whole history. Raises ValueError when it does not begin with a start."""
    state: State | None = None
    for event in events:
        state = evolve(state, event)
    if state is None:
        message = "A history begins with instance_started."
        raise ValueError(message)
    return state


def evolve(state: State | None, event: AnyEvent) -> State:
    """The state after one more event. Raises ValueError unless a history begins with a start."""
    if isinstance(event, InstanceStarted):
        return State(
            initiator=event.initiator,
            position=1,
            values={name: value for name, value in event.values.items() if value is not None},
        )
    if state is None:
        message = "A history begins with instance_started."
        raise ValueError(message)
    return replace(_evolved(state, event), position=state.position + 1)


def _evolved(state: State, event: AnyEvent) -> State:  # noqa: C901, PLR0911, PLR0912 - one arm per event
    match event:
        case StepEntered():
            return _enter(state, event)
        case TaskAssigned():
            seat = Seat(number=event.seat, holder=event.holder, state=event.state)
            return _with_seat(state, event.activation, seat)
        case CopySent():
            seat = Seat(number=event.seat, holder=event.holder, state=SeatState.DONE)
            return _with_seat(state, event.activation, seat)
        case TaskOpened():
            return _seat_becomes(state, event.seat, SeatState.OPEN, event.version)
        case TaskApproved():
            approved = _seat_becomes(state, event.seat, SeatState.APPROVED, event.version)
            return _decided_by(approved, event.seat, event.reason)
        case TaskRejected():
            rejected = _seat_becomes(state, event.seat, SeatState.REJECTED, event.version)
            return _decided_by(rejected, event.seat, event.reason)
        case TaskClosed():
            return _seat_becomes(state, event.seat, SeatState.CLOSED, event.version)
        case TaskReassigned():
            return _on_seat(
                state,
                event.seat,
                lambda seat: replace(seat, holder=event.holder, version=event.version),
            )
        case FormChanged():
            values = {**state.values, **event.changes}
            return replace(
                state, values={name: value for name, value in values.items() if value is not None}
            )
        case StepEnded():
            return _end(state, event)
        case InstanceHeld():
            return replace(state, held=event.code)
        case InstanceReleased():
            return replace(state, held=None)
        case InstanceFinished():
            return replace(state, status=event.result, activations=(), held=None)
        case Commented() | BranchTaken() | WorkAsked() | InstanceStarted():
            return state
        case _:
            assert_never(event)


def _enter(state: State, event: StepEntered) -> State:
    activation = Activation(number=event.activation, step=event.step, round=event.round)
    return replace(
        state,
        activations=(*state.activations, activation),
        last_activation=event.activation,
        rounds={**state.rounds, event.step: event.round},
        deciders={step: users for step, users in state.deciders.items() if step != event.step},
    )


def _end(state: State, event: StepEnded) -> State:
    activation = state.activation(event.activation)
    remaining = tuple(each for each in state.activations if each.number != event.activation)
    if activation is None or not event.outcome:
        return replace(state, activations=remaining)
    outcomes = {**state.outcomes, activation.step: event.outcome}
    return replace(state, activations=remaining, outcomes=outcomes)


def _with_seat(state: State, number: int, seat: Seat) -> State:
    activations = tuple(
        replace(each, seats=(*each.seats, seat)) if each.number == number else each
        for each in state.activations
    )
    return replace(state, activations=activations, last_seat=seat.number)


def _seat_becomes(state: State, number: int, becomes: SeatState, version: int) -> State:
    return _on_seat(state, number, lambda seat: replace(seat, state=becomes, version=version))


def _on_seat(state: State, number: int, change: Callable[[Seat], Seat]) -> State:
    activations = tuple(
        replace(
            each,
            seats=tuple(change(seat) if seat.number == number else seat for seat in each.seats),
        )
        if any(seat.number == number for seat in each.seats)
        else each
        for each in state.activations
    )
    return replace(state, activations=activations)


def _decided_by(state: State, number: int, reason: Reason) -> State:
    found = state.seat(number)
    if found is None or reason is not Reason.HUMAN:
        return state
    activation, seat = found
    before = state.deciders.get(activation.step, [])
    return replace(state, deciders={**state.deciders, activation.step: [*before, seat.holder]})
