"""The directory's rows."""

from __future__ import annotations

from flowadmin.directory.models.absence import Substitute
from flowadmin.directory.models.calendars import Calendar, CalendarDay
from flowadmin.directory.models.groups import Group, GroupMember, Post, PostHolder
from flowadmin.directory.models.organisation import Department, Tenant
from flowadmin.directory.models.people import ApiToken, User
from flowadmin.directory.models.roles import Permission, Role, RoleGrant, RoleMember

__all__ = [
    "ApiToken",
    "Calendar",
    "CalendarDay",
    "Department",
    "Group",
    "GroupMember",
    "Permission",
    "Post",
    "PostHolder",
    "Role",
    "RoleGrant",
    "RoleMember",
    "Substitute",
    "Tenant",
    "User",
]
