"""The only door from a person to a row: fetch it within the tenant, or say that it is not there.

What a person may not know of is 404; what he may know of and may not do is 403 (contract, REST).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from flowadmin.directory import permissions
from flowadmin.directory.models import User
from flowadmin.rest.problems import Problem
from workflow.engine.plan import START
from workflow.models import Definition, Draft, Event, Instance, SavedView, Task
from workflow.visibility import by_policy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

LARGEST_ID = 2**63 - 1
# Whoever has one of these may look at every version and every form.
OF_FLOWS = (permissions.FLOW_DESIGN, permissions.FLOW_PUBLISH, permissions.FLOW_MANAGE)


def row_id(text: str) -> int:
    """The number of a row in an address. Raises Problem 404 for anything that is none."""
    if text.isascii() and text.isdecimal() and len(text) <= 19 and int(text) <= LARGEST_ID:
        return int(text)
    raise _unknown()


def visible_instances(user: User) -> QuerySet[Instance]:
    """Requests that this person may read: his own, those he had a task of, all as a manager.

    Also those that their process shows to its managers, or to the initiator's department.
    """
    rows = Instance.objects.filter(tenant_id=user.tenant_id)
    if permissions.has(user, permissions.FLOW_MANAGE) or permissions.has(
        user, permissions.AUDIT_READ
    ):
        return rows
    return rows.filter(_has_part(user) | by_policy(user))


def _has_part(user: User) -> Q:
    held = Task.objects.filter(instance=OuterRef("pk"), holder=user.pk)
    return Q(Q(initiator=user.pk) | Exists(held))


def instance(user: User, pk: int) -> Instance:
    """A request that this person may read. Raises Problem 404."""
    rows = Instance.objects.select_related("definition", "initiator", "version")
    found = rows.filter(tenant_id=user.tenant_id, pk=pk).first() if may_read(user, pk) else None
    if found is None:
        raise _unknown()
    return found


def task(user: User, pk: int) -> Task:
    """A task of a request that this person may read. Raises Problem 404."""
    found = (
        Task.objects.filter(tenant_id=user.tenant_id, pk=pk)
        .select_related(
            "instance",
            "instance__definition",
            "instance__initiator",
            "instance__version",
            "holder",
        )
        .first()
    )
    if found is None:
        raise _unknown()
    if found.holder_id != user.pk and not may_read(user, found.instance_id):
        raise _unknown()
    return found


def own_task(user: User, pk: int) -> Task:
    """A task that this person holds, to decide it. Raises Problem 404, 403 task.not_yours."""
    found = task(user, pk)
    if found.holder_id != user.pk:
        raise Problem(403, "task.not_yours", _("This task is not yours."))
    return found


def start_task(user: User, instance: Instance) -> Task:
    """The open task of step `start`, with which this person sends the request on again.

    Raises Problem: 403 task.not_yours when another person has it, or when nobody has and the
    request is another's; 409 resubmit.not_returned.
    """
    found = (
        Task.objects.filter(instance=instance, step=START, state=Task.State.OPEN)
        .select_related("instance", "instance__definition", "instance__initiator", "holder")
        .first()
    )
    if (instance.initiator_id if found is None else found.holder_id) != user.pk:
        raise Problem(403, "task.not_yours", _("This task is not yours."))
    if found is None:
        raise Problem(
            409, "resubmit.not_returned", _("This request has not been returned to its initiator.")
        )
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


def require_flow(user: User, key: str) -> None:
    """Raises Problem 404 flow.unknown when the person's tenant has never had such a process.

    For lists that are narrowed by one: a wrong key must not look like an empty list.
    """
    if key and not Definition.objects.filter(tenant_id=user.tenant_id, key=key).exists():
        raise Problem(404, "flow.unknown", _("There is no such process."))


def design_draft(user: User, pk: int) -> Draft:
    """A person's own design draft. Raises Problem 404, also draft.deleted; 403 without the right.

    Nobody opens another person's draft, an administrator neither (interface.md 2, number 4).
    """
    found = _own_draft(user, pk, Draft.Kind.DESIGN)
    require(user, permissions.FLOW_DESIGN)
    return found


def own_design_draft(user: User, pk: int) -> Draft:
    """A person's own design draft to look at, also without the right to design.

    Raises Problem 404, also draft.deleted. Source: interface.md 7.9, "No permission".
    """
    return _own_draft(user, pk, Draft.Kind.DESIGN)


def application_draft(user: User, pk: int) -> Draft:
    """A person's own application draft. Raises Problem 404, also draft.deleted (P2, P30)."""
    return _own_draft(user, pk, Draft.Kind.APPLICATION)


def _own_draft(user: User, pk: int, kind: Draft.Kind) -> Draft:
    found = Draft.objects.filter(
        tenant_id=user.tenant_id, user_id=user.pk, kind=kind, pk=pk
    ).first()
    if found is None:
        raise _unknown()
    if found.deleted_at is not None:
        raise deleted_draft(found.deleted_at)
    return found


def deleted_draft(at: datetime) -> Problem:
    """That a draft was deleted, and when, in the reader's zone (interface.md 7.7, Conflict)."""
    when = date_format(timezone.localtime(at), "DATETIME_FORMAT")
    text = _("This draft was deleted in another window: %(when)s.") % {"when": when}
    return Problem(404, "draft.deleted", text, deleted_at=at)


def saved_view(user: User, pk: int) -> SavedView:
    """A view of a list that this person keeps. Raises Problem 404."""
    found = SavedView.objects.filter(tenant_id=user.tenant_id, user_id=user.pk, pk=pk).first()
    if found is None:
        raise _unknown()
    return found


def colleague(user: User, login: str, at: str) -> User:
    """An active person of the tenant by login name.

    Raises Problem 422 person.unknown; ``at`` is where the name stands in the body.
    """
    found = User.objects.for_tenant(user.tenant_id).filter(login=login, is_active=True).first()
    if found is None:
        text = _("There is no such active person.")
        error = {"code": "person.unknown", "at": at, "message": text}
        raise Problem(422, "person.unknown", text, errors=[error])
    return found


def people_ids(user: User, logins: Sequence[str]) -> tuple[int, ...]:
    """The ids of the people of the tenant with these login names, in their order.

    Somebody whom nobody is gets a number of his own that no person has, since the engine refuses
    him: a closed task is told before an unknown person (409 before 422, contract).
    """
    known = dict(
        User.objects.for_tenant(user.tenant_id)
        .filter(login__in=set(logins))
        .values_list("login", "pk")
    )
    return tuple(known.get(login, -1 - place) for place, login in enumerate(logins))


def picked_people(user: User, picked: Mapping[str, Sequence[str]]) -> dict[str, tuple[int, ...]]:
    """``picked`` with ids for login names (contract, Shapes), as `people_ids` finds them."""
    every = [login for logins in picked.values() for login in logins]
    ids = iter(people_ids(user, every) if every else ())
    return {step: tuple(next(ids) for _login in logins) for step, logins in picked.items()}


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


def require_any(user: User, *names: str) -> None:
    """Raises Problem 403 when the person has none of these permissions; it names the first."""
    if not any(permissions.has(user, name) for name in names):
        require(user, names[0])


def may_read(user: User, pk: int) -> bool:
    """Whether the person may read a request: also one in which he has acted.

    Whoever gave a task away holds none any more, and still may see what became of it. The lists
    leave such requests out: asking each history would make them slow.
    """
    rows = Instance.objects.filter(tenant_id=user.tenant_id, pk=pk)
    sees_all = permissions.has(user, permissions.FLOW_MANAGE) or permissions.has(
        user, permissions.AUDIT_READ
    )
    if (rows if sees_all else rows.filter(_has_part(user))).exists():
        return True
    if Event.objects.filter(tenant_id=user.tenant_id, instance=pk, actor=user.pk).exists():
        return True
    return rows.filter(by_policy(user)).exists()


def _unknown() -> Problem:
    return Problem(404, "not_found", _("It does not exist, or you may not know of it."))
