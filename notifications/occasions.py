"""What happened to the tasks and steps of a request that its process may want told (`on_event`).

An event is one of a task (contract, Events of a step); a step that asks nobody has only its end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workflow.engine.events import (
    CopySent,
    StepEnded,
    StepEntered,
    TaskApproved,
    TaskAssigned,
    TaskClosed,
    TaskCompleted,
    TaskRejected,
    TaskReturned,
    TimedOut,
)
from workflow.engine.flowdoc.steps import HumanStep
from workflow.engine.state import ActivationState, Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workflow.engine.flowdoc.steps import AnyStep
    from workflow.engine.state import Activation, State
    from workflow.runtime.subscribers import Happened

# Event → the word of `on_event`, and what the task was decided as.
_OF_TASKS: dict[type[Any], tuple[str, str]] = {
    TaskApproved: ("approved", "approved"),
    TaskCompleted: ("approved", "done"),
    TaskRejected: ("rejected", "rejected"),
    TaskReturned: ("returned", "returned"),
    TaskClosed: ("closed", "closed"),
    TimedOut: ("timed_out", ""),
}
_OF_STEPS = {
    ActivationState.PASSED: "approved",
    ActivationState.REFUSED: "rejected",
    ActivationState.CLOSED: "closed",
}


@dataclass(frozen=True, slots=True)
class Occasion:
    """Something that a step may have told; seat and holder are 0 where nobody was asked.

    ``moved``: it only ended because the request goes on by another version of its process.
    """

    on: str
    step: str
    activation: int
    seat: int = 0
    holder: int = 0
    decision: str = ""
    comment: str = ""
    moved: bool = False


def step_of(happened: Happened, step_id: str) -> AnyStep | None:
    """A step of the version that the request goes by now."""
    planned = happened.definition.plan.steps.get(step_id)
    return planned.step if planned is not None else None


def occasions(happened: Happened) -> Iterator[Occasion]:
    """What happened to tasks, and how steps ended that ask nobody, in order."""
    known = _Known.of(happened)
    for event in happened.events:
        known.take(event)
        words = _OF_TASKS.get(type(event))
        if words is not None:
            yield known.of_task(words, event)
        elif isinstance(event, StepEnded) and event.state in _OF_STEPS:
            name = known.steps.get(event.activation, "")
            if not isinstance(step_of(happened, name), HumanStep):
                moved = event.reason is Reason.MIGRATED
                yield Occasion(_OF_STEPS[event.state], name, event.activation, moved=moved)


class _Known:
    """Which step an activation is of, and whose a seat is, while the events are read."""

    def __init__(self) -> None:
        self.steps: dict[int, str] = {}
        self.seats: dict[int, tuple[int, int]] = {}

    @classmethod
    def of(cls, happened: Happened) -> _Known:
        known = cls()
        # What stood before says whose a seat was when it happened.
        for state in (happened.after, happened.before):
            known.look_at(state)
        return known

    def look_at(self, state: State | None) -> None:
        for activation in state.activations if state is not None else ():
            self.remember(activation)

    def remember(self, activation: Activation) -> None:
        self.steps[activation.number] = activation.step
        self.seats.update(
            (seat.number, (activation.number, seat.holder)) for seat in activation.seats
        )

    def take(self, event: object) -> None:
        if isinstance(event, StepEntered):
            self.steps[event.activation] = event.step
        elif isinstance(event, TaskAssigned | CopySent):
            self.seats[event.seat] = (event.activation, event.holder)

    def of_task(self, words: tuple[str, str], event: Any) -> Occasion:
        on, decision = words
        activation, holder = self.seats.get(event.seat, (0, 0))
        return Occasion(
            on,
            self.steps.get(activation, ""),
            activation,
            event.seat,
            holder,
            decision,
            getattr(event, "comment", ""),
            moved=getattr(event, "reason", None) is Reason.MIGRATED,
        )
