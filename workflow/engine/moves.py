"""The words in which the parts of a decision speak of where a request goes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from workflow.engine.plan import Target
    from workflow.engine.state import Activation, Reason


class Lane(NamedTuple):
    """Where one step at a time is open: the root sequence, or one branch of a block that runs.

    ``within`` is the number of the block's activation (0: the root), ``branch`` the branch's id.
    A choice has no lanes of its own: its branches belong to the lane that it stands in.
    """

    within: int = 0
    branch: str = ""


ROOT = Lane()


class Entry(NamedTuple):
    """How a step is entered when it was not simply reached (the members of StepEntered)."""

    because: Reason | None = None
    resume: str = ""


REACHED = Entry()


class Move(NamedTuple):
    """The next thing to do in a lane: enter a step, arrive at a join, or end."""

    target: Target
    lane: Lane
    entry: Entry = REACHED


class Verdict(StrEnum):
    """How a step that asks people ended."""

    PASSED = "passed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of asking people, now or after a change of seats.

    ``activation`` as it stood before it ended; ``verdict`` nothing while it is open, and then no
    event of its end was emitted. With a verdict its seats are closed and StepEnded was emitted.
    ``by_seat`` is the seat whose decision ended it (0: a rule), ``reason`` why it ended.
    """

    activation: Activation
    verdict: Verdict | None
    reason: Reason
    by_seat: int = 0


def lane_of(activation: Activation) -> Lane:
    """The lane that a step stands in."""
    return Lane(activation.within, activation.branch)
