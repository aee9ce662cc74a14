"""What is here already: tenants, people, and the requests and tasks that older rows may name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from flowadmin.directory.models import Tenant, User
from workflow.models import Instance, Task

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from notifications.legacy.older import Row

_LARGEST = 2**63 - 1
_WAITING = frozenset({Task.State.OPEN, Task.State.BLOCKED, Task.State.HANDED_ON})


class TaskHere(NamedTuple):
    """A task of ours that an older row names."""

    tenant_id: int
    instance_id: int
    waits: bool


@dataclass(frozen=True, slots=True)
class Known:
    """Tenants, people with their tenant, and of one batch of rows the requests and tasks."""

    tenants: frozenset[int]
    people: Mapping[int, int]
    instances: Mapping[int, int]
    tasks: Mapping[int, TaskHere]

    def task(self, row: Row) -> tuple[int | None, TaskHere | None]:
        """The task of ours that a row names, if it is of the row's tenant."""
        number = number_in(row["task_id"])
        found = self.tasks.get(number) if number is not None else None
        if found is None or found.tenant_id != row["tenant_id"]:
            return None, None
        return number, found

    def instance(self, row: Row) -> int | None:
        """The request of ours that a row names or whose task it names, in the row's tenant."""
        _number, task = self.task(row)
        if task is not None:
            return task.instance_id
        number = number_in(row["instance_id"])
        if number is None or self.instances.get(number) != row["tenant_id"]:
            return None
        return number

    def of(self, rows: Iterable[Row]) -> Known:
        """The same with the requests and tasks that these rows name."""
        rows = list(rows)
        instances = _numbers(row["instance_id"] for row in rows)
        tasks = _numbers(row["task_id"] for row in rows)
        found = Task.objects.filter(pk__in=tasks).values_list(
            "pk", "tenant_id", "instance_id", "state"
        )
        here = Instance.objects.filter(pk__in=instances).values_list("pk", "tenant_id")
        return Known(
            self.tenants,
            self.people,
            dict(here) if instances else {},
            {pk: TaskHere(tenant, instance, state in _WAITING)
             for pk, tenant, instance, state in found} if tasks else {},
        )  # fmt: skip


def everybody() -> Known:
    """The tenants and people of this installation, and no request or task yet."""
    return Known(
        frozenset(Tenant.objects.values_list("pk", flat=True)),
        dict(User.objects.values_list("pk", "tenant_id")),
        {},
        {},
    )


def _numbers(texts: Iterable[object]) -> set[int]:
    return {number for text in texts if (number := number_in(text)) is not None}


def number_in(text: object) -> int | None:
    """The id of ours that an older id may be: decimal digits that a column of ours can hold."""
    word = str(text) if text is not None else ""
    if not (word.isascii() and word.isdecimal()) or word != str(int(word)):
        return None
    number = int(word)
    return number if 0 < number <= _LARGEST else None
