"""`evolve(state, event) -> state`: the only way a state comes to be.

It believes its history: everything that had to be refused was refused by `decide`. Each kind of
event has one fold, found by its type; what happens to seats is folded in `seat_folds`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from workflow.engine.events import (
    AnyEvent,
    BranchArrived,
    BranchLeft,
    BranchTaken,
    ChildEnded,
    ChildrenPlanned,
    ChildStarted,
    Commented,
    FormChanged,
    GotoDecided,
    InstanceFinished,
    InstanceHeld,
    InstancePaused,
    InstanceReleased,
    InstanceResumed,
    InstanceStarted,
    Migrated,
    MigrationUndone,
    NoticeSent,
    PeopleAdded,
    Picked,
    RulesAnswered,
    RulesAsked,
    StepEnded,
    StepEntered,
    StepMoved,
    StepReopened,
    SubstituteAsked,
    TaskSnoozed,
    TimedOut,
    VariablesSet,
    WentBack,
    WorkAsked,
    WorkEnded,
    WorkPutOff,
)
from workflow.engine.seat_folds import SEAT_FOLDS
from workflow.engine.state import Activation, BranchRun, Child, State, Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

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
            number=event.number,
            values={name: value for name, value in event.values.items() if value is not None},
            parent=event.parent,
        )
    if state is None:
        message = "A history begins with instance_started."
        raise ValueError(message)
    return replace(_FOLDS[type(event)](state, event), position=state.position + 1)


def _nothing(state: State, _: AnyEvent) -> State:
    """The event is for the history alone."""
    return state


def _enter(state: State, event: StepEntered) -> State:
    activation = Activation(
        number=event.activation,
        step=event.step,
        round=event.round,
        within=event.within,
        branch=event.branch,
        branches=tuple(BranchRun(id=each) for each in event.branches),
        resume=event.resume,
    )
    known = state.activation(event.activation) is not None
    if known:
        # It had asked rules first, and goes on with their answers.
        activations = tuple(
            activation if each.number == event.activation else each for each in state.activations
        )
    else:
        activations = (*state.activations, activation)
    return replace(
        state,
        activations=activations,
        last_activation=max(state.last_activation, event.activation),
        rounds={**state.rounds, event.step: event.round},
        deciders={step: users for step, users in state.deciders.items() if step != event.step},
    )


def _ask_rules(state: State, event: RulesAsked) -> State:
    def asking(step: Activation) -> Activation:
        return replace(step, asks=event.asks, because=event.because)

    return _in_activation(state, event.activation, asking)


def _hear_rules(state: State, event: RulesAnswered) -> State:
    def answered(step: Activation) -> Activation:
        return replace(step, asks=(), because=None)

    return _in_activation(state, event.activation, answered)


def _reopen(state: State, event: StepReopened) -> State:
    others = [each for each in state.activations if each.number != event.was.number]
    open_now = sorted((*others, event.was), key=lambda each: each.number)
    outcomes = {step: each for step, each in state.outcomes.items() if step != event.was.step}
    return replace(state, activations=tuple(open_now), outcomes=outcomes)


def _end(state: State, event: StepEnded) -> State:
    activation = state.activation(event.activation)
    remaining = tuple(each for each in state.activations if each.number != event.activation)
    state = replace(state, activations=remaining)
    if state.work:
        work = tuple(each for each in state.work if each.activation != event.activation)
        state = replace(state, work=work)
    if state.incidents:
        state = _without_incident(state, event.activation)
    if activation is None or not event.outcome:
        return state
    return replace(state, outcomes={**state.outcomes, activation.step: event.outcome})


def _arrive(state: State, event: BranchArrived) -> State:
    def arrived(block: Activation) -> Activation:
        branches = tuple(
            replace(each, state=event.outcome) if each.id == event.branch else each
            for each in block.branches
        )
        return replace(block, branches=branches)

    activations = tuple(
        arrived(each) if each.number == event.activation else each for each in state.activations
    )
    return replace(state, activations=activations)


def _hold(state: State, event: InstanceHeld) -> State:
    incidents = {**state.incidents, event.activation: event.code}
    return replace(state, incidents=incidents, held=next(iter(incidents.values())))


def _without_incident(state: State, activation: int) -> State:
    incidents = {number: code for number, code in state.incidents.items() if number != activation}
    return replace(state, incidents=incidents, held=next(iter(incidents.values()), None))


def _change_form(state: State, event: FormChanged) -> State:
    return replace(state, values=_changed(state.values, event.changes))


def _set_variables(state: State, event: VariablesSet) -> State:
    return replace(state, variables=_changed(state.variables, event.changes))


def _changed(before: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    values = {**before, **changes}
    return {name: value for name, value in values.items() if value is not None}


def _ask_work(state: State, event: WorkAsked) -> State:
    work = Work(
        number=event.number,
        kind=event.kind,
        activation=event.activation,
        seat=event.seat,
        child=event.child,
        version=event.version,
    )
    return replace(state, work=(*state.work, work), last_job=max(state.last_job, event.number))


def _put_off(state: State, event: WorkPutOff) -> State:
    work = tuple(
        replace(each, put_off=True) if each.number == event.job else each for each in state.work
    )
    return replace(state, work=work)


def _without_work(state: State, event: WorkEnded | TimedOut) -> State:
    return replace(state, work=tuple(each for each in state.work if each.number != event.job))


def _plan_children(state: State, event: ChildrenPlanned) -> State:
    def planned(step: Activation) -> Activation:
        before = len(step.children)
        fresh = (
            Child(number=number, starter=each.starter, item=each.item)
            for number, each in enumerate(event.children, start=before + 1)
        )
        return replace(step, children=(*step.children, *fresh), version=event.version)

    return _in_activation(state, event.activation, planned)


def _start_child(state: State, event: ChildStarted) -> State:
    return _in_child(state, event, {"instance": event.instance, "state": "running"})


def _end_child(state: State, event: ChildEnded) -> State:
    return _in_child(state, event, {"state": event.counts})


def _in_child(state: State, event: ChildStarted | ChildEnded, changes: Mapping[str, Any]) -> State:
    def changed(step: Activation) -> Activation:
        children = tuple(
            replace(each, **changes) if each.number == event.child else each
            for each in step.children
        )
        return replace(step, children=children)

    return _in_activation(state, event.activation, changed)


def _in_activation(state: State, number: int, change: Callable[[Activation], Activation]) -> State:
    activations = tuple(
        change(each) if each.number == number else each for each in state.activations
    )
    return replace(state, activations=activations)


def _move_step(state: State, event: StepMoved) -> State:
    def moved(step: Activation) -> Activation:
        return replace(step, within=event.within, branch=event.branch, resume=event.resume)

    return _in_activation(state, event.activation, moved)


def _migrate(state: State, event: Migrated) -> State:
    values = {name: each for name, each in state.values.items() if name not in event.emptied}
    return replace(state, values=values, versions=_with_version(state, event.old))


def _undo_migration(state: State, event: MigrationUndone) -> State:
    was = msgspec.structs.asdict(event.was)
    held = next(iter(event.was.incidents.values()), None)
    return replace(state, **was, held=held, versions=_with_version(state, event.old))


def _with_version(state: State, version: int) -> tuple[int, ...]:
    """The newest one last, since whoever asks for a step that is gone begins there."""
    return (*(each for each in state.versions if each != version), version)


def _finish(state: State, event: InstanceFinished) -> State:
    return replace(
        state,
        status=event.result,
        activations=(),
        held=None,
        incidents={},
        paused=False,
        work=(),
    )


_FOLDS: Mapping[type, Callable[[State, Any], State]] = {
    **SEAT_FOLDS,
    StepEntered: _enter,
    RulesAsked: _ask_rules,
    RulesAnswered: _hear_rules,
    StepReopened: _reopen,
    StepEnded: _end,
    BranchArrived: _arrive,
    GotoDecided: lambda state, event: replace(
        state, jumps={**state.jumps, event.step: event.count}
    ),
    WentBack: lambda state, _: replace(state, lap=state.lap + 1, approvals=()),
    FormChanged: _change_form,
    VariablesSet: _set_variables,
    Picked: lambda state, event: replace(
        state, picks={**state.picks, event.step: list(event.people)}
    ),
    WorkAsked: _ask_work,
    WorkPutOff: _put_off,
    WorkEnded: _without_work,
    TimedOut: _without_work,
    ChildrenPlanned: _plan_children,
    ChildStarted: _start_child,
    ChildEnded: _end_child,
    InstanceHeld: _hold,
    InstanceReleased: lambda state, event: _without_incident(state, event.activation),
    InstancePaused: lambda state, _: replace(state, paused=True),
    InstanceResumed: lambda state, _: replace(state, paused=False),
    InstanceFinished: _finish,
    StepMoved: _move_step,
    Migrated: _migrate,
    MigrationUndone: _undo_migration,
    Commented: _nothing,
    NoticeSent: _nothing,
    BranchTaken: _nothing,
    BranchLeft: _nothing,
    PeopleAdded: _nothing,
    TaskSnoozed: _nothing,
    SubstituteAsked: _nothing,
}
