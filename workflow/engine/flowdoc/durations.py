"""Lengths of time as ISO-8601 text."""

from __future__ import annotations

import re

DAY, HOUR, MINUTE = 86400, 3600, 60
# 525600 minutes, the longest reminder (seed requirements, P8).
LONGEST_MINUTES = 525600
# Nothing waits longer than this; it also keeps every sum inside what a date can hold.
LONGEST_SECONDS = 20 * 366 * DAY

_DURATION = re.compile(
    r"P(?=[0-9T])(?:([0-9]{1,9})D)?(?:T(?=[0-9])(?:([0-9]{1,9})H)?(?:([0-9]{1,9})M)?(?:([0-9]{1,9})S)?)?",
    re.ASCII,
)


def seconds_of(text: str) -> int | None:
    """Seconds of a duration such as `PT24H` or `P1DT30M`; nothing when the text is not one.

    Years, months and fractions are not accepted: they are not a fixed number of seconds, or not
    a whole one.
    """
    found = _DURATION.fullmatch(text)
    if found is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return days * DAY + hours * HOUR + minutes * MINUTE + seconds


def minutes_of(text: str) -> int:
    """Whole minutes of a duration that a decoded document holds.

    Raises ValueError for a text that is no duration, which decoding never lets through.
    """
    seconds = seconds_of(text)
    if seconds is None:
        message = "not a duration"
        raise ValueError(message)
    return seconds // MINUTE


def written(seconds: int) -> str:
    """The one way in which a length of time is written: hours, minutes, seconds, without zeros."""
    hours, rest = divmod(seconds, HOUR)
    minutes, left = divmod(rest, MINUTE)
    parts = ((hours, "H"), (minutes, "M"), (left, "S"))
    text = "".join(f"{number}{letter}" for number, letter in parts if number)
    return f"PT{text or '0S'}"
