"""When a message may go outside: quiet hours and digests of one person, by his clock.

Theory. A person's clock is the wall clock of his zone, and it may be set: an hour that is left out
or comes twice must neither hold a message for ever nor let one through. So quiet is asked of the
local time that a moment shows, and the end of it is looked for among the few moments at which it
could end, each turned into UTC first.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from datetime import tzinfo

DAY: Final = 24 * 60
ALL_WEEK: Final = frozenset(range(7))
# Nothing honest waits longer: six quiet days, a night, and the seventh day that clocks left out.
LONGEST_WAIT: Final = timedelta(days=16)
_LOCAL_DAYS: Final = 16


@dataclass(frozen=True, slots=True)
class Hours:
    """What one person allows. Minutes and hours are those of his wall clock.

    Attributes:
        quiet_from: minute of the day (0 to 1439) at which quiet begins, each day; None: no window.
        quiet_to: minute at which it ends, on the next day when it is not later than the beginning.
        quiet_days: weekdays (Monday is 0) that are quiet as a whole; never all seven.
        digest: ``none``, ``hourly`` or ``daily``.
        digest_hour: hour (0 to 23) of the daily digest.
    """

    quiet_from: int | None = None
    quiet_to: int | None = None
    quiet_days: frozenset[int] = frozenset()
    digest: str = "none"
    digest_hour: int = 8

    def __post_init__(self) -> None:
        """Raise ValueError for what would never let anything through, or is no time."""
        if self.quiet_days >= ALL_WEEK or not self.quiet_days <= ALL_WEEK:
            raise ValueError("quiet_days")
        if (self.quiet_from is None) != (self.quiet_to is None):
            raise ValueError("quiet_to")
        minutes = [each for each in (self.quiet_from, self.quiet_to) if each is not None]
        if any(not 0 <= each < DAY for each in minutes) or len(set(minutes)) == 1:
            raise ValueError("quiet_from")
        if self.digest not in {"none", "hourly", "daily"} or not 0 <= self.digest_hour < 24:
            raise ValueError("digest")


def may_go_at(hours: Hours, created: datetime, now: datetime, zone: tzinfo) -> datetime:
    """The first moment from ``now`` on at which what was written at ``created`` may go.

    ``created`` and ``now`` are aware; the answer is ``now`` itself when it may go at once, else a
    later moment in UTC. Source: issue 5, item 1 (quiet hours and a digest, outside channels only).
    """
    moment = max(now, _digest_after(hours, created, zone))
    if not is_quiet(hours, moment, zone):
        return moment
    return _end_of_quiet(hours, moment, zone)


def is_quiet(hours: Hours, moment: datetime, zone: tzinfo) -> bool:
    """Whether nothing may go at this moment."""
    local = moment.astimezone(zone)
    if local.weekday() in hours.quiet_days:
        return True
    if hours.quiet_from is None or hours.quiet_to is None:
        return False
    minute = local.hour * 60 + local.minute
    if hours.quiet_from < hours.quiet_to:
        return hours.quiet_from <= minute < hours.quiet_to
    return minute >= hours.quiet_from or minute < hours.quiet_to


def _end_of_quiet(hours: Hours, moment: datetime, zone: tzinfo) -> datetime:
    """The first moment behind this one that is not quiet."""
    local = moment.astimezone(zone)
    begins = {0, hours.quiet_to or 0}
    found = sorted(
        each
        for day in range(_LOCAL_DAYS)
        for minute in begins
        for each in _moments(local, day, minute, zone)
        if each > moment
    )
    for each in found:
        if not is_quiet(hours, each, zone):
            return each
    # Never met: `Hours` leaves one day of the week, and of the day one minute.
    return moment.astimezone(UTC) + LONGEST_WAIT


def _digest_after(hours: Hours, created: datetime, zone: tzinfo) -> datetime:
    """When the digest goes out that tells of what was written then."""
    if hours.digest == "none":
        return created
    local = created.astimezone(zone)
    if hours.digest == "hourly":
        # By the wall clock's minutes, counted in real time: no hour is left out or comes twice.
        past = timedelta(
            minutes=local.minute, seconds=local.second, microseconds=local.microsecond
        )
        return created.astimezone(UTC) + (timedelta(hours=1) - past)
    times = (
        each
        for day in range(3)
        for each in _moments(local, day, hours.digest_hour * 60, zone)[:1]
        if each > created
    )
    return next(times)


def _moments(local: datetime, days: int, minute: int, zone: tzinfo) -> list[datetime]:
    """The moments in UTC of a minute of the day so many days later: one, or both that show it.

    A minute that clocks leave out is met when they are set over it.
    """
    date = local.replace(tzinfo=None).date() + timedelta(days=days)
    wall = datetime(date.year, date.month, date.day, minute // 60, minute % 60)  # noqa: DTZ001 - the zone follows
    found = sorted({wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)})
    if found[0].astimezone(zone).replace(tzinfo=None) == wall:
        return found
    return [_set_between(found[0], found[-1], zone)]


def _set_between(before: datetime, after: datetime, zone: tzinfo) -> datetime:
    """The moment, to the second, from which on the clocks of a zone go by another offset."""
    old = before.astimezone(zone).utcoffset()
    while after - before > timedelta(seconds=1):
        middle = before + timedelta(seconds=(after - before) // timedelta(seconds=2))
        if middle.astimezone(zone).utcoffset() == old:
            before = middle
        else:
            after = middle
    return after
