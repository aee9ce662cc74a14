"""Conditions as a typed tree that we evaluate ourselves and never as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, assert_never

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

Scalar = str | int | bool
Shape = Literal["all", "any", "not", "field", "initiator", "rule", "step"]

DEEPEST = 8
MOST_LEAVES = 100


class Cond(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """One node of a condition; exactly one of the seven shapes (spec, Conditions).

    `{all}` | `{any}` | `{not}` | `{field, op, value}` | `{initiator, ids}` |
    `{rule, version, is}` | `{step, outcome}`. The struct alone admits mixtures of them;
    `workflow.forms.condition_reading.read_cond` refuses these with a position.
    """

    all_of: tuple[Cond, ...] | None = msgspec.field(default=None, name="all")
    any_of: tuple[Cond, ...] | None = msgspec.field(default=None, name="any")
    negated: Cond | None = msgspec.field(default=None, name="not")
    field: str | None = None
    op: str | None = None
    value: Scalar | tuple[Scalar, ...] | None = None
    initiator: Literal["in_role", "in_department", "is"] | None = None
    ids: tuple[str, ...] | None = None
    rule: str | None = None
    version: int | Literal["latest_at_entry"] | None = None
    is_: Scalar | None = msgspec.field(default=None, name="is")
    step: str | None = None
    outcome: Literal["approved", "rejected", "skipped"] | None = None


def shape(cond: Cond) -> Shape:
    """Which of the seven shapes a node has.

    Raises ValueError for a node that has none, which no decoded document contains.
    """
    marks: tuple[tuple[Shape, object], ...] = (
        ("all", cond.all_of),
        ("any", cond.any_of),
        ("not", cond.negated),
        ("field", cond.field),
        ("initiator", cond.initiator),
        ("rule", cond.rule),
        ("step", cond.step),
    )
    for name, mark in marks:
        if mark is not None:
            return name
    raise ValueError("a condition without a shape")


def parts(cond: Cond) -> tuple[tuple[str, Cond], ...]:
    """The nodes directly below, each with the end of its JSON Pointer; a leaf has none."""
    kind = shape(cond)
    match kind:
        case "all":
            return tuple((f"/all/{at}", part) for at, part in enumerate(cond.all_of or ()))
        case "any":
            return tuple((f"/any/{at}", part) for at, part in enumerate(cond.any_of or ()))
        case "not":
            return () if cond.negated is None else (("/not", cond.negated),)
        case "field" | "initiator" | "rule" | "step":
            return ()
        case _:
            assert_never(kind)


def leaves(cond: Cond, at: str = "") -> Iterator[tuple[str, Cond]]:
    """Every leaf with its JSON Pointer, in document order; `at` is the position of `cond`."""
    waiting = [(at, cond)]
    while waiting:
        where, node = waiting.pop()
        below = parts(node)
        if not below and shape(node) not in {"all", "any"}:
            yield where, node
        waiting.extend((where + end, part) for end, part in reversed(below))


def fields_of(cond: Cond) -> tuple[str, ...]:
    """The ids of the fields that a condition reads, each once, in document order."""
    return tuple(dict.fromkeys(leaf.field for _, leaf in leaves(cond) if leaf.field is not None))
