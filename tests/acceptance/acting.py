"""How the acceptance tests act on requests in the database, in the fewest words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.workflow import flows
from workflow import access, queries
from workflow.actions import approvals
from workflow.engine import commands
from workflow.models import SPAN, Event, Instance, Job, Task
from workflow.runtime import steps

if TYPE_CHECKING:
    from datetime import datetime

    from flowadmin.directory.models import User

# Everything that a holder may be allowed to do.
ALL_ACTS: dict[str, Any] = {
    "transfer": True,
    "delegate": True,
    "add_before": True,
    "add_after": True,
    "add_with": True,
    "remove_added": True,
    "send_copy": True,
    "give_back": True,
    "comment": True,
    "return_to": "any",
}


def human(step_id: str, *logins: str, mode: str = "any", **members: Any) -> dict[str, Any]:
    """An approval by these people who decide in this way."""
    made: dict[str, Any] = flows.approve_step(step_id, *logins, decide={"mode": mode}, **members)
    return made


def block(step_id: str, *ways: list[dict[str, Any]], **members: Any) -> dict[str, Any]:
    """A parallel block with these branches."""
    branches = [
        {"id": f"{step_id}_{number}", "name": f"Way {number}", "steps": steps}
        for number, steps in enumerate(ways)
    ]
    made = {"id": step_id, "kind": "parallel", "name": step_id.title(), "branches": branches}
    return {**made, "join": "all", **members}


def filed(user: User, *steps: dict[str, Any], now: datetime, **members: Any) -> Instance:
    """Publish a process of these steps and file a request of it."""
    values = members.pop("values", {})
    key = members.pop("key", "expense")
    flows.publish(user, flows.a_document(*steps, key=key, **members), now=now)
    made: Instance = flows.start(user, key, now=now, **values)
    return made


def task_of(user: User, instance: Instance, step: str = "") -> Task:
    """The open task that this person holds in a request (in that step)."""
    found = Task.objects.filter(instance=instance, holder=user, state="open")
    return (found.filter(step=step) if step else found).get()


def give(task: Task, user: User, kind: type[Any], *, now: datetime, **members: Any) -> Task:
    """An act of this kind on the task at its present version; the task as it then is."""
    command = kind(seat=task.pk % SPAN, by=user.pk, version=task.version, **members)
    approvals.on_task(task=access.own_task(user, task.pk), user=user, command=command, now=now)
    return Task.objects.get(pk=task.pk)


def approve(user: User, instance: Instance, *, now: datetime, **members: Any) -> Task:
    """Approve this person's open task of the request."""
    return give(task_of(user, instance), user, commands.Approve, now=now, **members)


def reject(user: User, instance: Instance, *, now: datetime, **members: Any) -> Task:
    """Reject this person's open task of the request."""
    return give(task_of(user, instance), user, commands.Reject, now=now, **members)


def fresh(instance: Instance) -> Instance:
    """The request as it stands in the database now."""
    return Instance.objects.get(pk=instance.pk)


def in_box(user: User, *, now: datetime | None = None) -> list[int]:
    """The requests in this person's inbox; the count of the inbox must say the same."""
    lines = queries.inbox(user, limit=1000, now=now)
    assert queries.inbox_count(user, now=now) == len(lines)
    return [line.instance_id for line in lines]


def is_done_for(user: User) -> list[tuple[int, str]]:
    """The requests in this person's done list, with what became of the task."""
    lines = queries.task_lines(queries.done_tasks(user))
    return [(line.instance_id, line.state) for line in lines]


def open_now(instance: Instance) -> dict[str, str]:
    """Who has an open task of the request, and in which step."""
    rows = Task.objects.filter(instance=instance, state="open").order_by("pk")
    return dict(rows.values_list("holder__login", "step"))


def kinds(instance: Instance) -> list[str]:
    """The kinds of everything that happened to the request, in order."""
    rows = Event.objects.filter(instance=instance).order_by("position")
    return list(rows.values_list("kind", flat=True))


def work(now: datetime) -> int:
    """A worker carries out everything that is due at ``now``, also what that makes due."""
    done = 0
    while waiting := steps.due(now):
        for job in waiting:
            claimed = steps.claim(job, "worker", now)
            assert claimed is not None
            done += steps.carry_out(claimed, now)
    return done


def waiting_jobs(instance: Instance) -> list[Job]:
    """The work that waits for a worker, the next one first."""
    rows = Job.objects.filter(instance=instance, state__in=["pending", "leased"])
    return list(rows.order_by("due_at", "pk"))
