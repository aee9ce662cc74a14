"""What a manager does to a running request, always with a reason that the history keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.commands import AssignHeld, Reassign, Terminate
from workflow.models import SPAN, Instance, Task
from workflow.runtime.execute import Once, Settled, execute

if TYPE_CHECKING:
    from datetime import datetime

    from flowadmin.directory.models import User


def reassign(
    *, task: Task, to: User, user: User, reason: str, now: datetime, once: Once | None = None
) -> Settled:
    """Give an open task to another active person of the request's tenant.

    Raises Problem: 409 when the task is over, 422 reason.required, person.unknown,
    person.already_holds.
    """
    return execute(
        tenant_id=task.tenant_id,
        instance_id=task.instance_id,
        command=Reassign(task.pk % SPAN, to.pk, user.pk, reason),
        actor_id=user.pk,
        now=now,
        task=task.pk,
        once=once,
    )


def assign_held(
    *,
    instance: Instance,
    activation: int,
    to: User,
    user: User,
    reason: str,
    now: datetime,
    once: Once | None = None,
) -> Settled:
    """Name the person for a step that is held because nobody was found. Raises Problem."""
    return execute(
        tenant_id=instance.tenant_id,
        instance_id=instance.pk,
        command=AssignHeld(activation, to.pk, user.pk, reason),
        actor_id=user.pk,
        now=now,
        once=once,
    )


def terminate(
    *, instance: Instance, user: User, reason: str, now: datetime, once: Once | None = None
) -> Settled:
    """End a running request. Raises Problem: 409 when it has ended, 422 reason.required."""
    return execute(
        tenant_id=instance.tenant_id,
        instance_id=instance.pk,
        command=Terminate(user.pk, reason),
        actor_id=user.pk,
        now=now,
        once=once,
    )
