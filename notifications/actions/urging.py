"""Urging: the initiator asks those who have a task of the request to see to it.

Once in ten minutes for each request, whatever its process and from whatever window. The newest
urge among the notices decides, so one from before an upgrade counts too (seed 001, P6); the row of
the request only puts those who come at once in line.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from flowadmin.rest.problems import Problem
from notifications.actions.recording import Fresh, Kind, write
from notifications.models import Notice
from workflow.models import Instance, Task
from workflow.runtime.standing import stand_in_line

if TYPE_CHECKING:
    from collections.abc import Collection

    from flowadmin.directory.models import User

# Seed 001's number, and no setting (decision 21).
WINDOW = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Urged:
    """Who was urged, by name, and when it is possible again."""

    people: tuple[str, ...]
    again_at: datetime


def urge(*, instance: Instance, user: User, now: datetime) -> Urged:
    """Tell everybody who has an open task of this request that its initiator asks for it.

    ``now`` is the database's clock. Opens a transaction of its own, or takes part in the
    caller's. Raises Problem: 403 urge.not_initiator for anybody else, whatever he may do
    otherwise; 409 urge.not_running; 409 urge.nobody, which uses nothing up; 429 urge.too_soon
    with the seconds left. Source: contract, `instances/{id}/actions/urge`; seed 001, P5 and P6.
    """
    if instance.initiator_id != user.pk or instance.tenant_id != user.tenant_id:
        raise Problem(403, "urge.not_initiator", _("Only whoever filed the request may urge."))
    with transaction.atomic():
        if not stand_in_line(user.tenant_id, instance.pk):
            raise Problem(
                409, "urge.not_running", _("The request has ended or is paused: nobody can act.")
            )
        left = seconds_left(last_urges([instance.pk]).get(instance.pk), now)
        if left:
            raise _too_soon(left)
        tasks = _open_tasks(instance, user)
        if not tasks:
            raise Problem(
                409, "urge.nobody", _("Nobody has a task of this request at this moment.")
            )
        write(
            [
                Fresh(
                    tenant_id=user.tenant_id,
                    kind=Kind.URGE.value,
                    instance_id=instance.pk,
                    created_at=now,
                    task_id=task.pk,
                    receiver_id=task.holder_id,
                    sender_id=user.pk,
                )
                for task in tasks
            ]
        )
    return Urged(tuple(task.holder.name for task in tasks), now + WINDOW)


def last_urges(instances: Collection[int]) -> dict[int, datetime]:
    """When each of these requests was urged last; one statement."""
    rows = (
        Notice.objects.filter(instance_id__in=list(instances), kind=Kind.URGE)
        .order_by()
        .values("instance_id")
        .annotate(last=Max("created_at"))
        .values_list("instance_id", "last")
    )
    return dict(rows)


def seconds_left(last: datetime | None, now: datetime) -> int:
    """Whole seconds until an urge is possible again, rounded up; 0 when it is.

    An urge further in the future than the window was written before the clock was set back, and
    forbids nothing.
    """
    if last is None or not -WINDOW < now - last < WINDOW:
        return 0
    left = min(WINDOW, last + WINDOW - now)
    return -(-left // timedelta(seconds=1))


def _too_soon(left: int) -> Problem:
    text = ngettext(
        "This request was urged less than ten minutes ago. Again in %(seconds)d second.",
        "This request was urged less than ten minutes ago. Again in %(seconds)d seconds.",
        left,
    )
    return Problem(429, "urge.too_soon", text % {"seconds": left}, retry_after=left)


def _open_tasks(instance: Instance, user: User) -> list[Task]:
    """One open task of each person who can act; nobody urges himself."""
    rows = (
        Task.objects.filter(instance=instance, state=Task.State.OPEN, holder__is_active=True)
        .exclude(holder=user.pk)
        .select_related("holder")
        .order_by("id")
    )
    first: dict[int, Task] = {}
    for task in rows:
        first.setdefault(task.holder_id, task)
    return list(first.values())
