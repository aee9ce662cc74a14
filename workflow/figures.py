"""Figures of one process: how long its steps take, how old its open requests are.

Bounded by design: the newest requests speak for the process, so that a page never reads a table
that grows (interface.md 7.2 and 7.14, performance).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from math import ceil
from typing import TYPE_CHECKING

from django.db.models import Count

from workflow.models import Instance, Step, Task

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import tzinfo

    from workflow.models import Definition

NEWEST = 2000
_AT_ONCE = 500
# Only where a person is waited for a time says something of people's work.
_HUMAN = ("approve", "work")
_ENDED = (Step.State.PASSED, Step.State.REFUSED, Step.State.RETURNED, Step.State.TIMED_OUT)
# Upper ends of the ages of open requests, in days; what is older comes last.
AGES = (1, 3, 7, 30)


@dataclass(frozen=True, slots=True)
class StepTime:
    """How long a step took: from its entry to its end, over ``count`` rounds."""

    step: str
    count: int
    median: timedelta
    slowest_tenth: timedelta


def newest(definition: Definition) -> list[int]:
    """The ids of the newest requests of a process, at most NEWEST."""
    rows = Instance.objects.filter(tenant_id=definition.tenant_id, definition=definition)
    return list(rows.order_by("-id").values_list("pk", flat=True)[:NEWEST])


def step_times(instances: Sequence[int]) -> list[StepTime]:
    """Median and ninth decile of each human step, the slowest first."""
    spans: dict[str, list[timedelta]] = {}
    for some in _in_parts(instances):
        rows = Step.objects.filter(
            instance__in=some, kind__in=_HUMAN, state__in=_ENDED, ended_at__isnull=False
        )
        for step, began, ended in rows.values_list("step", "entered_at", "ended_at"):
            if ended is not None:
                spans.setdefault(step, []).append(ended - began)
    found = [_step_time(step, sorted(each)) for step, each in spans.items()]
    return sorted(found, key=lambda each: (-each.median, each.step))


def _step_time(step: str, spans: list[timedelta]) -> StepTime:
    return StepTime(step, len(spans), _at(spans, 0.5), _at(spans, 0.9))


def _at(spans: Sequence[timedelta], part: float) -> timedelta:
    """The nearest-rank quantile: always a time that really was."""
    return spans[max(0, ceil(part * len(spans)) - 1)]


def open_by_age(instances: Sequence[int], now: datetime) -> list[int]:
    """How many of these requests run, by the days since they were filed: one number per AGES.

    The last number counts those that are older than all of AGES.
    """
    counts = [0] * (len(AGES) + 1)
    for some in _in_parts(instances):
        rows = Instance.objects.filter(pk__in=some, state=Instance.State.RUNNING)
        for began in rows.values_list("started_at", flat=True):
            age = (now - began) / timedelta(days=1)
            counts[sum(age >= days for days in AGES)] += 1
    return counts


def ended_per_day(
    instances: Sequence[int], now: datetime, zone: tzinfo, days: int = 14
) -> list[tuple[date, int]]:
    """How many of these requests ended on each of the last days, today last."""
    today = now.astimezone(zone).date()
    first = today - timedelta(days=days - 1)
    counted: Counter[date] = Counter()
    for some in _in_parts(instances):
        rows = Instance.objects.filter(pk__in=some, ended_at__gte=now - timedelta(days=days + 1))
        for ended in rows.values_list("ended_at", flat=True):
            if ended is not None:
                counted[ended.astimezone(zone).date()] += 1
    every = (first + timedelta(days=number) for number in range(days))
    return [(day, counted[day]) for day in every]


def open_tasks_by_step(instances: Sequence[int]) -> dict[str, int]:
    """How many open tasks wait at each step of these requests."""
    counted: Counter[str] = Counter()
    for some in _in_parts(instances):
        rows = Task.objects.filter(
            instance__in=some, state=Task.State.OPEN, kind=Task.Kind.DECIDE
        ).values_list("step")
        counted.update(dict(rows.annotate(n=Count("pk")).order_by()))
    return dict(counted)


def _in_parts(instances: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(instances), _AT_ONCE):
        yield instances[start : start + _AT_ONCE]
