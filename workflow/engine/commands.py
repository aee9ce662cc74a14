"""Everything that can be asked of a request, in the imperative."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Start:
    """File a request. ``number`` was reserved by the runtime; ``values`` are typed JSON values."""

    initiator: int
    number: str
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Approve:
    """Decide a task for it. ``version`` is the one the person saw; ``changes`` are form values."""

    seat: int
    by: int
    version: int
    comment: str = ""
    changes: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Reject:
    """Decide a task against it; the members are those of `Approve`."""

    seat: int
    by: int
    version: int
    comment: str = ""
    changes: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Comment:
    """Say something for the record without deciding."""

    by: int
    comment: str
    step: str = ""


@dataclass(frozen=True, slots=True)
class Reassign:
    """Give an open task to another person (a manager's act, with a reason)."""

    seat: int
    to: int
    by: int
    comment: str


@dataclass(frozen=True, slots=True)
class AssignHeld:
    """Name the person for a step that is held because nobody was found (a manager's act)."""

    activation: int
    to: int
    by: int
    comment: str


@dataclass(frozen=True, slots=True)
class Terminate:
    """End a running request (a manager's act, with a reason)."""

    by: int
    comment: str


@dataclass(frozen=True, slots=True)
class FinishWork:
    """A worker reports that the automatic step of this activation is to be carried out now."""

    activation: int


Command = Start | Approve | Reject | Comment | Reassign | AssignHeld | Terminate | FinishWork
