"""Values of form fields: what JSON may carry for each type, and its one canonical spelling."""

from __future__ import annotations

import datetime
import re
import unicodedata
from dataclasses import dataclass, field
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Literal, assert_never

if TYPE_CHECKING:
    from collections.abc import Mapping

# What is stored for a field. None and a missing key mean the same: no value.
# integer: int; number, amount, dates, times and texts: text; bool: bool; a choice: the option's
# id; a person: the login; a department: the code; several of these, and files: a list of ids.
Cell = str | int | bool | tuple[str, ...] | None
# One row of a table: its columns that have a value, and under `ROW_ID` what it is known by.
Row = dict[str, Cell]
# A table is a list of rows. (One kind of list, not two: so says the decoder of stored values.)
Value = str | int | bool | tuple[str | Row, ...] | None
ROW_ID = "_id"

FieldType = Literal[
    "text", "long_text", "integer", "number", "amount", "date", "time", "timestamp", "bool",
    "choice", "multi_choice", "user", "department", "table", "file", "note",
]  # fmt: skip

NUMERIC: frozenset[FieldType] = frozenset({"integer", "number", "amount"})

SAFE_INTEGER = 2**53
NUMBER_DIGITS = 20
NUMBER_DECIMALS = 10
AMOUNT_DIGITS = 15  # so that minor units fit into 64 bits with room for sums
AMOUNT_DECIMALS = 2
LONGEST_TEXT = 20_000
LONGEST_ID = 200  # of a person, a department, a file
MOST_CHOSEN = 500

# Enough for a sum of 500 of the longest numbers; anything inexact would be a bug here.
EXACT = Context(prec=80)
# The largest magnitude and the most decimals of each number type.
_BOUNDS: dict[str, tuple[Decimal, int]] = {
    "integer": (Decimal(SAFE_INTEGER), 0),
    "number": (Decimal("9" * NUMBER_DIGITS + "." + "9" * NUMBER_DECIMALS), NUMBER_DECIMALS),
    "amount": (Decimal("9" * AMOUNT_DIGITS + "." + "9" * AMOUNT_DECIMALS), AMOUNT_DECIMALS),
}
_NUMERAL = re.compile(r"-?[0-9]{1,60}(\.[0-9]{1,60})?")
# Format and control characters show nothing by themselves.
_INVISIBLE = frozenset({"Cf", "Cc", "Cs"})
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME = re.compile(r"[0-9]{2}:[0-9]{2}(:[0-9]{2})?")
_TIMESTAMP = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.0{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})"
)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a value is refused; the position is added by the caller."""

    code: str
    args: Mapping[str, str | int] = field(default_factory=dict)


def says_something(text: str) -> bool:
    """Whether a reader sees anything of a text: a zero-width space is no reason and no title."""
    return any(
        not letter.isspace() and unicodedata.category(letter) not in _INVISIBLE for letter in text
    )


def read_value(kind: FieldType, raw: object) -> Value | Fault:
    """The canonical value of a field of this type, or why `raw` is none.

    Types never coerce across kinds: a bool is no number, a float nothing at all, and only the
    number types take both a JSON integer and a decimal text (contract, The form document). A
    moment is kept in UTC; a time without seconds that say something.
    """
    answer: Value | Fault
    match kind:
        case "text" | "long_text" | "choice":
            answer = read_text(raw, lines=kind == "long_text")
        case "integer" | "number" | "amount":
            answer = _read_numeric(kind, raw)
        case "date" | "time" | "timestamp":
            answer = _read_moment(kind, raw)
        case "bool":
            answer = raw if isinstance(raw, bool) else Fault("form.type_mismatch", {"type": kind})
        case "multi_choice" | "file":
            answer = read_list(kind, raw)
        case "user" | "department":
            answer = _read_id(kind, raw)
        case "table" | "note":
            # A table is read with the rights to it (tables.py); a note holds nothing.
            answer = Fault("form.type_mismatch", {"type": kind})
        case _:
            assert_never(kind)
    return answer


def read_text(raw: object, *, lines: bool) -> Value | Fault:
    """Text as it was typed, NFC or not; without control characters except tab and newline.

    With `lines` false a newline is refused too. The empty text is no value (None).
    """
    if not isinstance(raw, str):
        return Fault("form.type_mismatch", {"type": "text"})
    if len(raw) > LONGEST_TEXT:
        return Fault("form.too_long", {"max": LONGEST_TEXT, "length": len(raw)})
    position = bad_character(raw, lines=lines)
    if position is not None:
        return Fault("form.control_character", {"position": position})
    return raw or None


def bad_character(text: str, *, lines: bool) -> int | None:
    """Where (from 1) the first character stands that a text may not hold; None without one."""
    plain = text.replace("\r\n", "\n\n") if lines else text
    allowed = "\t\n" if lines else "\t"
    for position, letter in enumerate(plain, start=1):
        if unicodedata.category(letter) in {"Cc", "Cs"} and letter not in allowed:
            return position
    return None


def nfc(text: str) -> str:
    """The composed form, in which texts are compared."""
    return unicodedata.normalize("NFC", text)


def decimal_of(raw: object) -> Decimal | None:
    """The exact number of a JSON integer or a plain decimal text; None for anything else."""
    if isinstance(raw, bool):
        return None
    if isinstance(raw, int):
        return Decimal(raw) if abs(raw) <= SAFE_INTEGER else None
    if isinstance(raw, str) and _NUMERAL.fullmatch(raw):
        return Decimal(raw)
    return None


def plain(number: Decimal, *, decimals: int | None = None) -> str:
    """A number without exponent: shortest, or with exactly that many decimals."""
    if decimals is None:
        shortest = number.normalize(EXACT)
        return format(shortest, "f") if shortest else "0"
    rounded = number.quantize(Decimal(1).scaleb(-decimals), context=EXACT)
    return format(rounded or abs(rounded), "f")


def decimals_of(number: Decimal) -> int:
    """How many decimals a number really has ("1.50" has one)."""
    exponent = number.normalize(EXACT).as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def date_of(raw: object) -> datetime.date | None:
    """The day of an ISO text `YYYY-MM-DD`; None for anything else."""
    if isinstance(raw, str) and _DATE.fullmatch(raw):
        try:
            return datetime.date.fromisoformat(raw)
        except ValueError:
            return None
    return None


def time_of(raw: object) -> datetime.time | None:
    """The time of day of `HH:MM` or `HH:MM:SS`; None for anything else."""
    if isinstance(raw, str) and _TIME.fullmatch(raw):
        try:
            return datetime.time.fromisoformat(raw)
        except ValueError:
            return None
    return None


def timestamp_of(raw: object) -> datetime.datetime | None:
    """The moment, in UTC, of an RFC 3339 text with an offset; None for anything else.

    Parts of a second are zero or refused; so is a moment that has no year in UTC.
    """
    if isinstance(raw, str) and _TIMESTAMP.fullmatch(raw):
        try:
            return datetime.datetime.fromisoformat(raw).astimezone(datetime.UTC)
        except (ValueError, OverflowError):
            return None
    return None


def moment_text(moment: datetime.datetime) -> str:
    """The stored spelling of an aware moment: `2026-03-02T01:30:00Z`."""
    return moment.astimezone(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


def _read_numeric(kind: Literal["integer", "number", "amount"], raw: object) -> Value | Fault:
    if isinstance(raw, bool) or not isinstance(raw, int | str):
        return Fault("form.type_mismatch", {"type": kind})
    number = decimal_of(raw)
    if number is None:
        code = "form.out_of_range" if isinstance(raw, int) else "form.bad_value"
        return Fault(code, {"type": kind})
    return number_value(kind, number)


def number_value(kind: Literal["integer", "number", "amount"], number: Decimal) -> Value | Fault:
    """The stored spelling of an exact number: never rounded, refused instead."""
    largest, most_decimals = _BOUNDS[kind]
    if decimals_of(number) > most_decimals:
        return Fault("form.too_many_decimals", {"max": most_decimals})
    if abs(number) > largest:
        return Fault("form.out_of_range", {"type": kind})
    if kind == "integer":
        return int(number)
    return plain(number, decimals=AMOUNT_DECIMALS if kind == "amount" else None)


def _read_moment(kind: Literal["date", "time", "timestamp"], raw: object) -> Value | Fault:
    if not isinstance(raw, str):
        return Fault("form.type_mismatch", {"type": kind})
    match kind:
        case "date":
            return raw if date_of(raw) is not None else Fault("form.bad_value", {"type": kind})
        case "time":
            time = time_of(raw)
            if time is not None:
                return time.isoformat("seconds" if time.second else "minutes")
        case "timestamp":
            moment = timestamp_of(raw)
            if moment is not None:
                return moment_text(moment)
        case _:
            assert_never(kind)
    return Fault("form.bad_value", {"type": kind})


def read_list(kind: FieldType, raw: object) -> Value | Fault:
    """A list of ids, each once, in the order given; the empty list is no value (None)."""
    if not isinstance(raw, list | tuple):
        return Fault("form.type_mismatch", {"type": kind})
    if len(raw) > MOST_CHOSEN:
        return Fault("form.too_many", {"max": MOST_CHOSEN})
    chosen: dict[str, None] = {}
    for item in raw:
        read = _read_id(kind, item)
        if not isinstance(read, str):
            return read if isinstance(read, Fault) else Fault("form.bad_value", {"type": kind})
        chosen[read] = None
    return tuple(chosen) or None


def _read_id(kind: FieldType, raw: object) -> Value | Fault:
    if not isinstance(raw, str):
        return Fault("form.type_mismatch", {"type": kind})
    if len(raw) > LONGEST_ID:
        return Fault("form.too_long", {"max": LONGEST_ID, "length": len(raw)})
    position = bad_character(raw, lines=False)
    if position is not None:
        return Fault("form.control_character", {"position": position})
    return nfc(raw) or None


def texts_of(value: Value) -> tuple[str, ...]:
    """The ids in the value of a choice, person, department or file field, one or several."""
    if isinstance(value, str):
        return (value,) if value else ()
    if isinstance(value, tuple):
        return tuple(item for item in value if isinstance(item, str))
    return ()


def rows_of(value: object) -> tuple[Row, ...]:
    """The rows of a table's value; none for anything else."""
    if isinstance(value, list | tuple):
        return tuple(item for item in value if isinstance(item, dict))
    return ()


def is_blank(value: Value) -> bool:
    """Whether a reader sees nothing of a value: no value, or a text of spaces."""
    if value is None or value == ():
        return True
    return isinstance(value, str) and not says_something(value)
