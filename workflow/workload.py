"""What a person has handled, what of his own stands where, and what waits for his team, counted.

Bounded by design: each figure is read off the newest rows along an index, so that the home page
costs the same whether a table has a thousand rows or millions (interface.md 7.2).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import ceil
from typing import TYPE_CHECKING

from flowadmin.directory.models import User
from workflow import queries
from workflow.models import Task

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import tzinfo

DAYS = 14
# Rows that are read for one figure, and bars that one chart has at most.
MOST_READ = 2000
MOST_BARS = 8
LARGEST_TEAM = 500


@dataclass(frozen=True, slots=True)
class HandlingTime:
    """How long tasks of a process waited for this person: half of ``count`` at most ``median``."""

    flow: str
    count: int
    median: timedelta


def handled_per_day(user: User, now: datetime, zone: tzinfo) -> list[tuple[date, int]]:
    """How many tasks this person decided on each of the last `DAYS` days, today last.

    Args:
        user: who decided; what others decided for him does not count.
        now: aware.
        zone: in which the days begin.
    """
    first = now.astimezone(zone).date() - timedelta(days=DAYS - 1)
    rows = queries.done_tasks(user).filter(decided_at__gte=now - timedelta(days=DAYS))
    decided = rows.values_list("decided_at", flat=True)[:MOST_READ]
    counted = Counter(each.astimezone(zone).date() for each in decided if each is not None)
    days = (first + timedelta(days=number) for number in range(DAYS))
    return [(day, counted[day]) for day in days]


def handling_times(user: User) -> list[HandlingTime]:
    """Median time from receiving a task to deciding it, by process, the slowest first.

    Over the newest decisions; of the processes those with the most of them.
    """
    rows = queries.done_tasks(user).values_list(
        "instance__definition__name", "created_at", "decided_at"
    )
    spans: dict[str, list[timedelta]] = {}
    for flow, received, decided in rows[:MOST_READ]:
        if decided is not None:
            spans.setdefault(flow, []).append(decided - received)
    most = sorted(spans.items(), key=lambda each: (-len(each[1]), each[0]))[:MOST_BARS]
    found = [HandlingTime(flow, len(each), _median(each)) for flow, each in most]
    return sorted(found, key=lambda each: (-each.median, each.flow))


def own_by_state(user: User) -> dict[str, int]:
    """How many of this person's newest requests stand in each state."""
    return dict(Counter(queries.my_instances(user).values_list("state", flat=True)[:MOST_READ]))


def team_of(user: User) -> list[int]:
    """Who reports to this person, or works in a department that he heads; without himself."""
    people = User.objects.filter(tenant_id=user.tenant_id, is_active=True).exclude(pk=user.pk)
    # Two statements, each along an index; one with an `or` reads every person of the tenant.
    found = {
        pk
        for rows in (people.filter(manager=user.pk), people.filter(department__head=user.pk))
        for pk in rows.values_list("pk", flat=True)[:LARGEST_TEAM]
    }
    return sorted(found)[:LARGEST_TEAM]


def backlog_of(team: Sequence[int]) -> list[tuple[str, str, int]]:
    """What waits for these people: process, step and the number of open tasks, most first."""
    rows = Task.objects.filter(
        holder__in=team, state=Task.State.OPEN, kind=Task.Kind.DECIDE
    ).values_list("instance__definition__name", "step_name")
    counted = Counter(rows[:MOST_READ])
    most = sorted(counted.items(), key=lambda each: (-each[1], each[0]))
    return [(flow, step, number) for (flow, step), number in most[:MOST_BARS]]


def _median(spans: Sequence[timedelta]) -> timedelta:
    """The nearest-rank median: always a time that really was."""
    return sorted(spans)[ceil(len(spans) / 2) - 1]
