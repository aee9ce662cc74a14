"""What holds for every process that can be published and every sequence of commands."""

from __future__ import annotations

from collections import Counter

import msgspec
from hypothesis import HealthCheck, event, given, settings

from tests.engine.histories import WISHES, live, organisations, processes
from workflow.engine.events import (
    AnyEvent,
    CopySent,
    InstanceFinished,
    InstanceStarted,
    StepEnded,
    StepEntered,
    TaskApproved,
    TaskAssigned,
    TaskClosed,
    TaskOpened,
    TaskReassigned,
    TaskRejected,
)
from workflow.engine.evolve import fold
from workflow.engine.flowdoc import ApproveStep, DecideInOrder
from workflow.engine.state import InstanceState, SeatState, State

WAITING = {SeatState.OPEN, SeatState.BLOCKED}
quick = settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example],
)


@quick
@given(processes(), organisations(), WISHES)
def test_every_command_is_carried_out_or_refused_and_nothing_hangs(definition, org, wishes):
    """Acceptance test 3; any exception but a refusal fails inside `Life.give`."""
    life = live(definition, org, wishes)
    event("never started" if life.state is None else life.state.status.value)
    for _, run in life.commands:
        check_state(run.state, definition)
    if life.state is not None:
        check_history(life.events, life.state)


def check_state(state, definition):
    if state.status is not InstanceState.RUNNING:
        assert state.activations == ()
        assert state.held is None
        return
    (activation,) = state.activations  # without parallel blocks there is one
    step = definition.plan.steps[activation.step].step
    waiting = [seat for seat in activation.seats if seat.state in WAITING]
    opened = [seat for seat in waiting if seat.is_open]
    if not isinstance(step, ApproveStep):
        # A durable row exists, and a worker will carry it out.
        assert activation.seats == ()
        assert state.held is None
    elif state.held is not None:
        assert activation.seats == ()
    else:
        assert opened, "a running request waits for nobody"
    if isinstance(step, ApproveStep) and isinstance(step.decide, DecideInOrder):
        assert len(opened) <= 1
    else:
        assert len(opened) == len(waiting)
    holders = [seat.holder for seat in waiting]
    assert len(set(holders)) == len(holders), "one person, one seat"


def check_history(events, state):
    assert fold(events) == state
    assert state.position == len(events)
    assert isinstance(events[0], InstanceStarted)
    kinds = Counter(type(each) for each in events)
    assert kinds[InstanceStarted] == 1
    assert kinds[InstanceFinished] == (state.status is not InstanceState.RUNNING)
    if kinds[InstanceFinished]:
        assert isinstance(events[-1], InstanceFinished)
    check_numbers(events, state)
    check_seats(events, state)
    # The history and the state can be stored and read back.
    stored = msgspec.json.encode(events)
    assert msgspec.json.decode(stored, type=list[AnyEvent]) == events
    assert msgspec.json.decode(msgspec.json.encode(state), type=State) == state


def check_numbers(events, state):
    entered = [each.activation for each in events if isinstance(each, StepEntered)]
    ended = [each.activation for each in events if isinstance(each, StepEnded)]
    seats = [each.seat for each in events if isinstance(each, TaskAssigned | CopySent)]
    assert entered == list(range(1, len(entered) + 1))
    assert seats == list(range(1, len(seats) + 1))
    still_open = [each.number for each in state.activations]
    assert sorted([*ended, *still_open]) == entered


def check_seats(events, state):
    versions: dict[int, int] = {}
    ends: Counter[int] = Counter()
    for each in events:
        if isinstance(each, TaskAssigned):
            versions[each.seat] = 1
        elif isinstance(
            each, TaskOpened | TaskApproved | TaskRejected | TaskClosed | TaskReassigned
        ):
            assert each.version > versions[each.seat], "versions only grow"
            versions[each.seat] = each.version
            ends[each.seat] += isinstance(each, TaskApproved | TaskRejected | TaskClosed)
            if isinstance(each, TaskClosed) and each.by_seat:
                assert each.by_seat in versions
    waiting = {
        seat.number
        for activation in state.activations
        for seat in activation.seats
        if seat.state in WAITING
    }
    assert +ends == dict.fromkeys(versions.keys() - waiting, 1), "each seat ends once"


@quick
@given(processes(), organisations(), WISHES)
def test_the_same_life_gives_the_same_history(definition, org, wishes):
    first, second = live(definition, org, wishes), live(definition, org, wishes)
    assert first.events == second.events
    assert first.state == second.state
