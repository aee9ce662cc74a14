"""What a person may do beyond their own requests and tasks (contract, Permissions)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flowadmin.directory.models import Permission, RoleGrant, User

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser

FLOW_DESIGN: Final = str(Permission.FLOW_DESIGN)
FLOW_PUBLISH: Final = str(Permission.FLOW_PUBLISH)
FLOW_MANAGE: Final = str(Permission.FLOW_MANAGE)
RULE_EDIT: Final = str(Permission.RULE_EDIT)
RULE_PUBLISH: Final = str(Permission.RULE_PUBLISH)
OPS_VIEW: Final = str(Permission.OPS_VIEW)
OPS_ACT: Final = str(Permission.OPS_ACT)
DIRECTORY_MANAGE: Final = str(Permission.DIRECTORY_MANAGE)
AUDIT_READ: Final = str(Permission.AUDIT_READ)

ALL: Final = frozenset(str(permission) for permission in Permission)

_KEPT = "_granted_permissions"


def granted(user: User | AnonymousUser) -> frozenset[str]:
    """Every permission of `user`, within their own tenant.

    One statement, kept on this object only: the next request reads it afresh, so that a role
    taken away works at once in all processes (reliability, Permission change takes effect).
    """
    if not isinstance(user, User) or not user.is_active:
        return frozenset()
    if user.is_superuser:
        return ALL
    kept: frozenset[str] | None = user.__dict__.get(_KEPT)
    if kept is None:
        names = RoleGrant.objects.filter(
            role__members__user_id=user.pk, role__tenant_id=user.tenant_id
        ).values_list("permission", flat=True)
        kept = ALL.intersection(names)
        user.__dict__[_KEPT] = kept
    return kept


def has(user: User | AnonymousUser, name: str) -> bool:
    """Whether `user` has the permission `name`; never true for a deactivated person.

    Raises:
        ValueError: there is no such permission; a misspelt name would otherwise just deny.
    """
    if name not in ALL:
        raise ValueError(f"There is no permission {name!r}.")
    return name in granted(user)
