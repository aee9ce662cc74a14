"""What a preview shows: the steps ahead with reasons, and with what nobody can know yet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from workflow.engine.events import Chosen, Dropped, Leaf

# An empty field, people whom nobody has picked yet, whoever decides earlier, a rule.
Waits = Literal["form", "pick", "decider", "rule"]
# By the self rule, by an earlier approval, because a later step asks the same person.
Why = Literal["self", "earlier", "later"]
# How the way ends here, or "" when it goes on: the request's result, only the branch of a block,
# a manager has to help, it cannot be filed, it goes back.
Ends = Literal["", "approved", "rejected", "cancelled", "branch", "held", "refused", "returned"]


@dataclass(frozen=True, slots=True)
class Unknowable:
    """Why people are not known yet: ``of`` is the field, the picking step, the earlier step …"""

    why: Waits
    of: str


@dataclass(frozen=True, slots=True)
class Passing:
    """A person who need not act. ``of`` is the earlier or later step; not ``sure``: perhaps."""

    user: int
    why: Why
    of: str = ""
    sure: bool = True


@dataclass(frozen=True, slots=True)
class ForeseenBranch:
    """One way through a block. ``taken`` is nothing when it depends on ``depends_on``.

    ``leaves`` are the questions that have an answer already; ``otherwise``: it has no condition.
    """

    id: str
    name: str
    taken: bool | None
    leaves: tuple[Leaf, ...] = ()
    depends_on: tuple[Depends, ...] = ()
    steps: tuple[Foreseen, ...] = ()
    otherwise: bool = False


@dataclass(frozen=True, slots=True)
class Depends:
    """What a condition asked without an answer: a field's id, a step's id, or a rule's key."""

    kind: str
    of: str


@dataclass(frozen=True, slots=True)
class Foreseen:
    """One step ahead, in the order in which it would be reached.

    ``sure``: every way leads to it as far as is known now. ``now``: it is open already.
    ``people`` with the reason for each, ``mode`` how they decide (of a draw: one of them),
    ``dropped`` who is left out, ``passes`` who need not act, ``unknown`` why people may still
    change; ``when_empty`` is the empty rule's word when nobody was found. ``taken``,
    ``depends_on`` and ``leaves`` are those of a goto, and ``to`` is where it leads.
    """

    step: str
    kind: str
    name: str
    sure: bool = True
    now: bool = False
    mode: str = ""
    people: tuple[Chosen, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    passes: tuple[Passing, ...] = ()
    unknown: tuple[Unknowable, ...] = ()
    when_empty: str = ""
    ends: Ends = ""
    taken: bool | None = None
    to: str = ""
    depends_on: tuple[Depends, ...] = ()
    leaves: tuple[Leaf, ...] = ()
    branches: tuple[ForeseenBranch, ...] = ()
