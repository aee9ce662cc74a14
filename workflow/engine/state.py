"""What a running request is at this moment: the fold of its history.

Theory of operation. A request stands on *activations*: a step entered once, with a round number.
An activation that asks people has *seats*: one person in one activation, which outside is called
a task. Activations and seats are numbered from 1 in the order in which they appear, so the same
history always gives the same numbers, and nothing here is random. The state keeps only the open
activations in full, and of the past what a later decision may ask for (outcomes, deciders,
rounds), so that the hundredth step costs what the first one did.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from workflow.forms.scalars import Value


class InstanceState(StrEnum):
    """Contract, Shapes: the states of a request."""

    RUNNING = "running"
    APPROVED = "approved"
    REJECTED = "rejected"
    CANCELLED = "cancelled"
    TERMINATED = "terminated"


class ActivationState(StrEnum):
    """approvals.md 2.13: the states of a step entered once."""

    WAITING = "waiting"
    OPEN = "open"
    PASSED = "passed"
    REFUSED = "refused"
    RETURNED = "returned"
    CLOSED = "closed"
    TIMED_OUT = "timed_out"
    SKIPPED = "skipped"


class SeatState(StrEnum):
    """approvals.md 2.13 and the contract: the states of a task."""

    BLOCKED = "blocked"
    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"
    DONE = "done"
    OPINION_GIVEN = "opinion_given"
    HANDED_ON = "handed_on"
    CLOSED = "closed"
    TAKEN_BACK = "taken_back"


class Reason(StrEnum):
    """approvals.md 2.13: why a state changed."""

    HUMAN = "human"
    TIMEOUT = "timeout"
    DEDUPE = "dedupe"
    SELF_RULE = "self_rule"
    EMPTY_RULE = "empty_rule"
    AUTO_STEP = "auto_step"
    SIBLING_DECIDED = "sibling_decided"
    RETURNED = "returned"
    CANCELLED = "cancelled"
    MIGRATED = "migrated"
    ADMIN = "admin"
    SUBSTITUTE = "substitute"


class Seat(msgspec.Struct, frozen=True, omit_defaults=True):
    """One person in one activation. ``version`` guards a decision; siblings never move it."""

    number: int
    holder: int
    state: SeatState = SeatState.OPEN
    version: int = 1

    @property
    def is_open(self) -> bool:
        return self.state is SeatState.OPEN


class Activation(msgspec.Struct, frozen=True, omit_defaults=True):
    """A step entered once. ``seats`` keep the order in which they were assigned."""

    number: int
    step: str
    round: int = 1
    seats: tuple[Seat, ...] = ()


class State(msgspec.Struct, frozen=True, omit_defaults=True):
    """The fold of a history; stored as the snapshot on the request's row.

    ``position`` is the number of events folded; ``held`` is the code of an incident, absent when
    there is none (the list of held requests filters on it); ``outcomes`` and ``deciders`` are by
    step id and of the latest round.
    """

    initiator: int
    position: int = 0
    status: InstanceState = InstanceState.RUNNING
    values: dict[str, Value] = msgspec.field(default_factory=dict)
    activations: tuple[Activation, ...] = ()
    last_activation: int = 0
    last_seat: int = 0
    outcomes: dict[str, str] = msgspec.field(default_factory=dict)
    deciders: dict[str, list[int]] = msgspec.field(default_factory=dict)
    rounds: dict[str, int] = msgspec.field(default_factory=dict)
    held: str | None = None

    def activation(self, number: int) -> Activation | None:
        """The open activation of that number, or nothing when it is not open."""
        return next((each for each in self.activations if each.number == number), None)

    def seat(self, number: int) -> tuple[Activation, Seat] | None:
        """A seat of an open activation with the activation it belongs to."""
        for activation in self.activations:
            for seat in activation.seats:
                if seat.number == number:
                    return activation, seat
        return None
