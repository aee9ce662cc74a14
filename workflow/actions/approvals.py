"""What a person does with a task of his own; and what a reader may say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.commands import Approve, Comment, Reject, TakeBack
from workflow.models import SPAN, Instance, Task
from workflow.runtime.execute import FromHistory, Once, Settled, execute

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from flowadmin.directory.models import User
    from workflow.engine.commands import Command
    from workflow.recorded import Recorded


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
    command = Approve(
        seat=task.id % SPAN, by=user.pk, version=version, comment=comment, changes=form or {}
    )
    return on_task(task=task, user=user, command=command, now=now, once=once)


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
    command = Reject(
        seat=task.id % SPAN, by=user.pk, version=version, comment=comment, changes=form or {}
    )
    return on_task(task=task, user=user, command=command, now=now, once=once)


def on_task(
    *,
    task: Task,
    user: User,
    command: Command,
    now: datetime,
    once: Once | None = None,
) -> Settled:
    """Carry out an act on a task, such as Transfer or AddSigners; who acts stands in it.

    Raises Problem: 403, 409, 412, 422 in this order (contract, A task is one seat).
    """
    return execute(
        tenant_id=user.tenant_id,
        instance_id=task.instance_id,
        command=command,
        actor_id=user.pk,
        now=now,
        task=task.pk,
        once=once,
    )


def take_back(
    *, task: Task, user: User, comment: str, now: datetime, once: Once | None = None
) -> Settled:
    """Take an own decision back (approvals.md 2.6).

    Raises Problem: 403, 409 take_back.* with the reason why it is too late.
    """

    def made(history: Sequence[Recorded]) -> TakeBack:
        return TakeBack(
            seat=task.id % SPAN,
            by=user.pk,
            comment=comment,
            history=[each.event for each in history],
            decided_at=task.decided_at or now,
        )

    return execute(
        tenant_id=user.tenant_id,
        instance_id=task.instance_id,
        command=FromHistory(made),
        actor_id=user.pk,
        now=now,
        task=task.pk,
        once=once,
    )


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
