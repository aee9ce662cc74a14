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
from workflow.engine.events import AnyEvent
from workflow.engine.flowdoc.steps import HumanStep
from workflow.engine.state import InstanceState, State
from workflow.forms.rights import visible
from workflow.models import Draft, Event, Instance, Task

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from flowadmin.directory.models import User
    from workflow.engine.decision import Definition
    from workflow.forms.scalars import Value

MOST_COUNTED = 999
_decode_state = msgspec.json.Decoder(State).decode
_decode_event = msgspec.json.Decoder(AnyEvent).decode


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


def inbox(
    user: User, *, limit: int, offset: int = 0, now: datetime | None = None
) -> list[TaskLine]:
    """The open tasks of a person, newest first, without those snoozed beyond ``now``.

    Without ``now`` it is this moment, by the database's clock.
    """
    return [_line(row) for row in statements.inbox_page(user.pk, limit, offset, now)]


def inbox_count(user: User, *, now: datetime | None = None) -> int:
    """How many tasks `inbox` has over all its pages."""
    return statements.inbox_count(user.pk, now)


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
    """Decisions that this person made himself, newest first; an opinion given is one too.

    A task that a colleague's decision closed is not among them, nor a decision that was taken
    back (approvals.md 4, tests 5, 6 and 47).
    """
    return (
        _past_tasks(user)
        .filter(decided_by=user.pk)
        .exclude(state__in=["closed", "taken_back"])
        .exclude(kind=Task.Kind.COPY)
        .order_by(F("decided_at").desc(), "-id")
    )


def copied_tasks(user: User) -> QuerySet[Task]:
    """Copies for this person, newest first."""
    return (
        _past_tasks(user)
        .filter(state="done", kind=Task.Kind.COPY)
        .order_by(F("decided_at").desc(), "-id")
    )


def _past_tasks(user: User) -> QuerySet[Task]:
    """In the words of the partial index that both lists walk along (flow_task_past)."""
    return Task.objects.filter(holder=user.pk).exclude(state__in=["open", "blocked", "handed_on"])


def snoozed_tasks(user: User, now: datetime) -> QuerySet[Task]:
    """Open tasks that this person wants to see again later than ``now``, the next one first."""
    return Task.objects.filter(holder=user.pk, state="open", snoozed_until__gt=now).order_by(
        "snoozed_until", "-id"
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


def states_of(instances: Collection[int]) -> dict[int, State]:
    """The folded states of these requests, in one statement."""
    if not instances:
        return {}
    rows = Instance.objects.filter(pk__in=set(instances)).values_list("pk", "snapshot")
    return {pk: _decode_state(msgspec.json.encode(snapshot)) for pk, snapshot in rows}


def histories_of(instances: Collection[int]) -> dict[int, list[AnyEvent]]:
    """The whole histories of these requests, in one statement."""
    found: dict[int, list[AnyEvent]] = {pk: [] for pk in instances}
    if found:
        rows = Event.objects.filter(instance_id__in=set(found)).order_by("instance_id", "position")
        for pk, payload in rows.values_list("instance_id", "payload"):
            found[pk].append(_decode_event(payload))
    return found


def counters(user: User) -> dict[str, int]:
    """The numbers of `me`, each one indexed count that stops at 999 (contract, me).

    To do is what the inbox shows; overdue counts what is snoozed as well, since putting a task
    off moves no deadline.
    """
    running = Q(initiator=user.pk, tenant_id=user.tenant_id, state=InstanceState.RUNNING.value)
    return {
        "todo": min(inbox_count(user), MOST_COUNTED),
        "overdue": min(statements.overdue_count(user.pk), MOST_COUNTED),
        "notices": 0,
        "mine_running": Instance.objects.filter(running)[:MOST_COUNTED].count(),
        "drafts": draft_count(user),
    }


def draft_count(user: User) -> int:
    """How many requests this person has begun and not filed; counting stops at 999."""
    rows = Draft.objects.filter(user=user.pk, kind=Draft.Kind.APPLICATION, deleted_at__isnull=True)
    return rows[:MOST_COUNTED].count()


def summary_values(
    snapshot: Mapping[str, Any], definition: Definition, step_id: str
) -> dict[str, Value]:
    """The process' summary fields that the holder of a task of this step may see."""
    values = snapshot.get("values", {})
    shown = visible(values, definition.rights_at(step_id))
    return {name: shown[name] for name in definition.plan.doc.summary if name in shown}


def note_of(definition: Definition, step_id: str) -> str:
    """The guidance that the designer wrote for the approver of a step."""
    planned = definition.plan.steps.get(step_id)
    return planned.step.note if planned is not None and isinstance(planned.step, HumanStep) else ""
