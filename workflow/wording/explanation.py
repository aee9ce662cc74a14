"""What an explanation consists of: reasons, questions, people, endings, step by step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from workflow.wording.entering import Because
    from workflow.wording.votes import Votes


@dataclass(frozen=True, slots=True)
class Said:
    """One reason: a stable code, the sentence, and the people and seats that it speaks of.

    ``person``, ``other`` and ``seat`` are numbers, 0 for nobody and none. ``args`` are the plain
    values behind the sentence; of what the reader may not see they are only ``hidden: true``.
    """

    code: str
    message: str
    person: int = 0
    other: int = 0
    seat: int = 0
    args: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Condition:
    """A way that was taken or not, with each question that was asked for it.

    ``code``: branch_taken, branch_left, goto_taken, goto_not_taken.
    """

    code: str
    step: str
    branch: str
    branch_name: str
    questions: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class Asked(Said):
    """A person of the step: ``other`` is whom he stands in for; ``state`` is that of the seat."""

    state: str = ""
    state_text: str = ""
    chain: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Ending:
    """How a step, or the request, ended, and why; ``seat`` decided it (0: a rule)."""

    at: datetime
    state: str
    reason: str
    message: str
    seat: int = 0
    conditions: tuple[Condition, ...] = ()


@dataclass(slots=True)
class Explanation:
    """A step entered once. ``within`` is the block around it (0: none), ``branch`` its branch."""

    activation: int
    step: str
    name: str
    kind: str
    round: int
    within: int
    branch: str
    entered_at: datetime
    because: Because
    because_text: str
    conditions: tuple[Condition, ...]
    people: list[Asked] = field(default_factory=list)
    left_out: list[Said] = field(default_factory=list)
    rules: list[Said] = field(default_factory=list)
    incidents: list[Said] = field(default_factory=list)
    votes: Votes | None = None
    votes_text: str = ""
    ended: Ending | None = None


@dataclass(frozen=True, slots=True)
class Explained:
    """A whole request: its steps in the order in which they were entered, and its end."""

    steps: tuple[Explanation, ...]
    ended: Ending | None
