"""What a manager does to a running request, always with a reason that the history keeps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from flowadmin.rest.problems import Problem
from workflow.engine.commands import (
    AssignHeld,
    Jump,
    Pause,
    Reassign,
    Resume,
    Retry,
    Terminate,
)
from workflow.forms.scalars import says_something
from workflow.models import SPAN, Instance, Task
from workflow.runtime.execute import Once, Settled, execute
from workflow.wording.rejections import rejection_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from flowadmin.directory.models import User
    from workflow.engine.commands import Command


WAITING = (Task.State.OPEN, Task.State.BLOCKED, Task.State.HANDED_ON)


@dataclass(frozen=True, slots=True)
class HandedOver:
    """What became of one task of a leaver; ``code`` is empty where it was handed over."""

    task: int
    instance: int
    number: str
    title: str
    step: str
    code: str = ""
    message: str = ""

    @property
    def ok(self) -> bool:
        """Whether the other person has it now (or would get it)."""
        return not self.code


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
    return _steer(instance, user, AssignHeld(activation, to.pk, user.pk, reason), now, once)


def terminate(
    *, instance: Instance, user: User, reason: str, now: datetime, once: Once | None = None
) -> Settled:
    """End a running request. Raises Problem: 409 when it has ended, 422 reason.required."""
    return _steer(instance, user, Terminate(user.pk, reason), now, once)


def pause(
    *, instance: Instance, user: User, reason: str, now: datetime, once: Once | None = None
) -> Settled:
    """Nothing moves from now on. Raises Problem: 409, 422 reason.required."""
    return _steer(instance, user, Pause(user.pk, reason), now, once)


def resume(
    *, instance: Instance, user: User, reason: str, now: datetime, once: Once | None = None
) -> Settled:
    """Go on after a pause. Raises Problem: 409."""
    return _steer(instance, user, Resume(user.pk, reason), now, once)


def jump(
    *,
    instance: Instance,
    to: str,
    user: User,
    reason: str,
    now: datetime,
    once: Once | None = None,
) -> Settled:
    """Continue at another step, by its id, at "start" or at "end".

    Raises Problem: 409, 422 reason.required, jump.unknown_step, jump.into_branch.
    """
    return _steer(instance, user, Jump(to, user.pk, reason), now, once)


def retry(
    *,
    instance: Instance,
    activation: int,
    user: User,
    reason: str,
    now: datetime,
    once: Once | None = None,
) -> Settled:
    """Ask outside once more in a step that is held because that failed.

    Raises Problem: 409 instance.not_running, instance.paused, step.not_held; 422 reason.required.
    """
    return _steer(instance, user, Retry(activation, user.pk, reason), now, once)


def waiting_tasks(leaver: User) -> list[Task]:
    """Everything that waits for this person, now or when its turn comes, oldest first."""
    rows = Task.objects.filter(
        tenant_id=leaver.tenant_id, holder=leaver.pk, state__in=WAITING
    ).select_related("instance")
    return list(rows.order_by("id"))


def hand_over(
    *, leaver: User, to: User, user: User | None, reason: str, now: datetime
) -> Iterator[HandedOver]:
    """Give every waiting task of a leaver to another person of the same tenant, one by one.

    Args:
        leaver, to: active or not; who may not get a task is refused task by task.
        user: who does it; nothing from a command line, and then the history names nobody.
        reason: for the history of each request.
        now: the database's clock.

    Each task is a transaction of its own, so that one which cannot be handed over (the other
    person holds the step already, the request has moved) keeps none of the others back; done
    again, it goes on with what is left. Raises Problem 422 before anything is done:
    reason.required, person.unknown for somebody of another tenant, person.same.

    Source: approvals.md 4, test 39.
    """
    check_hand_over(leaver, to, reason)
    for task in waiting_tasks(leaver):
        found = HandedOver(
            task.pk, task.instance_id, task.instance.number, task.instance.title, task.step
        )
        command = Reassign(task.pk % SPAN, to.pk, user.pk if user else 0, reason)
        try:
            execute(
                tenant_id=task.tenant_id,
                instance_id=task.instance_id,
                command=command,
                actor_id=user.pk if user else None,
                now=now,
                task=task.pk,
            )
        except Problem as problem:
            found = replace(found, code=problem.code, message=str(problem.detail))
        yield found


def check_hand_over(leaver: User, to: User, reason: str) -> None:
    """Raises Problem 422 reason.required, person.unknown, person.same (see `hand_over`)."""
    if not says_something(reason):
        raise Problem(422, "reason.required", rejection_text("reason.required"))
    if to.tenant_id != leaver.tenant_id or not to.is_active:
        raise Problem(422, "person.unknown", rejection_text("person.unknown"))
    if to.pk == leaver.pk:
        raise Problem(422, "person.same", _("Tasks are handed over to somebody else."))


def _steer(
    instance: Instance, user: User, command: Command, now: datetime, once: Once | None
) -> Settled:
    return execute(
        tenant_id=instance.tenant_id,
        instance_id=instance.pk,
        command=command,
        actor_id=user.pk,
        now=now,
        once=once,
    )
