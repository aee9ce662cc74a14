"""The administration of departments, roles, groups and posts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin

from flowadmin.directory.admin.limited import RowsOf, TenantLimited
from flowadmin.directory.models import (
    Department,
    Group,
    GroupMember,
    Post,
    PostHolder,
    Role,
    RoleGrant,
    RoleMember,
)

if TYPE_CHECKING:
    from django.http import HttpRequest


@admin.register(Department)
class DepartmentAdmin(TenantLimited):
    """The tree of departments with their heads."""

    list_display = ("code", "name", "parent", "head", "tenant")
    list_filter = ("tenant",)
    list_select_related = ("parent", "head", "tenant")
    search_fields = ("code", "name")
    autocomplete_fields = ("parent", "head")
    fields = ("tenant", "code", "name", "parent", "head")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        del request
        return ("tenant", "code") if obj is not None else ()


class MembersOfRole(RowsOf):
    """Who is in the role."""

    model = RoleMember
    autocomplete_fields = ("user",)


class GrantsOfRole(RowsOf):
    """What the role permits."""

    model = RoleGrant


class NamedUnit(TenantLimited):
    """Something with a code, a name and people; its code is given once."""

    list_display = ("code", "name", "tenant")
    list_filter = ("tenant",)
    list_select_related = ("tenant",)
    search_fields = ("code", "name")
    fields = ("tenant", "code", "name")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        del request
        return ("tenant", "code") if obj is not None else ()


@admin.register(Role)
class RoleAdmin(NamedUnit):
    """Roles with their members and what they permit."""

    inlines = (MembersOfRole, GrantsOfRole)


class MembersOfGroup(RowsOf):
    """Who is in the group."""

    model = GroupMember
    autocomplete_fields = ("user",)


@admin.register(Group)
class GroupAdmin(NamedUnit):
    """Groups with their members; they permit nothing."""

    inlines = (MembersOfGroup,)


class HoldersOfPost(RowsOf):
    """Who holds the post."""

    model = PostHolder
    autocomplete_fields = ("user",)


@admin.register(Post)
class PostAdmin(NamedUnit):
    """Posts with those who hold them."""

    inlines = (HoldersOfPost,)
