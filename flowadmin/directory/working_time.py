"""Working time: pure arithmetic over weekly hours, holidays, make-up days and a time zone.

A week is seven lists of spans, Monday first; a span is two minutes of the local day, from and
until, of which the second does not belong to it. A local time becomes one instant by two rules,
which keep the spans of a day apart and in order on the days when clocks change: of an hour that
comes twice the first one is meant, and a time that the clocks jump over is the moment of the jump.
The seconds between the two instants are what counts, so a night shift really is an hour shorter
or longer then.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import tzinfo

Span = tuple[int, int]
Hours = tuple[Span, ...]

WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
SPANS_A_DAY = 12
FARTHEST = 20 * 366  # days that `add` looks ahead

_ONE_DAY = timedelta(days=1)
_SECOND = timedelta(seconds=1)
_TIME = re.compile(r"\A(?:([01][0-9]|2[0-3]):([0-5][0-9])|(24):(00))\Z")
# A hyphen, an en dash, an em dash or a tilde; a full-width comma is as good as a plain one.
_SPAN_TEXT = re.compile(r"\A([0-9]{1,2}:[0-9]{2})\s*[-~\u2013\u2014]\s*([0-9]{1,2}:[0-9]{2})\Z")
_BETWEEN = re.compile(r"\s*[,;\uff0c\uff1b\u3001]\s*")


class BadHours(ValueError):
    """Hours that cannot be kept.

    ``code`` is one of ``shape`` (not the JSON expected), ``day`` (no such day of the week),
    ``time`` (no time of the day), ``order`` (ends before it begins), ``overlap`` (two spans share
    time, or are not in order), ``too_many`` (spans in one day) and ``empty`` (no hour in the
    whole week); ``at`` is a JSON Pointer.
    """

    def __init__(self, code: str, at: str) -> None:
        super().__init__(f"{code} at {at or '/'}")
        self.code = code
        self.at = at


class NoWorkingHours(ValueError):
    """The calendar has too few hours: the time asked for does not end within twenty years."""

    code = "calendar.no_hours"


@dataclass(frozen=True, slots=True)
class WorkingTime:
    """A working calendar: `week` has seven entries, `days` those of single dates instead."""

    zone: tzinfo
    week: tuple[Hours, ...]
    days: Mapping[date, Hours] = field(default_factory=dict)

    def add(self, start: datetime, seconds: int, /) -> datetime:
        """The earliest moment by which so many working seconds have passed since `start`.

        Args:
            start: aware; it need not lie in working time.
            seconds: 0 gives `start` back, wherever it lies.

        Returns: aware UTC. What is used up exactly at the end of a span ends there, not at the
            beginning of the next one.

        Raises:
            ValueError: `start` is naive or `seconds` is negative.
            NoWorkingHours: the calendar has too few hours for it.
        """
        if start.tzinfo is None or seconds < 0:
            raise ValueError("Give an aware moment and seconds that are not negative.")
        now = start.astimezone(UTC)
        left = timedelta(seconds=seconds)
        if not left:
            return now
        for begin, end in self._from(now):
            from_here = max(begin, now)
            if end - from_here >= left:
                return from_here + left
            left -= max(end - from_here, timedelta(0))
        raise NoWorkingHours(f"{seconds} working seconds do not end within twenty years.")

    def hours_on(self, day: date) -> Hours:
        """The local hours of a date: its own, or those of its day of the week."""
        return self.days.get(day, self.week[day.weekday()])

    def _from(self, moment: datetime) -> Iterator[tuple[datetime, datetime]]:
        try:
            day = moment.astimezone(self.zone).date()
            for _number in range(FARTHEST):
                yield from self._instants(day)
                day += _ONE_DAY
        except OverflowError:
            return  # the calendar of Python ends with the year 9999

    def _instants(self, day: date) -> Iterator[tuple[datetime, datetime]]:
        """The spans of a date as moments in UTC, in order and apart."""
        hours = self.hours_on(day)
        if not hours:
            return
        midnight = datetime.combine(day, time.min)
        first = self._instant(midnight)
        plain = self._instant(midnight + _ONE_DAY) - first == _ONE_DAY
        for begin, end in hours:
            from_, until = timedelta(minutes=begin), timedelta(minutes=end)
            if plain:
                yield first + from_, first + until
            else:
                yield self._instant(midnight + from_), self._instant(midnight + until)

    def _instant(self, local: datetime) -> datetime:
        """The moment of a naive local time; see the module's text for the two odd cases."""
        moment = local.replace(tzinfo=self.zone).astimezone(UTC)
        if self._shown(moment) == local:
            return moment
        low, high = local.replace(tzinfo=self.zone, fold=1).astimezone(UTC), moment
        while high - low > _SECOND:
            middle = low + (high - low) // _SECOND // 2 * _SECOND
            if self._shown(middle) < local:
                low = middle
            else:
                high = middle
        return high

    def _shown(self, moment: datetime) -> datetime:
        return moment.astimezone(self.zone).replace(tzinfo=None)


def read_hours(document: object, at: str = "") -> Hours:
    """The hours of one day from ``[["09:00", "12:00"], ["13:00", "18:00"]]``.

    Raises:
        BadHours: with the position below `at`.
    """
    if not isinstance(document, list | tuple):
        raise BadHours("shape", at)
    if len(document) > SPANS_A_DAY:
        raise BadHours("too_many", at)
    found: list[Span] = []
    for number, each in enumerate(document):
        here = f"{at}/{number}"
        if not isinstance(each, list | tuple) or len(each) != 2:
            raise BadHours("shape", here)
        begin, end = _minute(each[0], f"{here}/0"), _minute(each[1], f"{here}/1")
        if begin >= end:
            raise BadHours("order", here)
        if found and begin < found[-1][1]:
            raise BadHours("overlap", here)
        found.append((begin, end))
    return tuple(found)


def _minute(text: object, at: str) -> int:
    match = _TIME.match(text) if isinstance(text, str) else None
    if match is None:
        raise BadHours("time", at)
    hour, minute = (part for part in match.groups() if part is not None)
    return int(hour) * 60 + int(minute)


def read_week(document: object) -> tuple[Hours, ...]:
    """The seven days from ``{"mon": [["09:00", "12:00"]], …}``; a day left out is free.

    Raises:
        BadHours: also when the whole week has not one hour.
    """
    if not isinstance(document, dict):
        raise BadHours("shape", "")
    for name in document:
        if name not in WEEK:
            raise BadHours("day", "")
    week = tuple(read_hours(document.get(name, []), f"/{name}") for name in WEEK)
    if not any(week):
        raise BadHours("empty", "")
    return week


def usual_hours(week: Sequence[Hours], day: date) -> Hours:
    """What a make-up day without hours of its own has.

    The hours of its day of the week, and on a day that is free otherwise those of the first day
    of the week that is not: a Saturday in place of a bridge day is worked like a Monday.
    """
    return week[day.weekday()] or next(hours for hours in week if hours)


def hours_from_text(text: str) -> list[list[str]]:
    """``09:00-12:00, 13:00-18:00`` as people write it, in the shape that is stored.

    Raises:
        BadHours: the text is no list of spans, or `read_hours` refuses them.
    """
    found = []
    for number, part in enumerate(_BETWEEN.split(text.strip()) if text.strip() else ()):
        match = _SPAN_TEXT.match(part)
        if match is None:
            raise BadHours("time", f"/{number}")
        found.append([each.zfill(5) for each in match.groups()])
    read_hours(found)
    return found


def text_of_hours(document: Sequence[Sequence[str]]) -> str:
    """The stored shape as people write it."""
    return ", ".join("-".join(span) for span in document)
