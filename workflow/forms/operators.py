"""The operators of conditions: which type has which, what they compare with, what they mean."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, TypeGuard

from workflow.forms.conditions import Scalar
from workflow.forms.patterns import UnsafePattern, compile_pattern
from workflow.forms.scalars import (
    NUMERIC,
    FieldType,
    Value,
    bad_character,
    date_of,
    decimal_of,
    nfc,
    texts_of,
    time_of,
    timestamp_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

Operand = Scalar | tuple[Scalar, ...] | None
# What stands in `value`: nothing, one, from and to (inclusive), a list, a number of days.
Form = Literal["none", "one", "pair", "list", "days"]

MOST_LISTED = 200
FORMS: dict[str, Form] = {
    "empty": "none", "not_empty": "none",
    "between": "pair", "in": "list", "has_any": "list", "has_all": "list", "under": "list",
    "within_last": "days", "within_next": "days",
}  # fmt: skip

_ANY = frozenset({"empty", "not_empty"})
# Their values are several ids, or one that counts as a list of one.
_SETS: frozenset[FieldType] = frozenset({"multi_choice", "user", "department"})
NUMBER_OPERATORS = frozenset({"eq", "ne", "gt", "ge", "lt", "le", "between", "in"})
_TEXT = frozenset({"eq", "ne", "contains", "starts", "ends", "in"})
_MOMENT = frozenset({"eq", "before", "after", "between"})
_WITHIN = frozenset({"within_last", "within_next"})
_DIRECTORY = frozenset({"is", "in", "under"})
OPERATORS: dict[FieldType, frozenset[str]] = {
    "integer": _ANY | NUMBER_OPERATORS,
    "number": _ANY | NUMBER_OPERATORS,
    "amount": _ANY | NUMBER_OPERATORS,
    "text": _ANY | _TEXT | {"matches"},
    # Matching is linear, but a long text is twenty times as long: it has no `matches`.
    "long_text": _ANY | _TEXT,
    "date": _ANY | _MOMENT | _WITHIN,
    "time": _ANY | _MOMENT,
    "timestamp": _ANY | _MOMENT | _WITHIN,
    "bool": _ANY | {"is"},
    "choice": _ANY | {"is", "in"},
    "multi_choice": _ANY | {"has", "has_any", "has_all"},
    "user": _ANY | _DIRECTORY,
    "department": _ANY | _DIRECTORY,
    "table": _ANY,  # and those that TABLE_OPERATOR reads
    "file": _ANY,
    "note": frozenset(),
}
# count_ge, sum_gt(amount): a number operator on the rows of a table or on one of its columns.
TABLE_OPERATOR = re.compile(
    r"count_(?P<count>[a-z]{2,7})|sum_(?P<sum>[a-z]{2,7})\((?P<column>[a-z][a-z0-9_]{0,47})\)"
)
_DAYS = re.compile(r"P([0-9]{1,5})([DW])")
_MOST_DAYS = 36_600


def is_empty(value: object) -> bool:
    """Whether a field has no value: nothing, the empty text or an empty list."""
    return value is None or value in ("", ())


def days_of(operand: object) -> timedelta | None:
    """The span of `within_last` and `within_next`: `P7D`, `P2W` or a whole number of days."""
    if isinstance(operand, bool):
        return None
    if isinstance(operand, int):
        return timedelta(days=operand) if 0 <= operand <= _MOST_DAYS else None
    found = _DAYS.fullmatch(operand) if isinstance(operand, str) else None
    if found is None:
        return None
    days = int(found[1]) * (7 if found[2] == "W" else 1)
    return timedelta(days=days) if days <= _MOST_DAYS else None


def comparable(kind: FieldType, value: object) -> Any:
    """The value in the form in which this type is compared; None when it is of another kind."""
    if kind in NUMERIC:
        return decimal_of(value)
    if kind == "bool":
        return value if isinstance(value, bool) else None
    if kind in {"date", "time", "timestamp"}:
        return {"date": date_of, "time": time_of, "timestamp": timestamp_of}[kind](value)
    if kind in _SETS:
        return frozenset(map(nfc, texts_of(value))) if _are_texts(value) else None
    return nfc(value) if isinstance(value, str) else None


def holds(
    kind: FieldType, op: str, seen: Value, operand: Operand, today: date | None
) -> bool | None:
    """Whether a value that is there satisfies an operator; None when this cannot be told.

    `today` is needed by `within_last` and `within_next` only.

    It cannot be told when the operator is not one of the type, or the operand not of its kind:
    `condition_checks.check` refuses such documents. Of several people or departments it is
    enough that one is meant. `under` asks the directory and tables their rows: `evaluation` does.
    """
    value = comparable(kind, seen)
    if value is None or op not in OPERATORS[kind] or op == "under":
        return None
    form = FORMS.get(op, "one")
    if form == "days":
        span = days_of(operand)
        return None if span is None or today is None else _within(op, value, span, today)
    if form == "one":
        return _compare_one(kind, op, value, operand)
    items = operand if isinstance(operand, tuple) else ()
    others = [comparable(_item_kind(kind), item) for item in items]
    if not others or any(other is None for other in others):
        return None
    if form == "pair":
        return len(others) == 2 and bool(others[0] <= value <= others[1])
    return _compare_list(op, value, others)


def operand_fits(kind: FieldType, op: str, operand: Operand) -> bool:
    """Whether the operand has the form and the kind that this operator of this type needs."""
    form = FORMS.get(op, "one")
    if form == "none":
        return operand is None
    if form == "days":
        return days_of(operand) is not None
    if form == "one":
        return _fits(_item_kind(kind), operand)
    if not isinstance(operand, tuple) or not 1 <= len(operand) <= MOST_LISTED:
        return False
    fits = all(_fits(_item_kind(kind), item) for item in operand)
    return fits and (form == "list" or _is_range(kind, operand))


def unsafe_reason(pattern: str) -> str | None:
    """Why `matches` does not take this pattern; None when it does."""
    try:
        compile_pattern(nfc(pattern))
    except UnsafePattern as refusal:
        return str(refusal)
    return None


_ONE: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda value, other: value == other,
    "is": lambda value, other: value == other,
    "ne": lambda value, other: value != other,
    "gt": lambda value, other: value > other,
    "ge": lambda value, other: value >= other,
    "lt": lambda value, other: value < other,
    "le": lambda value, other: value <= other,
    "before": lambda value, other: value < other,
    "after": lambda value, other: value > other,
    "contains": lambda value, other: other in value,
    "starts": lambda value, other: value.startswith(other),
    "ends": lambda value, other: value.endswith(other),
}


def _compare_one(kind: FieldType, op: str, value: Any, operand: Operand) -> bool | None:
    other = comparable(_item_kind(kind), operand)
    if other is None:
        return None
    if isinstance(value, frozenset):
        return other in value
    if op == "matches":
        return None if unsafe_reason(other) else compile_pattern(other).found_in(value)
    return _ONE[op](value, other)


def _compare_list(op: str, value: Any, others: list[Any]) -> bool:
    if op == "has_all":
        return bool(value.issuperset(others))
    if isinstance(value, frozenset):
        return not value.isdisjoint(others)
    return value in others


def _within(op: str, value: date, span: timedelta, today: date) -> bool:
    # A timestamp counts by its day in UTC, like `today`.
    day = value.astimezone(UTC).date() if isinstance(value, datetime) else value
    distance = day - today if op == "within_next" else today - day
    return timedelta(0) <= distance <= span


def _is_range(kind: FieldType, operand: tuple[Scalar, ...]) -> bool:
    ends = [comparable(kind, item) for item in operand]
    return len(ends) == 2 and bool(ends[0] <= ends[1])


def _are_texts(value: object) -> TypeGuard[str | tuple[str, ...]]:
    if isinstance(value, tuple):
        return all(isinstance(item, str) for item in value)
    return isinstance(value, str)


def _fits(kind: FieldType, operand: object) -> bool:
    if isinstance(operand, str) and (
        not operand or bad_character(operand, lines=True) is not None
    ):
        return False
    return comparable(kind, operand) is not None


def _item_kind(kind: FieldType) -> FieldType:
    return "choice" if kind in _SETS else kind
