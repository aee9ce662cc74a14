"""Who besides its participants may see a request, as the process says (policy ``visibility``).

Theory of operation. The policy stands beside each version, so that a list asks the database alone.
The managers of a process are people by sources; each source becomes a condition on the request, so
that a list and a single request give one answer. Sources that ask more than who filed it (a form,
a decision, a rule, a pick, a chain of heads) give nobody here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from django.db.models import Q

from flowadmin.directory.models import Department
from workflow.engine.flowdoc.people import (
    ByDepartment,
    ByGroup,
    ByHead,
    ByInitiator,
    ByManager,
    ByPost,
    ByRole,
    ByUser,
)
from workflow.models import Instance, Version
from workflow.published import definition_of

if TYPE_CHECKING:
    from flowadmin.directory.models import User
    from workflow.engine.flowdoc.people import AnySource, People

Standing = Literal["", "manager", "colleague"]
# Conditions that no request meets, and that each one does: an empty Q would be left out of an OR.
_NONE, _ALL = Q(pk__in=[]), Q(pk__isnull=False)


def by_policy(user: User) -> Q:
    """The requests that the person may see although he has no part in them (as a condition)."""
    found = _of_colleagues(user)
    kind = Version.Visibility.MANAGERS
    rows = Version.with_private.filter(tenant_id=user.tenant_id, visibility=kind)
    asked: dict[People, list[int]] = {}
    for pk in rows.values_list("pk", flat=True):
        managers = definition_of(pk).plan.doc.managers
        if managers is not None:
            asked.setdefault(managers, []).append(pk)
    for managers, versions in asked.items():
        found |= Q(version__in=versions) & _among(user, managers)
    return found


def standing(user: User, instance: Instance) -> Standing:
    """What the policy makes of this person before a request: its manager, a colleague, or nobody.

    A manager of the process reads everything, a colleague what the initiator reads.
    """
    version = instance.version
    if version.visibility == Version.Visibility.STARTERS_DEPARTMENT:
        rows = Instance.objects.filter(_of_colleagues(user), pk=instance.pk)
        return "colleague" if rows.exists() else ""
    managers = definition_of(version.pk).plan.doc.managers
    if version.visibility != Version.Visibility.MANAGERS or managers is None:
        return ""
    rows = Instance.objects.filter(_among(user, managers), pk=instance.pk)
    return "manager" if rows.exists() else ""


def _of_colleagues(user: User) -> Q:
    if user.department_id is None:
        return _NONE
    kind = Version.Visibility.STARTERS_DEPARTMENT
    return Q(version__visibility=kind, initiator__department=user.department_id)


def _among(user: User, people: People) -> Q:
    """That the person is among these people of a request."""
    found = without = _NONE
    for source in people.any_of:
        found |= _given(user, source)
    for source in people.without:
        without |= _given(user, source)
    return found & ~without


def _given(user: User, source: AnySource) -> Q:
    """That this source gives the person."""
    match source:
        case ByInitiator():
            found = Q(initiator=user.pk)
        case ByHead(of="initiator"):
            departments = _headed(user, source.level, climb=source.missing == "climb")
            found = Q(initiator__department__in=departments)
        case ByManager(of="initiator", level=1):
            found = Q(initiator__manager=user.pk)
        case ByRole() | ByPost():
            found = _within(user, source.within) if _belongs(user, source) else _NONE
        case _:
            found = _ALL if _belongs(user, source) else _NONE
    return found


def _belongs(user: User, source: AnySource) -> bool:
    """Whether the person is among those whom a source gives whatever the request is."""
    match source:
        case ByUser():
            return user.login in source.ids
        case ByRole():
            return user.memberships.filter(role__code__in=source.ids).exists()
        case ByPost():
            return user.posts_held.filter(post__code__in=source.ids).exists()
        case ByGroup():
            return user.group_places.filter(group__code__in=source.ids).exists()
        case ByDepartment():
            return _is_in(user, source)
        case _:
            return False


def _within(user: User, within: str) -> Q:
    """Where somebody with a role counts: everywhere, or for his department, or also below it."""
    if within == "any":
        return _ALL
    if user.department_id is None:
        return _NONE
    if within == "initiator_department":
        return Q(initiator__department=user.department_id)
    tree = _tree(user.tenant_id)
    below = [pk for pk in tree if user.department_id in _line(tree, pk)]
    return Q(initiator__department__in=below)


def _is_in(user: User, source: ByDepartment) -> bool:
    if user.department_id is None:
        return False
    tree = _tree(user.tenant_id)
    line = _line(tree, user.department_id) if source.deep else [user.department_id]
    rows = Department.objects.filter(tenant_id=user.tenant_id, code__in=source.ids)
    return bool(set(rows.values_list("pk", flat=True)) & set(line))


def _headed(user: User, level: int, *, climb: bool) -> list[int]:
    """The departments whose head so many levels up this person is."""
    tree = _tree(user.tenant_id)
    found = []
    for pk in tree:
        line = _line(tree, pk)[level:]
        heads = [tree[each][1] for each in (line if climb else line[:1])]
        if next((head for head in heads if head is not None), None) == user.pk:
            found.append(pk)
    return found


# Department → the one above it, and its head.
_Tree = dict[int, tuple[int | None, int | None]]


def _tree(tenant_id: int) -> _Tree:
    rows = Department.objects.filter(tenant_id=tenant_id)
    active = {pk for pk, able in rows.values_list("head_id", "head__is_active") if able}
    return {
        pk: (up, head if head in active else None)
        for pk, up, head in rows.values_list("pk", "parent_id", "head_id")
    }


def _line(tree: _Tree, department: int) -> list[int]:
    """This department and those above it; a circle, which two writers may close, ends it."""
    line: list[int] = []
    at: int | None = department
    while at is not None and at in tree and at not in line:
        line.append(at)
        at = tree[at][0]
    return line
