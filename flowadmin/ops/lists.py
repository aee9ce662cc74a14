"""Which rows the operators' pages show: jobs of the reader's tenant, and one request's events."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from flowadmin.rest.problems import not_found
from workflow import access
from workflow.models import Event, Instance, Job, Step, Task

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from django.db.models import QuerySet

    from flowadmin.directory.models import User

TABS = ("due", "leased", "later", "failed", "retried")
# Whoever reads further than this is looking for one request, and finds it by its number.
MOST_LISTED = 1000
ENDED_HERE = frozenset({"step_ended"})
WORK_ENDED = frozenset({"work_ended", "work_put_off", "timed_out"})
TASK_ENDED = frozenset(
    {
        "task_approved", "task_rejected", "task_completed", "task_returned", "opinion_given",
        "task_handed_on", "task_closed", "task_taken_back",
    }
)  # fmt: skip


def jobs_of(user: User, tab: str, now: datetime, more_than: int) -> QuerySet[Job]:
    """The jobs of a tab in the order in which they matter; bounded by the index of each.

    Args:
        user: whose tenant.
        tab: one of TABS; ``failed`` are those that went wrong and are tried again.
        now: the database's clock.
        more_than: for ``retried``: more often than this, whatever became of them (S6).
    """
    rows = Job.objects.filter(tenant_id=user.tenant_id).select_related(
        "instance", "instance__definition"
    )
    pending, leased = rows.filter(state=Job.State.PENDING), rows.filter(state=Job.State.LEASED)
    if tab == "due":
        return pending.filter(due_at__lte=now).order_by("due_at", "id")
    if tab == "leased":
        return leased.order_by("due_at", "id")
    if tab == "later":
        return pending.filter(due_at__gt=now).order_by("due_at", "id")
    retried = rows.filter(retry_count__gt=0 if tab == "failed" else more_than)
    if tab == "failed":
        retried = retried.filter(state__in=(Job.State.PENDING, Job.State.LEASED))
    return retried.order_by("-retry_count", "-id")


def request_of(user: User, pk: str) -> Instance:
    """A request of the reader's tenant. Raises Problem 404; who asks has `ops.view`."""
    rows = Instance.objects.filter(tenant_id=user.tenant_id, pk=access.row_id(pk))
    found = rows.select_related("definition", "version").first()
    if found is None:
        raise not_found()
    return found


def request_numbered(user: User, number: str) -> Instance | None:
    """The newest request of the reader's tenant with this number."""
    rows = Instance.objects.filter(tenant_id=user.tenant_id, number=number)
    return rows.order_by("-id").first()


def events_of(instance: Instance) -> QuerySet[Event]:
    """Its history in order."""
    return Event.objects.filter(instance=instance).order_by("position")


@dataclass(frozen=True, slots=True)
class Beginnings:
    """When what the events speak of began, by its number in the request."""

    steps: Mapping[int, datetime]
    tasks: Mapping[int, datetime]
    jobs: Mapping[int, tuple[datetime, int]]

    def duration(self, kind: str, facts: Mapping[str, object], at: datetime) -> timedelta | None:
        """How long that took of which an event is the end; nothing for any other event."""
        began: datetime | None = None
        if kind in ENDED_HERE:
            began = self.steps.get(_number(facts, "activation"))
        elif kind in TASK_ENDED:
            began = self.tasks.get(_number(facts, "seat"))
        elif kind in WORK_ENDED:
            began = self.jobs.get(_number(facts, "job"), (None, 0))[0]
        return None if began is None else max(timedelta(), at - began)

    def attempts(self, kind: str, facts: Mapping[str, object]) -> int:
        """How often a worker took up the work that ended; 0 for any other event."""
        if kind not in WORK_ENDED:
            return 0
        return self.jobs.get(_number(facts, "job"), (None, 0))[1]


def beginnings(instance: Instance, told: Sequence[tuple[str, Mapping[str, object]]]) -> Beginnings:
    """What the durations of these events need, in at most three statements."""
    steps = _numbers(told, ENDED_HERE, "activation")
    seats = _numbers(told, TASK_ENDED, "seat")
    jobs = _numbers(told, WORK_ENDED, "job")
    return Beginnings(
        steps=dict(
            Step.objects.filter(instance=instance, number__in=steps).values_list(
                "number", "entered_at"
            )
        )
        if steps
        else {},
        tasks=dict(
            Task.objects.filter(instance=instance, number__in=seats).values_list(
                "number", "created_at"
            )
        )
        if seats
        else {},
        jobs={
            row[0]: (row[1], row[2])
            for row in Job.objects.filter(instance=instance, number__in=jobs).values_list(
                "number", "created_at", "attempts"
            )
        }
        if jobs
        else {},
    )


def _numbers(
    told: Iterable[tuple[str, Mapping[str, object]]], kinds: frozenset[str], name: str
) -> set[int]:
    return {_number(facts, name) for kind, facts in told if kind in kinds} - {0}


def _number(facts: Mapping[str, object], name: str) -> int:
    value = facts.get(name, 0)
    return value if isinstance(value, int) else 0
