"""When a task is reminded of, and whom: the moments that its deadline's rules name."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from workflow.engine.flowdoc.durations import seconds_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workflow.engine.flowdoc.rules import Deadline, Remind

HOLDER = "holder"
# So many seconds later, by the deadline's clock.
Adds = Callable[[datetime, int], datetime]

# A moment, and the words of `Remind.to` that apply to it, with commas between them.
Rung = tuple[datetime, str]


def needs_start(deadline: Deadline) -> bool:
    """Whether a reminder counts from when the deadline began, and not only from its end."""
    return any(each.after is not None or each.before is not None for each in deadline.remind)


def needs_clock(deadline: Deadline) -> bool:
    """Whether a length of time has to be reckoned by the deadline's clock."""
    return needs_start(deadline) or any(each.every is not None for each in deadline.remind)


def ladder(deadline: Deadline, *, start: datetime, due: datetime, add: Adds) -> Sequence[Rung]:
    """All moments at which a task is reminded of, in order (approvals.md 3.2, Deadline).

    ``start`` is when the deadline began to count, ``due`` when it ends, both aware; ``add``
    reckons by its clock. Rules that meet at one moment make one reminder for everybody whom they
    name. Seed 001's reminder, one to the holder when the task is due, is the default.
    """
    found: dict[datetime, set[str]] = {}
    for rule in deadline.remind:
        for moment in _moments(deadline, rule, start, due, add):
            found.setdefault(moment, set()).update(rule.to)
    return [(moment, ",".join(sorted(found[moment]))) for moment in sorted(found)]


def _moments(
    deadline: Deadline, rule: Remind, start: datetime, due: datetime, add: Adds
) -> Iterator[datetime]:
    moment = _first(deadline, rule, start, due, add)
    yield moment
    every = seconds_of(rule.every) if rule.every is not None else None
    if every:
        for _again in range(rule.max - 1):
            moment = add(moment, every)
            yield moment


def _first(
    deadline: Deadline, rule: Remind, start: datetime, due: datetime, add: Adds
) -> datetime:
    if rule.after is not None:
        return add(start, seconds_of(rule.after) or 0)
    if rule.before is None:
        return due
    before = seconds_of(rule.before) or 0
    length = seconds_of(deadline.after) if isinstance(deadline.after, str) else None
    if length is not None:
        # A clock only goes forwards: so much before the end is so much later than the beginning.
        return add(start, max(0, length - before))
    return max(start, due - timedelta(seconds=before))
