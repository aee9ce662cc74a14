"""Shared reads: the lists and the detail that pages, REST and admin show.

The inbox goes through the hand-written statements, since it is the page that everybody opens all
day; the other lists use the ORM with plain rows. Everything is of one tenant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from django.db.models import F, Q, QuerySet

from workflow import statements
from workflow.engine.flowdoc.steps import HumanStep
from workflow.engine.state import InstanceState, State
from workflow.forms.rights import visible
from workflow.models import Instance, Task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from flowadmin.directory.models import User
    from workflow.engine.decision import Definition
    from workflow.forms.scalars import Value

MOST_COUNTED = 999
_decode_state = msgspec.json.Decoder(State).decode


@dataclass(frozen=True, slots=True)
class TaskLine:
    """One row of a task list."""

    id: int
    version: int
    state: str
    step: str
    step_name: str
    created_at: datetime
    due_at: datetime | None
    decided_at: datetime | None
    instance_id: int
    number: str
    title: str
    instance_state: str
    flow: str
    flow_name: str
    initiator: str
    version_id: int


def inbox(user: User, *, limit: int, offset: int = 0) -> list[TaskLine]:
    """The open tasks of a person, newest first."""
    return [_line(row) for row in statements.inbox_page(user.pk, limit, offset)]


def inbox_count(user: User) -> int:
    """How many open tasks a person has: the rows over all pages of `inbox`."""
    return statements.inbox_count(user.pk)


def _line(row: statements.Row) -> TaskLine:
    created_at = statements.known_moment(row[5])
    due_at, decided_at = statements.read_moment(row[6]), statements.read_moment(row[7])
    return TaskLine(*(*row[:5], created_at, due_at, decided_at, *row[8:]))


_LINE_FIELDS = (
    "id", "version", "state", "step", "step_name", "created_at", "due_at", "decided_at",
    "instance_id", "instance__number", "instance__title", "instance__state",
    "instance__definition__key", "instance__definition__name", "instance__initiator__name",
    "instance__version_id",
)  # fmt: skip


def task_lines(rows: QuerySet[Task]) -> list[TaskLine]:
    """Task rows of a query, as lines."""
    return [TaskLine(*row) for row in rows.values_list(*_LINE_FIELDS)]


def done_tasks(user: User) -> QuerySet[Task]:
    """Decisions that this person made himself, newest first.

    A task that a colleague's decision closed is not among them (approvals.md 4, tests 5 and 6).
    """
    return (
        Task.objects.filter(holder=user.pk, decided_by=user.pk)
        .exclude(state__in=["open", "blocked", "closed"])
        .order_by(F("decided_at").desc(), "-id")
    )


def copied_tasks(user: User) -> QuerySet[Task]:
    """Copies for this person, newest first."""
    return Task.objects.filter(holder=user.pk, state="done", kind=Task.Kind.COPY).order_by(
        F("decided_at").desc(), "-id"
    )


def my_instances(user: User) -> QuerySet[Instance]:
    """Requests that this person filed, newest first."""
    return Instance.objects.filter(initiator=user.pk, tenant_id=user.tenant_id).order_by("-id")


def involved_instances(user: User) -> QuerySet[Instance]:
    """Requests of others in which this person has or had a task, newest first."""
    held = Task.objects.filter(holder=user.pk).values("instance_id")
    return Instance.objects.filter(pk__in=held, tenant_id=user.tenant_id).order_by("-id")


def holders(instances: Sequence[int]) -> dict[int, list[tuple[str, str]]]:
    """Who has each of these requests now: (person, step), in the order of the tasks."""
    rows = (
        Task.objects.filter(instance_id__in=list(instances), state="open")
        .order_by("id")
        .values_list("instance_id", "holder__name", "step_name")
    )
    found: dict[int, list[tuple[str, str]]] = {}
    for instance_id, name, step in rows:
        found.setdefault(instance_id, []).append((name, step))
    return found


def state_of(instance: Instance) -> State:
    """The folded state that stands on a request's row."""
    return _decode_state(msgspec.json.encode(instance.snapshot))


def counters(user: User) -> dict[str, int]:
    """The numbers of `me`, each one indexed count that stops at 999 (contract, me)."""
    running = Q(initiator=user.pk, tenant_id=user.tenant_id, state=InstanceState.RUNNING.value)
    return {
        "todo": min(inbox_count(user), MOST_COUNTED),
        "overdue": 0,
        "notices": 0,
        "mine_running": Instance.objects.filter(running)[:MOST_COUNTED].count(),
        "drafts": 0,
    }


def summary_values(
    snapshot: Mapping[str, Any], definition: Definition, step_id: str
) -> dict[str, Value]:
    """The process' summary fields that the holder of a task of this step may see."""
    values = snapshot.get("values", {})
    shown = visible(values, definition.rights_at(step_id))
    return {name: shown[name] for name in definition.plan.doc.summary if name in shown}


def note_of(definition: Definition, step_id: str) -> str:
    """The guidance that the designer wrote for the approver of a step."""
    step = definition.plan.steps[step_id].step
    return step.note if isinstance(step, HumanStep) else ""
