"""What each event does to the seats of an open step: a part of `evolve`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from workflow.engine.events import (
    CopySent,
    GroupAdded,
    OpinionGiven,
    TaskApproved,
    TaskAssigned,
    TaskBlocked,
    TaskClaimed,
    TaskClosed,
    TaskCompleted,
    TaskHandedOn,
    TaskOpened,
    TaskReassigned,
    TaskRejected,
    TaskReleased,
    TaskReturned,
    TaskTakenBack,
)
from workflow.engine.state import WAITING, Activation, Approval, Group, Reason, Seat, SeatState

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from workflow.engine.state import State

replace = msgspec.structs.replace


def _assign(state: State, event: TaskAssigned) -> State:
    seat = Seat(
        number=event.seat,
        holder=event.holder,
        state=event.state,
        group=event.group,
        weight=event.weight,
        origin=event.origin,
        by=event.by,
        absent=event.absent,
        due=event.due,
    )
    if event.origin == "taken_back":
        return _in_its_place(state, event.activation, seat)
    return _with_seat(state, event.activation, seat)


def _in_its_place(state: State, number: int, seat: Seat) -> State:
    """The seat behind the one that its holder took back: with *in order* the place matters."""

    def put(activation: Activation) -> Activation:
        seats = activation.seats
        places = [
            place
            for place, each in enumerate(seats, start=1)
            if each.state is SeatState.TAKEN_BACK and each.holder == seat.holder
        ]
        place = places[-1] if places else len(seats)
        return replace(activation, seats=(*seats[:place], seat, *seats[place:]))

    return replace(_on_activation(state, number, put), last_seat=seat.number)


def _copy(state: State, event: CopySent) -> State:
    # Group -1: a reader has no say in the step that the copy was sent from.
    seat = Seat(number=event.seat, holder=event.holder, state=SeatState.DONE, group=-1)
    return _with_seat(state, event.activation, seat)


def _with_seat(state: State, number: int, seat: Seat) -> State:
    changed = _on_activation(state, number, lambda each: replace(each, seats=(*each.seats, seat)))
    return replace(changed, last_seat=seat.number)


def _becomes(to: SeatState) -> Callable[[State, Any], State]:
    """The fold of an event after which its seat is in this state, with a new version."""

    def folded(state: State, event: Any) -> State:
        return _seat_becomes(state, event.seat, to, event.version)

    return folded


def _open(state: State, event: TaskOpened) -> State:
    return _on_seat(
        state,
        event.seat,
        lambda seat: replace(
            seat, state=SeatState.OPEN, version=event.version, due=event.due or seat.due
        ),
    )


def _approve(state: State, event: TaskApproved) -> State:
    found = state.seat(event.seat)
    state = _decided(state, event, SeatState.APPROVED)
    if found is None or not event.reusable:
        return state
    activation, seat = found
    approval = Approval(user=seat.holder, step=activation.step, seat=seat.number, form=event.form)
    return replace(state, approvals=(*state.approvals, approval))


def _decided(
    state: State, event: TaskApproved | TaskRejected | TaskCompleted, becomes: SeatState
) -> State:
    found = state.seat(event.seat)
    state = _seat_becomes(state, event.seat, becomes, event.version)
    if found is None or event.reason is not Reason.HUMAN:
        return state
    activation, seat = found
    before = state.deciders.get(activation.step, [])
    return replace(state, deciders={**state.deciders, activation.step: [*before, seat.holder]})


def _reassign(state: State, event: TaskReassigned) -> State:
    return _on_seat(
        state,
        event.seat,
        lambda seat: replace(
            seat,
            holder=event.holder,
            version=event.version,
            chain=(*seat.chain, event.before),
            due=event.due or seat.due,
        ),
    )


def _take_back(state: State, event: TaskTakenBack) -> State:
    found = state.seat(event.seat)
    state = _seat_becomes(state, event.seat, SeatState.TAKEN_BACK, event.version)
    if found is None:
        return state
    activation, seat = found
    deciders = list(state.deciders.get(activation.step, []))
    if seat.holder in deciders:
        deciders.remove(seat.holder)
    return replace(
        state,
        deciders={**state.deciders, activation.step: deciders},
        approvals=tuple(each for each in state.approvals if each.seat != seat.number),
    )


def _claim(state: State, event: TaskClaimed | TaskReleased) -> State:
    found = state.seat(event.seat)
    if found is None:
        return state
    claimed = event.seat if isinstance(event, TaskClaimed) else 0
    state = _on_seat(state, event.seat, lambda seat: replace(seat, version=event.version))
    return _on_activation(state, found[0].number, lambda each: replace(each, claimed=claimed))


def _add_group(state: State, event: GroupAdded) -> State:
    group = Group(
        number=event.group,
        seat=event.seat,
        place=event.place,
        decide=event.decide,
        counts=event.counts,
    )
    return _on_activation(
        state, event.activation, lambda each: replace(each, groups=(*each.groups, group))
    )


def _seat_becomes(state: State, number: int, becomes: SeatState, version: int) -> State:
    changed = _on_seat(state, number, lambda seat: replace(seat, state=becomes, version=version))
    if becomes in WAITING or not changed.work:
        return changed
    # A seat that is decided has no deadline any more.
    return replace(changed, work=tuple(each for each in changed.work if each.seat != number))


def _on_seat(state: State, number: int, change: Callable[[Seat], Seat]) -> State:
    def changed(activation: Activation) -> Activation:
        seats = activation.seats
        for place, seat in enumerate(seats):
            if seat.number == number:
                return replace(
                    activation, seats=(*seats[:place], change(seat), *seats[place + 1 :])
                )
        return activation

    return replace(state, activations=tuple(changed(each) for each in state.activations))


def _on_activation(state: State, number: int, change: Callable[[Activation], Activation]) -> State:
    activations = tuple(
        change(each) if each.number == number else each for each in state.activations
    )
    return replace(state, activations=activations)


SEAT_FOLDS: Mapping[type, Callable[[State, Any], State]] = {
    TaskAssigned: _assign,
    CopySent: _copy,
    TaskOpened: _open,
    TaskBlocked: _becomes(SeatState.BLOCKED),
    TaskApproved: _approve,
    TaskRejected: lambda state, event: _decided(state, event, SeatState.REJECTED),
    TaskCompleted: lambda state, event: _decided(state, event, SeatState.DONE),
    TaskReturned: _becomes(SeatState.DONE),
    OpinionGiven: _becomes(SeatState.OPINION_GIVEN),
    TaskHandedOn: _becomes(SeatState.HANDED_ON),
    TaskClosed: _becomes(SeatState.CLOSED),
    TaskReassigned: _reassign,
    TaskTakenBack: _take_back,
    TaskClaimed: _claim,
    TaskReleased: _claim,
    GroupAdded: _add_group,
}
