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
    WorkAsked,
)
from workflow.engine.evolve import fold
from workflow.engine.flowdoc import HumanStep
from workflow.engine.seat_folds import SEAT_FOLDS
from workflow.engine.state import InstanceState, State

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
    """No open seat after the end, no request that waits for nobody, one person one seat."""
    if state.status is not InstanceState.RUNNING:
        assert state.activations == ()
        assert state.held is None
        assert state.work == ()
        return
    assert state.activations, "a running request stands somewhere"
    assert state.held == next(iter(state.incidents.values()), None)
    for activation in state.activations:
        check_activation(activation, state, definition)
    lanes = [(each.within, each.branch) for each in state.activations]
    assert len(set(lanes)) == len(lanes), "in each lane one step at a time"
    for work in state.work:
        assert state.activation(work.activation), "work belongs to an open step"


def check_activation(activation, state, definition):
    if activation.within:
        block = state.activation(activation.within)
        assert block is not None, "a step inside a block that is over"
        (run,) = [each for each in block.branches if each.id == activation.branch]
        assert run.state == "running"
    if activation.branches:
        inside = [each for each in state.activations if each.within == activation.number]
        running = [each.id for each in activation.branches if each.state == "running"]
        assert sorted(each.branch for each in inside) == sorted(running)
        return
    waiting = [seat for seat in activation.seats if seat.waits]
    planned = definition.plan.steps.get(activation.step)
    if activation.asks:
        asked = [(each.rule, each.pinned) for each in activation.asks]
        assert len(set(asked)) == len(asked), "each rule is asked once"
    if activation.is_asking or (planned is not None and not isinstance(planned.step, HumanStep)):
        # A durable row exists, and a worker will carry it out; or a manager has to act.
        assert state.work_of(activation.number) or activation.number in state.incidents
    elif activation.number not in state.incidents:
        assert any(seat.is_open for seat in waiting), "a step waits for nobody"
    holders = [seat.holder for seat in waiting]
    assert len(set(holders)) == len(holders), "one person, one seat"
    for work in state.work:
        if work.seat and work.activation == activation.number:
            assert activation.seat(work.seat).waits, "a deadline of a seat that is decided"


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
    # What has asked rules is entered once more, under its number, when they have answered.
    entered = list(
        dict.fromkeys(each.activation for each in events if isinstance(each, StepEntered))
    )
    ended = [each.activation for each in events if isinstance(each, StepEnded)]
    opened = [
        each.activation if isinstance(each, StepEntered) else each.was.number
        for each in events
        if isinstance(each, StepEntered | StepReopened)
    ]
    seats = [each.seat for each in events if isinstance(each, TaskAssigned | CopySent)]
    jobs = [each.job for each in events if isinstance(each, WorkAsked)]
    assert entered == list(range(1, len(entered) + 1))
    assert seats == list(range(1, len(seats) + 1))
    assert jobs == list(range(1, len(jobs) + 1))
    still_open = {each.number for each in state.activations}
    # A block that still waits may be opened again too, when an arrival is taken back.
    assert set(ended) | still_open == set(opened)
    assert all(count == 1 for count in Counter(entered).values())


_ENDS = (
    TaskApproved,
    TaskRejected,
    TaskCompleted,
    TaskReturned,
    OpinionGiven,
    TaskClosed,
    TaskTakenBack,
)


def check_seats(events, state):
    seats = Seats()
    for each in events:
        seats.see(each)
    waiting = {
        seat.number for activation in state.activations for seat in activation.seats if seat.waits
    }
    assert seats.over == seats.versions.keys() - waiting, "each seat ends, or waits"


class Seats:
    """What the history says of each seat: its version, and whether it is over."""

    def __init__(self):
        self.versions: dict[int, int] = {}
        self.over: set[int] = set()

    def see(self, each):
        if isinstance(each, TaskAssigned):
            self.versions[each.seat] = 1
            if each.state not in {"open", "blocked"}:
                self.over.add(each.seat)
        elif isinstance(each, StepReopened):
            for seat in each.was.seats:
                if seat.waits:
                    self.move(seat.number, seat.version)
                    self.over.discard(seat.number)
        elif type(each) in SEAT_FOLDS and hasattr(each, "version"):
            self.happen(each)

    def happen(self, each):
        self.move(each.seat, each.version)
        if isinstance(each, TaskTakenBack):
            self.over.discard(each.seat)
        assert each.seat not in self.over, "nothing happens to a seat that is over"
        if isinstance(each, _ENDS):
            self.over.add(each.seat)
        if isinstance(each, TaskClosed) and each.by_seat:
            assert each.by_seat in self.versions

    def move(self, seat, version):
        assert version > self.versions[seat], "versions only grow"
        self.versions[seat] = version


@quick
@given(processes(), organisations(), WISHES)
def test_the_same_life_gives_the_same_history(definition, org, wishes):
    first, second = live(definition, org, wishes), live(definition, org, wishes)
    assert first.events == second.events
    assert first.state == second.state
