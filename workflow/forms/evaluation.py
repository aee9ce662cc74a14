"""Whether a condition holds: true, false or not known yet, with the reason of each leaf.

Theory of operation. The logic is Kleene's: `all` is false as soon as one part is false, `any` true
as soon as one part is true, and otherwise an unknown part makes the whole unknown. So learning
more can turn "unknown" into an answer but never an answer into another one, and a preview of a
half-filled form says "depends on …" where a running request decides (spec, Conditions).
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Final, Literal, Protocol

from workflow.forms.conditions import Cond, Scalar, Shape, parts, shape
from workflow.forms.operators import TABLE_OPERATOR, holds, is_empty
from workflow.forms.scalars import EXACT, decimal_of, plain, rows_of, texts_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from workflow.forms.scalars import FieldType, Row, Value


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

    def rule_says(self, rule: str, pinned: int, /) -> Value | Unknown:
        """What a rule has answered, in this version (0: the newest); UNKNOWN when not asked."""

    def outcome(self, step_id: str, /) -> str | Unknown | None:
        """How a step ended: approved, rejected, skipped; None when it has not ended."""

    def lies_under(
        self,
        kind: Literal["user", "department"],
        ids: tuple[str, ...],
        departments: tuple[str, ...],
        /,
    ) -> bool | None:
        """Whether one of these people sits in or below, or one of these departments is or lies
        below, one of `departments` (logins and codes); None when unknown."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to one node, and in a leaf what was asked and seen.

    `asked` is a field id, `table.column` for the sum of a column, `role` | `department` | `is`
    for the initiator, a rule key or a step id.
    `denied` is set by `leaves` for what stands under a *not*.
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
    denied: bool = False

    def leaves(self, *, denied: bool = False) -> Iterator[Verdict]:
        """The leaves in document order; those under a *not* (an odd number of them) say so."""
        if self.kind not in {"all", "any", "not"}:
            yield replace(self, denied=True) if denied else self
        for part in self.parts:
            yield from part.leaves(denied=denied != (self.kind == "not"))

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
    return _rule(cond, view)


def text_of(value: Value | tuple[Scalar, ...]) -> str:
    """A value or operand as one plain text, for the history; of a table the number of its rows.

    What stands in the rows is never told here: not every reader sees every column.
    """
    if rows := rows_of(value):
        return str(len(rows))
    if isinstance(value, tuple):
        return ", ".join(text_of(item) for item in value if not isinstance(item, dict))
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
    if kind == "table":
        return _rows(cond, asked, op, seen)
    missing = is_empty(seen)
    if op in {"empty", "not_empty"}:
        result: bool | None = missing is (op == "empty")
    elif missing:
        result = op == "ne"
    elif op == "under":
        result = _lies_under(cond, kind, seen, view)
    else:
        today = view.today if op.startswith("within_") else None
        result = holds(kind, op, seen, cond.value, today)
    return Verdict("field", result, (), asked, op, cond.value, seen, no_value=missing)


def _lies_under(cond: Cond, kind: FieldType, seen: Value, view: View) -> bool | None:
    departments = cond.value if isinstance(cond.value, tuple) else ()
    codes = tuple(code for code in departments if isinstance(code, str))
    if kind == "user" or kind == "department":  # noqa: PLR1714 - a set would not narrow the type
        return view.lies_under(kind, texts_of(seen), codes) if codes else None
    return None


def _rows(cond: Cond, table: str, op: str, seen: Value) -> Verdict:
    """A question to the rows of a table, or to the exact sum of one of its columns.

    The verdict's `asked` is `table` or `table.column`, its `op` is without the column
    (`count_ge`, `sum_gt`), and `seen` is the number and never the rows.
    """
    rows = rows_of(seen)
    found = TABLE_OPERATOR.fullmatch(op)
    if found is None:
        result = (not rows) is (op == "empty") if op in {"empty", "not_empty"} else None
        count = len(rows) or None
        return Verdict("field", result, (), table, op, cond.value, count, no_value=not rows)
    name, column = found["count"] or found["sum"], found["column"]
    number: Value = len(rows) or None
    if column is not None:
        table, number = f"{table}.{column}", _sum(rows, column)
    missing = number is None
    held = name == "ne" if missing else holds("number", name, number, cond.value, None)
    short = op.partition("(")[0]
    return Verdict("field", held, (), table, short, cond.value, number, no_value=missing)


def _sum(rows: tuple[Row, ...], column: str) -> str | None:
    addends = [number for row in rows if (number := decimal_of(row.get(column))) is not None]
    if not addends:
        return None
    return plain(functools.reduce(EXACT.add, addends))


def _initiator(cond: Cond, view: View) -> Verdict:
    kinds: dict[str, Literal["role", "department", "is"]] = {
        "in_role": "role", "in_department": "department", "is": "is",
    }  # fmt: skip
    asked, ids = kinds[cond.initiator or "is"], cond.ids or ()
    return Verdict("initiator", view.initiator_in(asked, ids), asked=asked, op="in", expected=ids)


def _rule(cond: Cond, view: View) -> Verdict:
    """Rules are asked outside of any decision, before it; until then nobody knows."""
    asked, expected = cond.rule or "", True if cond.is_ is None else cond.is_
    seen = view.rule_says(asked, cond.version if isinstance(cond.version, int) else 0)
    if isinstance(seen, Unknown):
        return Verdict("rule", None, asked=asked, op="is", expected=expected)
    # True is no number 1 here: types never coerce.
    held = type(seen) is type(expected) and seen == expected
    return Verdict("rule", held, (), asked, "is", expected, seen)


def _outcome(cond: Cond, view: View) -> Verdict:
    asked = cond.step or ""
    seen = view.outcome(asked)
    if isinstance(seen, Unknown):
        return Verdict("step", None, asked=asked, op="is", expected=cond.outcome)
    return Verdict(
        "step", seen == cond.outcome, (), asked, "is", cond.outcome, seen, no_value=seen is None
    )
