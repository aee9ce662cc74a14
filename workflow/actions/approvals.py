"""What the holder of a task does with it: approve, reject; and what a reader may say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.commands import Approve, Comment, Reject
from workflow.models import SPAN, Instance, Task
from workflow.runtime.execute import Once, Settled, execute

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from flowadmin.directory.models import User


def approve(
    *,
    task: Task,
    user: User,
    version: int,
    now: datetime,
    comment: str = "",
    form: Mapping[str, object] | None = None,
    once: Once | None = None,
) -> Settled:
    """Approve a task. ``version`` is the one the person saw, ``form`` his changes.

    Raises Problem: 403, 409, 412, 422 in this order (contract, A task is one seat).
    """
    command = Approve(task.id % SPAN, user.pk, version, comment, form or {})
    return _decide(task, user, command, now, once)


def reject(
    *,
    task: Task,
    user: User,
    version: int,
    now: datetime,
    comment: str = "",
    form: Mapping[str, object] | None = None,
    once: Once | None = None,
) -> Settled:
    """Reject a task; arguments and refusals are those of `approve`."""
    command = Reject(task.id % SPAN, user.pk, version, comment, form or {})
    return _decide(task, user, command, now, once)


def comment_on(
    *,
    instance: Instance,
    user: User,
    comment: str,
    now: datetime,
    task: Task | None = None,
    once: Once | None = None,
) -> Settled:
    """Say something for the record. Raises Problem: 409, 422."""
    return execute(
        tenant_id=user.tenant_id,
        instance_id=instance.pk,
        command=Comment(user.pk, comment, task.step if task else ""),
        actor_id=user.pk,
        now=now,
        task=task.pk if task else 0,
        once=once,
    )


def _decide(
    task: Task, user: User, command: Approve | Reject, now: datetime, once: Once | None
) -> Settled:
    return execute(
        tenant_id=user.tenant_id,
        instance_id=task.instance_id,
        command=command,
        actor_id=user.pk,
        now=now,
        task=task.pk,
        once=once,
    )
