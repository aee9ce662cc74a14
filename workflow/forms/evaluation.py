"""Whether a condition holds: true, false or not known yet, with the reason of each leaf.

Theory of operation. The logic is Kleene's: `all` is false as soon as one part is false, `any` true
as soon as one part is true, and otherwise an unknown part makes the whole unknown. So learning
more can turn "unknown" into an answer but never an answer into another one, and a preview of a
half-filled form says "depends on …" where a running request decides (spec, Conditions).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, Literal, Protocol

from workflow.forms.conditions import Cond, Scalar, Shape, parts, shape
from workflow.forms.operators import holds, is_empty

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from workflow.forms.scalars import FieldType, Value


class Unknown(Enum):
    """The type of `UNKNOWN`: an answer that nobody can give yet."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN


class View(Protocol):
    """What a condition may ask; the answers are those of one request at one moment."""

    @property
    def today(self) -> date:
        """The calendar day of the tenant, for `within_last` and `within_next`."""

    def value(self, field_id: str, /) -> Value | Unknown:
        """The field's value; None when it has none, UNKNOWN when it may still get one."""

    def field_type(self, field_id: str, /) -> FieldType | None:
        """The field's type in the request's form; None when there is no such field."""

    def initiator_in(
        self, kind: Literal["role", "department", "is"], ids: tuple[str, ...], /
    ) -> bool | None:
        """Whether the initiator has one of these roles, sits in or below one of these
        departments, or is one of these people (codes and logins); None when unknown."""

    def outcome(self, step_id: str, /) -> str | Unknown | None:
        """How a step ended: approved, rejected, skipped; None when it has not ended."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to one node, and in a leaf what was asked and seen.

    `asked` is a field id, `role` | `department` | `is` for the initiator, a rule key or a step id.
    `no_value` says that the leaf is false (or, for `ne`, true) because nothing was filled in.
    Whoever shows `seen` leaves out the fields that the reader may not see.
    """

    kind: Shape
    result: bool | None
    parts: tuple[Verdict, ...] = ()
    asked: str = ""
    op: str = ""
    expected: Scalar | tuple[Scalar, ...] | None = None
    seen: Value = None
    no_value: bool = False

    def leaves(self) -> Iterator[Verdict]:
        """The leaves in document order."""
        if self.kind not in {"all", "any", "not"}:
            yield self
        for part in self.parts:
            yield from part.leaves()

    def depends_on(self) -> tuple[str, ...]:
        """What was asked without an answer, each once: the "depends on …" of a preview."""
        return tuple(dict.fromkeys(leaf.asked for leaf in self.leaves() if leaf.result is None))


def evaluate(cond: Cond, view: View) -> Verdict:
    """Evaluate every part, so that the explanation is whole; never raises for a decoded `cond`."""
    kind = shape(cond)
    if kind in {"all", "any", "not"}:
        verdicts = tuple(evaluate(part, view) for _, part in parts(cond))
        results = [verdict.result for verdict in verdicts]
        return Verdict(kind, _combined(kind, results), verdicts)
    if kind == "field":
        return _field(cond, view)
    if kind == "initiator":
        return _initiator(cond, view)
    if kind == "step":
        return _outcome(cond, view)
    # Rules are asked by a durable step outside the decision; until then nobody knows.
    expected = True if cond.is_ is None else cond.is_
    return Verdict("rule", None, asked=cond.rule or "", op="is", expected=expected)


def text_of(value: Scalar | tuple[Scalar, ...] | None) -> str:
    """A value or operand as one plain text, for the history."""
    if isinstance(value, tuple):
        return ", ".join(text_of(item) for item in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _combined(kind: Shape, results: list[bool | None]) -> bool | None:
    if kind == "not":
        return None if results[0] is None else not results[0]
    decisive = kind == "any"
    if decisive in results:
        return decisive
    return None if None in results else not decisive


def _field(cond: Cond, view: View) -> Verdict:
    asked, op = cond.field or "", cond.op or ""
    kind, seen = view.field_type(asked), view.value(asked)
    if kind is None or isinstance(seen, Unknown):
        return Verdict("field", None, asked=asked, op=op, expected=cond.value)
    missing = is_empty(seen)
    if op in {"empty", "not_empty"}:
        result: bool | None = missing is (op == "empty")
    elif missing:
        result = op == "ne"
    else:
        today = view.today if op.startswith("within_") else None
        result = holds(kind, op, seen, cond.value, today)
    return Verdict("field", result, (), asked, op, cond.value, seen, no_value=missing)


def _initiator(cond: Cond, view: View) -> Verdict:
    kinds: dict[str, Literal["role", "department", "is"]] = {
        "in_role": "role", "in_department": "department", "is": "is",
    }  # fmt: skip
    asked, ids = kinds[cond.initiator or "is"], cond.ids or ()
    return Verdict("initiator", view.initiator_in(asked, ids), asked=asked, op="in", expected=ids)


def _outcome(cond: Cond, view: View) -> Verdict:
    asked = cond.step or ""
    seen = view.outcome(asked)
    if isinstance(seen, Unknown):
        return Verdict("step", None, asked=asked, op="is", expected=cond.outcome)
    return Verdict(
        "step", seen == cond.outcome, (), asked, "is", cond.outcome, seen, no_value=seen is None
    )
