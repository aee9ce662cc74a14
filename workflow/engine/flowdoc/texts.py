"""Reading the texts of a process document: characters, length, pattern and meaning."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from workflow.engine.flowdoc import durations
from workflow.engine.flowdoc.scalars import SLUG
from workflow.forms.findings import printable
from workflow.forms.scalars import timestamp_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from msgspec.inspect import StrType

# Texts without a limit of their own: ids, durations, moments.
LONGEST = 2000
# Composing (NFC) can shorten a text to a third at most; what is longer still is never composed.
_SHRINKS = 4


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a scalar is refused; the reader adds the position."""

    code: str
    args: Mapping[str, str | int] = field(default_factory=dict)


def read_text(kind: StrType, raw: str) -> str | Fault:
    """The text in its composed form, or why the document may not hold it."""
    longest = LONGEST if kind.max_length is None else kind.max_length
    if len(raw) > longest * _SHRINKS:
        return Fault("doc.out_of_range", {"low": 0, "high": longest, "got": len(raw)})
    # Nothing printable is of these categories, and nearly all texts are printable as a whole.
    if not raw.isprintable() and any(
        unicodedata.category(letter) in {"Cc", "Cs"} and letter not in "\t\n\r" for letter in raw
    ):
        return Fault("doc.bad_character")
    text = unicodedata.normalize("NFC", raw)
    length = len(text) if text.strip() or not kind.min_length else 0
    if not (kind.min_length or 0) <= length <= longest:
        return Fault(
            "doc.out_of_range", {"low": kind.min_length or 0, "high": longest, "got": length}
        )
    # The whole text has to match, although the pattern ends in "$", which admits a last newline.
    if kind.pattern is not None and _compiled(kind.pattern).fullmatch(text) is None:
        expected = "slug" if kind.pattern == SLUG else "header name"
        return Fault("doc.bad_value", {"expected": expected, "got": printable(raw)})
    return text


def read_meaning(reads: str, raw: object) -> str | Fault:
    """A duration, a number of minutes or a moment, in the one way in which it is written.

    `reads` is the mark of the type in `scalars`. Minutes may be given as a whole number
    (seed requirements, P8); zero is for the caller to understand.
    """
    if reads == "minutes":
        return _minutes(raw)
    if not isinstance(raw, str):
        return Fault("doc.bad_type", {"expected": "text"})
    if reads == "timestamp":
        return raw if timestamp_of(raw) else _unlike("timestamp", raw)
    seconds = durations.seconds_of(raw)
    if seconds is None:
        return _unlike("duration", raw)
    if not 0 < seconds <= durations.LONGEST_SECONDS:
        return Fault(
            "doc.out_of_range", {"low": 1, "high": durations.LONGEST_SECONDS, "got": seconds}
        )
    return durations.written(seconds)


def _minutes(raw: object) -> str | Fault:
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        return Fault("doc.bad_type", {"expected": "duration"})
    seconds = _seconds_of_minutes(raw)
    if seconds is None or seconds < 0 or seconds % durations.MINUTE:
        return Fault("deadline.bad_value")
    if seconds > durations.LONGEST_MINUTES * durations.MINUTE:
        return Fault("deadline.too_long", {"high": durations.LONGEST_MINUTES})
    return durations.written(seconds)


def _seconds_of_minutes(raw: float | str) -> int | None:
    if isinstance(raw, str):
        return 0 if not raw.strip() else durations.seconds_of(raw)
    return raw * durations.MINUTE if isinstance(raw, int) else None


def _unlike(expected: str, raw: str) -> Fault:
    return Fault("doc.bad_value", {"expected": expected, "got": printable(raw)})


@lru_cache(maxsize=32)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
