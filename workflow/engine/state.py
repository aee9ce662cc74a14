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
from typing import Literal

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


WAITING = frozenset({SeatState.OPEN, SeatState.BLOCKED, SeatState.HANDED_ON})

Origin = Literal["designed", "substitute", "added", "delegated", "named", "taken_back"]
Place = Literal["before", "after", "delegate"]


class Seat(msgspec.Struct, frozen=True, omit_defaults=True):
    """One person in one activation. ``version`` guards a decision; siblings never move it.

    ``group`` is the group of people it decides in (0: the step's own). ``chain`` are earlier
    holders, the first one first; ``absent`` is the person whom the holder stands in for;
    ``by`` is the person who added the seat. ``due`` is the moment (RFC 3339, UTC) of its
    deadline, absent when there is none.
    """

    number: int
    holder: int
    state: SeatState = SeatState.OPEN
    version: int = 1
    group: int = 0
    weight: int = 1
    origin: Origin = "designed"
    by: int = 0
    absent: int = 0
    chain: tuple[int, ...] = ()
    due: str = ""

    @property
    def is_open(self) -> bool:
        return self.state is SeatState.OPEN

    @property
    def waits(self) -> bool:
        """Whether it is still to be decided, now or later."""
        return self.state in WAITING


class Group(msgspec.Struct, frozen=True, omit_defaults=True):
    """People who were added to one seat: how they decide among themselves (approvals.md 2.5).

    ``before`` blocks the seat until the group has passed; ``after`` begins when the seat was
    approved; ``delegate`` is one person whose opinion goes back to the seat.
    """

    number: int
    seat: int
    place: Place
    decide: Literal["any", "all", "in_order"] = "all"
    counts: Literal["any_one", "cannot_pass"] = "any_one"


class BranchRun(msgspec.Struct, frozen=True, omit_defaults=True):
    """One branch of a parallel or inclusive block that was entered: how far it has come."""

    id: str
    state: Literal["running", "passed", "rejected"] = "running"


class Child(msgspec.Struct, frozen=True, omit_defaults=True):
    """A request that a subflow step starts; ``instance`` is 0 until it has been started.

    ``held``: a manager has to look at it; ``again``: another one took its place.
    """

    number: int
    starter: int
    item: str = ""
    instance: int = 0
    state: Literal["planned", "running", "passed", "failed", "held", "again"] = "planned"


class Ask(msgspec.Struct, frozen=True, omit_defaults=True):
    """A rule that is asked: its key, the version that the process names (0: the newest), and the
    one that was fixed for it.
    """

    rule: str
    pinned: int = 0
    version: int = 0


class Activation(msgspec.Struct, frozen=True, omit_defaults=True):
    """A step entered once. ``seats`` keep the order in which they were assigned.

    ``within`` is the number of the block's activation around it and ``branch`` the branch of that
    block (0 and "": in the root sequence). A block that runs has ``branches`` and no seats.
    ``resume`` is the step to go straight back to once this one has passed. ``claimed`` is the
    seat that took the work from the pool.
    """

    number: int
    step: str
    round: int = 1
    seats: tuple[Seat, ...] = ()
    within: int = 0
    branch: str = ""
    groups: tuple[Group, ...] = ()
    branches: tuple[BranchRun, ...] = ()
    resume: str = ""
    claimed: int = 0
    children: tuple[Child, ...] = ()
    # The version of the process that the children are requests of.
    version: int = 0
    # Rules that have not answered yet, and why the step was entered that waits for them.
    asks: tuple[Ask, ...] = ()
    because: Reason | None = None

    @property
    def is_asking(self) -> bool:
        """Whether it waits for rules, and nobody was named by hand instead."""
        return bool(self.asks) and not self.seats

    def seat(self, number: int) -> Seat | None:
        """One of its seats."""
        return next((each for each in self.seats if each.number == number), None)

    def child(self, number: int) -> Child | None:
        """One of the requests that it starts."""
        return next((each for each in self.children if each.number == number), None)

    def group(self, number: int) -> Group | None:
        """One of the groups that were added to its seats."""
        return next((each for each in self.groups if each.number == number), None)


class Approval(msgspec.Struct, frozen=True, omit_defaults=True):
    """An approval that a later step may count again (approvals.md 2.4).

    ``form`` is the digest of what the person could see in that step.
    """

    user: int
    step: str
    seat: int
    form: str = ""


class Work(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that a worker will do: a durable row (`flow_job`) as long as it is open.

    ``seat`` is 0 for the work of a whole step. ``put_off``: it fell due while the request was
    paused, and is asked for again when the request goes on.
    """

    number: int
    kind: str
    activation: int
    seat: int = 0
    put_off: bool = False
    child: int = 0
    version: int = 0


class State(msgspec.Struct, frozen=True, omit_defaults=True):
    """The fold of a history; stored as the snapshot on the request's row.

    ``position`` is the number of events folded. ``incidents`` are codes by activation, and
    ``held`` is the first of them, absent when there is none (the list of held requests filters on
    it). ``outcomes`` and ``deciders`` are by step id and of the latest round. ``lap`` rises
    whenever the request goes back; ``approvals`` are those of this lap. ``jumps`` counts how
    often each goto was taken, ``picks`` the people who were picked for a step, ``variables`` what
    automatic steps found out beside the form.
    """

    initiator: int
    position: int = 0
    number: str = ""
    status: InstanceState = InstanceState.RUNNING
    values: dict[str, Value] = msgspec.field(default_factory=dict)
    activations: tuple[Activation, ...] = ()
    last_activation: int = 0
    last_seat: int = 0
    last_job: int = 0
    outcomes: dict[str, str] = msgspec.field(default_factory=dict)
    deciders: dict[str, list[int]] = msgspec.field(default_factory=dict)
    rounds: dict[str, int] = msgspec.field(default_factory=dict)
    held: str | None = None
    incidents: dict[int, str] = msgspec.field(default_factory=dict)
    paused: bool = False
    lap: int = 1
    approvals: tuple[Approval, ...] = ()
    jumps: dict[str, int] = msgspec.field(default_factory=dict)
    picks: dict[str, list[int]] = msgspec.field(default_factory=dict)
    variables: dict[str, Value] = msgspec.field(default_factory=dict)
    work: tuple[Work, ...] = ()
    # The request whose subflow step started this one; 0: a person filed it.
    parent: int = 0
    # Ids of the versions that it has gone by before or meanwhile; absent when it never moved.
    versions: tuple[int, ...] = ()

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

    def inside(self, block: int) -> tuple[Activation, ...]:
        """The open activations within a block, at any depth, in the order of their numbers."""
        blocks = {block}
        found = []
        for each in self.activations:
            if each.within in blocks:
                blocks.add(each.number)
                found.append(each)
        return tuple(found)

    def work_of(self, activation: int, seat: int = 0) -> Work | None:
        """The open work of a step, or the deadline of one of its seats."""
        for each in self.work:
            if each.activation == activation and each.seat == seat:
                return each
        return None
