"""What all events share, and the reasons that they carry."""

from __future__ import annotations

import msgspec


class Event(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field="event"):
    """Base of all events; the tag is the stored kind."""


class Leaf(msgspec.Struct, frozen=True, omit_defaults=True):
    """One question of a condition with the value it saw (explanations, approvals.md 5.1).

    ``held`` answers the question itself; ``denied``: it stands under a *not*.
    """

    asked: str
    op: str
    expected: str = ""
    seen: str = ""
    held: bool = False
    no_value: bool = False
    kind: str = "field"
    denied: bool = False


class Chosen(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a person was chosen: the source's kind and what of it (a role's code, a login …).

    ``instead_of``: the source named that person, who is absent; this one is the substitute.
    """

    user: int
    by: str
    of: str = ""
    instead_of: int = 0


class Dropped(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a person was left out: disabled, excluded, is the initiator, beyond the cap …

    ``login`` is what a rule named where there is nobody of that name (then ``user`` is 0).
    """

    user: int
    why: str
    login: str = ""
