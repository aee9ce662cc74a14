"""What a decision did to people's tasks: whose are new, which are watched, which are over.

Theory of operation. The states before and after the decision are compared, so it does not matter
by which events a task came to its holder, and whatever was opened and closed again within one
decision leaves no trace here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workflow.engine.events import Migrated, MigrationUndone, StepReopened, TaskReleased
from workflow.engine.flowdoc.steps import HumanStep
from workflow.models import SPAN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from workflow.engine.flowdoc.rules import Deadline
    from workflow.engine.state import Activation, Seat, State
    from workflow.runtime.subscribers import Happened


@dataclass(frozen=True, slots=True)
class Placed:
    """A seat and the activation that it belongs to."""

    activation: Activation
    seat: Seat


@dataclass(frozen=True, slots=True)
class Seats:
    """The waiting seats before and after one decision, by number."""

    happened: Happened
    before: Mapping[int, Placed]
    after: Mapping[int, Placed]
    # Seats of steps that had ended and stand again, because a decision was taken back.
    reopened: frozenset[int]

    @classmethod
    def of(cls, happened: Happened) -> Seats:
        """Compare what was with what is."""
        reopened = frozenset(
            seat.number
            for event in happened.events
            if isinstance(event, StepReopened)
            for seat in event.was.seats
        )
        return cls(happened, _waiting(happened.before), _waiting(happened.after), reopened)

    def task_id(self, seat: Seat) -> int:
        """The id of a seat's task outside."""
        return self.happened.instance_id * SPAN + seat.number

    def given(self) -> Iterator[Placed]:
        """Open seats that have another holder than before, or wait for him only now.

        Whoever gets work back because somebody else gave it back to the pool has had it before;
        and moving a request to another version, there and back, gives nobody anything that he
        had (decision 22).
        """
        if any(isinstance(each, TaskReleased) for each in self.happened.events):
            return
        undone = any(isinstance(each, MigrationUndone) for each in self.happened.events)
        moved = any(isinstance(each, Migrated) for each in self.happened.events)
        for number, placed in self.after.items():
            if not placed.seat.is_open or (undone and number in self.reopened):
                continue
            old = self.before.get(number)
            if old is not None and old.seat.is_open and old.seat.holder == placed.seat.holder:
                continue
            if not (moved and self._had(placed)):
                yield placed

    def newly_timed(self) -> Iterator[Placed]:
        """Waiting seats whose deadline began, or begins anew."""
        for number, placed in self.after.items():
            old = self.before.get(number)
            due = old.seat.due if old is not None else ""
            if placed.seat.due not in {"", due} and number not in self.reopened:
                yield placed

    def handed_over(self) -> Iterator[Placed]:
        """Waiting seats that another person holds, with the deadline that they had."""
        for number, placed in self.after.items():
            old = self.before.get(number)
            if old is None or not placed.seat.due or old.seat.due != placed.seat.due:
                continue
            if old.seat.holder != placed.seat.holder:
                yield placed

    def over(self) -> list[str]:
        """The reminder keys of timed seats that wait no longer."""
        return [
            str(self.task_id(placed.seat))
            for number, placed in self.before.items()
            if number not in self.after and placed.seat.due
        ]

    def again(self) -> list[str]:
        """The reminder keys of timed seats that had ended, and wait again."""
        return [
            str(self.task_id(placed.seat))
            for number, placed in self.after.items()
            if number in self.reopened and number not in self.before and placed.seat.due
        ]

    def let_go(self) -> list[int]:
        """The ids of the tasks that waited for whoever did this, and do so no longer."""
        actor = self.happened.actor_id
        return [
            self.task_id(placed.seat)
            for number, placed in self.before.items()
            if placed.seat.holder == actor
            and (number not in self.after or self.after[number].seat.holder != actor)
        ]

    def deadline_of(self, placed: Placed) -> Deadline | None:
        """The rule by which a seat is timed, in the version that the request goes by now."""
        planned = self.happened.definition.plan.steps.get(placed.activation.step)
        step = planned.step if planned is not None else None
        return step.deadline if isinstance(step, HumanStep) else None

    def _had(self, placed: Placed) -> bool:
        return any(
            old.seat.is_open
            and old.seat.holder == placed.seat.holder
            and old.activation.step == placed.activation.step
            for old in self.before.values()
        )


def _waiting(state: State | None) -> dict[int, Placed]:
    return {
        seat.number: Placed(activation, seat)
        for activation in (state.activations if state is not None else ())
        for seat in activation.seats
        if seat.waits
    }
