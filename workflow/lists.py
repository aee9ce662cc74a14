"""Narrowing the lists of tasks: by process, step, person, when it came, when it is due, and words.

The inbox as it stands goes through the hand-written statement (`queries.inbox`); whoever filters
takes the ORM's way over the same rows.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Literal

from django.db.models import Min, Q
from django.db.models.functions import Lower

from workflow import queries
from workflow.models import Definition, Instance, Task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date, tzinfo

    from django.db.models import QuerySet

    from flowadmin.directory.models import User
    from workflow.queries import TaskLine

Box = Literal["todo", "done", "copied"]
Due = Literal["", "soon", "overdue"]
# What is due within this time is due soon, as the chip beside it says.
SOON = timedelta(hours=24)
# What a filter offers to choose from is read off so many of the newest rows.
MOST_READ = 500
# Processes that are looked at, until enough are found that a person may start.
MOST_OFTEN = 10


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of a list of tasks; whatever is empty does not matter.

    ``flow`` is the key of a process, ``step`` the name of a step, ``person`` the login of whoever
    filed the request, ``since`` and ``until`` are days of the reader's zone (both inclusive),
    ``text`` a part of the title or the number.
    """

    flow: str = ""
    step: str = ""
    person: str = ""
    since: date | None = None
    until: date | None = None
    due: Due = ""
    text: str = ""

    def __bool__(self) -> bool:
        return any(getattr(self, each.name) for each in fields(self))


@dataclass(frozen=True, slots=True)
class Offered:
    """What stands in a list and can be asked for: processes and people by key and login."""

    flows: tuple[tuple[str, str], ...]
    steps: tuple[str, ...]
    people: tuple[tuple[str, str], ...]


def tasks_of(user: User, box: Box, now: datetime) -> QuerySet[Task]:
    """The tasks of a box, newest first; ``now`` (aware) decides what is snoozed."""
    if box == "done":
        return queries.done_tasks(user)
    if box == "copied":
        return queries.copied_tasks(user)
    return (
        Task.objects.filter(holder=user.pk, state=Task.State.OPEN)
        .exclude(snoozed_until__gt=now)
        .order_by("-id")
    )


def narrowed(
    rows: QuerySet[Task], wanted: Wanted, *, now: datetime, zone: tzinfo
) -> QuerySet[Task]:
    """The rows of a list that answer to what is wanted, in the same order.

    ``zone`` is that in which the days of ``wanted`` begin.
    """
    found = Q()
    if wanted.flow:
        found &= Q(instance__definition__key=wanted.flow)
    if wanted.step:
        found &= Q(step_name=wanted.step)
    if wanted.person:
        found &= Q(instance__initiator__login=wanted.person)
    if wanted.since:
        found &= Q(created_at__gte=datetime.combine(wanted.since, time.min, zone))
    if wanted.until:
        found &= Q(
            created_at__lt=datetime.combine(wanted.until, time.min, zone) + timedelta(days=1)
        )
    if wanted.due:
        found &= Q(due_at__lt=now) if wanted.due == "overdue" else Q(due_at__lte=now + SOON)
    if wanted.text:
        # MariaDB compares our columns byte for byte, so `icontains` alone would mind the case.
        rows = rows.alias(low_title=Lower("instance__title"), low_number=Lower("instance__number"))
        low = wanted.text.lower()
        found &= (
            Q(instance__title__icontains=wanted.text)
            | Q(instance__number__icontains=wanted.text)
            | Q(low_title__contains=low)
            | Q(low_number__contains=low)
        )
    return rows.filter(found)


def offered_in(rows: QuerySet[Task]) -> Offered:
    """What can be asked for in a list: what stands in its newest rows, each once, by name."""
    found = rows.values_list(
        "instance__definition__key",
        "instance__definition__name",
        "step_name",
        "instance__initiator__login",
        "instance__initiator__name",
    )[:MOST_READ]
    flows: dict[str, str] = {}
    people: dict[str, str] = {}
    steps: set[str] = set()
    for key, name, step, login, person in found:
        flows[key], people[login] = name, person
        steps.add(step)
    return Offered(_by_name(flows), tuple(sorted(steps)), _by_name(people))


def _by_name(found: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(found.items(), key=lambda pair: (pair[1], pair[0])))


def beside(user: User, task: int, now: datetime) -> tuple[Task | None, Task | None]:
    """The open tasks before and after one in the order of the inbox; absent at its ends.

    Args:
        user: whose inbox it is.
        task: the id of the task that one stands at; it may have been decided.
        now: this moment, aware: what is snoozed is left out.
    """
    todo = tasks_of(user, "todo", now)
    return todo.filter(pk__gt=task).order_by("id").first(), todo.filter(pk__lt=task).first()


def next_due(user: User, now: datetime, most: int) -> list[TaskLine]:
    """What to do next: the open tasks that are due first, then the newest without a deadline."""
    todo = tasks_of(user, "todo", now)
    due = todo.filter(due_at__isnull=False).order_by("due_at", "-id")
    lines = queries.task_lines(due[:most])
    if len(lines) < most:
        lines += queries.task_lines(todo.filter(due_at__isnull=True)[: most - len(lines)])
    return lines


def due_of(instances: Sequence[Instance]) -> dict[int, datetime]:
    """When each of these requests is due next: the nearest deadline of its open tasks."""
    if not instances:
        return {}
    rows = Task.objects.filter(
        instance_id__in=[each.pk for each in instances],
        state=Task.State.OPEN,
        due_at__isnull=False,
    )
    found = rows.values("instance_id").annotate(due=Min("due_at"))
    return {row["instance_id"]: row["due"] for row in found.values("instance_id", "due")}


def often_started_by(user: User) -> list[str]:
    """The keys of the processes that this person files most, the most used first."""
    rows = Instance.objects.filter(initiator=user.pk, tenant_id=user.tenant_id)
    return _most_used(rows)


def often_started(tenant_id: int) -> list[str]:
    """The keys of the processes that are used most in a tenant; those never used come last."""
    used = _most_used(Instance.objects.filter(tenant_id=tenant_id))
    live = Definition.objects.filter(tenant_id=tenant_id, current__isnull=False)
    unused = live.exclude(key__in=used).order_by("name", "key").values_list("key", flat=True)
    return [*used, *unused[:MOST_OFTEN]]


def _most_used(rows: QuerySet[Instance]) -> list[str]:
    """Counted over the newest requests only, along the index; one statement."""
    newest = rows.order_by("-id").values_list("definition__key", flat=True)[:MOST_READ]
    return [key for key, _count in Counter(newest).most_common(MOST_OFTEN)]
