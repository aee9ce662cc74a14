"""One value against its field: type, options and limits."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from workflow.forms.formdoc import TEXT_LENGTHS, Field, Limits, takes_many
from workflow.forms.scalars import (
    NUMERIC,
    Fault,
    FieldType,
    Value,
    date_of,
    decimal_of,
    decimals_of,
    nfc,
    read_list,
    read_value,
)

if TYPE_CHECKING:
    from collections.abc import Callable

_NONE = Limits()
_OUTSIDE: frozenset[FieldType] = frozenset({"user", "department"})


def typed(field: Field, raw: object) -> Value | Fault:
    """The canonical value of this field, or the first reason why `raw` is not one.

    None (and the empty text, for texts) means that the field has no value; whether it needs one
    is not asked here. Faults: `form.type_mismatch`, `form.bad_value`, `form.out_of_range`,
    `form.control_character`, `form.too_long`, `form.too_short`, `form.too_small`,
    `form.too_big`, `form.too_many_decimals`, `form.too_early`, `form.too_late`,
    `form.too_many`, `form.too_few`, `form.unknown_option`. A table is read with the rights to it
    (`tables.clean_table`); here it is `form.type_mismatch`, as a note is. Whether a person, a
    department or a file exists is asked outside (`references.Given`).
    """
    if raw is None:
        return None
    if field.type in _OUTSIDE and takes_many(field):
        value = read_list(field.type, raw)
    else:
        value = read_value(field.type, raw)
    if isinstance(value, Fault) or value is None:
        return value
    if field.type == "choice":
        value = nfc(str(value))
    fault = _limit_fault(field, value)
    if fault is not None:
        return fault
    if field.type == "multi_choice" and isinstance(value, tuple):
        # In the order of the options, so that two clicks in another order are the same value.
        return tuple(option.id for option in field.options if option.id in value)
    return value


def _limit_fault(field: Field, value: Value) -> Fault | None:
    limits = field.limits or _NONE
    check: Callable[[Field, Limits, Value], Fault | None] | None = None
    if field.type in TEXT_LENGTHS:
        check = _length
    elif field.type in NUMERIC:
        check = _number
    elif field.type == "date":
        check = _date
    elif field.type in {"choice", "multi_choice"}:
        check = _choice
    elif isinstance(value, tuple):
        check = _count
    return None if check is None else check(field, limits, value)


def _length(field: Field, limits: Limits, value: Value) -> Fault | None:
    usual, _ = TEXT_LENGTHS[field.type]
    most = usual if limits.max_length is None else limits.max_length
    length = len(str(value))
    if length > most:
        return Fault("form.too_long", {"max": most, "length": length})
    if limits.min_length is not None and length < limits.min_length:
        return Fault("form.too_short", {"min": limits.min_length, "length": length})
    return None


def _number(_field: Field, limits: Limits, value: Value) -> Fault | None:
    number = decimal_of(value) or Decimal(0)
    low, high = decimal_of(limits.min), decimal_of(limits.max)
    if low is not None and number < low:
        return Fault("form.too_small", {"min": limits.min or ""})
    if high is not None and number > high:
        return Fault("form.too_big", {"max": limits.max or ""})
    if limits.decimals is not None and decimals_of(number) > limits.decimals:
        return Fault("form.too_many_decimals", {"max": limits.decimals})
    return None


def _date(_field: Field, limits: Limits, value: Value) -> Fault | None:
    day, earliest, latest = date_of(value), date_of(limits.earliest), date_of(limits.latest)
    if day is not None and earliest is not None and day < earliest:
        return Fault("form.too_early", {"earliest": limits.earliest or ""})
    if day is not None and latest is not None and day > latest:
        return Fault("form.too_late", {"latest": limits.latest or ""})
    return None


def _choice(field: Field, limits: Limits, value: Value) -> Fault | None:
    known = {option.id for option in field.options}
    chosen = value if isinstance(value, tuple) else (str(value),)
    if not known.issuperset(chosen):
        return Fault("form.unknown_option", {"field": field.id})
    return _count(field, limits, value) if isinstance(value, tuple) else None


def _count(_field: Field, limits: Limits, value: Value) -> Fault | None:
    if not isinstance(value, tuple):
        return None
    if limits.max_count is not None and len(value) > limits.max_count:
        return Fault("form.too_many", {"max": limits.max_count})
    if limits.min_count is not None and len(value) < limits.min_count:
        return Fault("form.too_few", {"min": limits.min_count})
    return None
