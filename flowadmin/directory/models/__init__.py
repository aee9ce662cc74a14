"""The directory's rows."""

from __future__ import annotations

from flowadmin.directory.models.organisation import Department, Tenant
from flowadmin.directory.models.people import ApiToken, User
from flowadmin.directory.models.roles import Permission, Role, RoleGrant, RoleMember

__all__ = [
    "ApiToken",
    "Department",
    "Permission",
    "Role",
    "RoleGrant",
    "RoleMember",
    "Tenant",
    "User",
]
