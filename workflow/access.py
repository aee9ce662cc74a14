"""The only door from a person to a row: fetch it within the tenant, or say that it is not there.

What a person may not know of is 404; what he may know of and may not do is 403 (contract, REST).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from flowadmin.directory import permissions
from flowadmin.rest.problems import Problem
from workflow.models import Definition, Instance, Task

if TYPE_CHECKING:
    from flowadmin.directory.models import User

LARGEST_ID = 2**63 - 1


def row_id(text: str) -> int:
    """The number of a row in an address. Raises Problem 404 for anything that is none."""
    if text.isascii() and text.isdecimal() and len(text) <= 19 and int(text) <= LARGEST_ID:
        return int(text)
    raise _unknown()


def visible_instances(user: User) -> QuerySet[Instance]:
    """Requests that this person may read: his own, those he had a task of, all as a manager."""
    rows = Instance.objects.filter(tenant_id=user.tenant_id)
    if permissions.has(user, permissions.FLOW_MANAGE) or permissions.has(
        user, permissions.AUDIT_READ
    ):
        return rows
    held = Task.objects.filter(instance=OuterRef("pk"), holder=user.pk)
    return rows.filter(Q(initiator=user.pk) | Exists(held))


def instance(user: User, pk: int) -> Instance:
    """A request that this person may read. Raises Problem 404."""
    found = (
        visible_instances(user)
        .select_related("definition", "initiator", "version")
        .filter(pk=pk)
        .first()
    )
    if found is None:
        raise _unknown()
    return found


def task(user: User, pk: int) -> Task:
    """A task of a request that this person may read. Raises Problem 404."""
    found = (
        Task.objects.filter(tenant_id=user.tenant_id, pk=pk)
        .select_related("instance", "instance__definition", "instance__initiator", "holder")
        .first()
    )
    if found is None:
        raise _unknown()
    if found.holder_id != user.pk and not _may_read(user, found.instance_id):
        raise _unknown()
    return found


def own_task(user: User, pk: int) -> Task:
    """A task that this person holds, to decide it. Raises Problem 404, 403 task.not_yours."""
    found = task(user, pk)
    if found.holder_id != user.pk:
        raise Problem(403, "task.not_yours", _("This task is not yours."))
    return found


def managed_instance(user: User, pk: int) -> Instance:
    """A request that this person may steer as a manager. Raises Problem 404, 403."""
    found = instance(user, pk)
    require(user, permissions.FLOW_MANAGE)
    return found


def definition(user: User, key: str) -> Definition:
    """A published process of the person's tenant. Raises Problem 404."""
    found = (
        Definition.objects.filter(tenant_id=user.tenant_id, key=key, current__isnull=False)
        .select_related("current")
        .first()
    )
    if found is None:
        raise Problem(404, "flow.unknown", _("There is no such process."))
    return found


def require(user: User, permission: str) -> None:
    """Raises Problem 403 that names the permission when the person lacks it."""
    if not permissions.has(user, permission):
        raise Problem(
            403,
            "permission.denied",
            _("This needs the permission %(name)s. An administrator can grant it.")
            % {"name": permission},
            permission=permission,
        )


def _may_read(user: User, pk: int) -> bool:
    return visible_instances(user).filter(pk=pk).exists()


def _unknown() -> Problem:
    return Problem(404, "not_found", _("It does not exist, or you may not know of it."))
