"""The demo organisation: two tenants whose people show what the product does."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.db import transaction

from flowadmin.directory import permissions
from flowadmin.directory.models import (
    Calendar,
    Department,
    Group,
    GroupMember,
    Post,
    PostHolder,
    Role,
    RoleGrant,
    RoleMember,
    Tenant,
    User,
)
from flowadmin.directory.models.calendars import office_hours

DEMO_TENANT = "demo"
OTHER_TENANT = "other"

# code, name, code of the parent, login of the head
_DEPARTMENTS = (
    ("head_office", "Head office", "", "admin"),
    ("engineering", "Engineering", "head_office", "bao"),
    ("finance", "Finance", "head_office", "dan"),
    # The contract names no head here; the administrator keeps the small unit for now.
    ("people", "People", "head_office", "admin"),
)
# login, name, code of the department
_PEOPLE = (
    ("admin", "Administrator", "head_office"),
    ("ann", "Ann Lee", "engineering"),
    ("bao", "Bao Chen", "engineering"),
    ("chi", "Chi Wang", "finance"),
    ("dan", "Dan Liu", "finance"),
)
# code, name, members, permissions
_ROLES: tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...] = (
    (
        "designers",
        "Process designers",
        ("admin", "bao"),
        (permissions.FLOW_DESIGN, permissions.FLOW_PUBLISH, permissions.FLOW_MANAGE),
    ),
    ("accountants", "Accountants", ("chi", "dan"), ()),
    ("hr", "Human resources", ("admin",), (permissions.DIRECTORY_MANAGE,)),
    ("auditors", "Auditors", ("dan",), (permissions.AUDIT_READ,)),
)
# login, login of the line manager
_MANAGERS = (("ann", "bao"), ("bao", "admin"), ("chi", "dan"), ("dan", "admin"))
# code, name, logins
_GROUPS = (("buyers", "Purchasing committee", ("bao", "dan")),)
_POSTS = (("cashier", "Cashier", ("chi",)),)


@dataclass(frozen=True, slots=True)
class DemoPeople:
    """What `make_people` did: the password of all accounts, or None when they existed."""

    tenant: Tenant
    password: str | None


@transaction.atomic
def make_people(password: str = "") -> DemoPeople:
    """Make the demo organisation (contract, Demo organisation); nothing when it exists.

    Tenant ``demo`` with its departments, people, reporting lines, roles, a group, a post and the
    working calendar ``office``; and tenant ``other`` with ``eve``, who sees nothing of ``demo``.

    Args:
        password: of all accounts; a random one when empty, so that no installation ships with
            a password that others know.
    """
    existing = Tenant.objects.filter(code=DEMO_TENANT).first()
    if existing is not None:
        return DemoPeople(existing, None)
    password = password or secrets.token_urlsafe(9)
    tenant = Tenant.objects.create(
        code=DEMO_TENANT, name="Demo company", time_zone="Asia/Shanghai"
    )
    departments: dict[str, Department] = {}
    for code, name, parent, _head in _DEPARTMENTS:
        departments[code] = Department.objects.create(
            tenant=tenant, code=code, name=name, parent=departments.get(parent)
        )
    people = {
        login: User.objects.create_user(
            login,
            password,
            tenant=tenant,
            name=name,
            department=departments[unit],
            is_staff=login == "admin",
            is_superuser=login == "admin",
        )
        for login, name, unit in _PEOPLE
    }
    for code, _name, _parent, head in _DEPARTMENTS:
        departments[code].head = people[head]
        departments[code].save(update_fields=["head"])
    for login, manager in _MANAGERS:
        people[login].manager = people[manager]
        people[login].save(update_fields=["manager"])
    _make_roles(tenant, people)
    _make_places(tenant, people)
    Calendar.objects.create(
        tenant=tenant,
        key="office",
        name="Office hours",
        time_zone="Asia/Shanghai",
        hours=office_hours(),
    )
    other = Tenant.objects.create(code=OTHER_TENANT, name="Other company")
    office = Department.objects.create(tenant=other, code="office", name="Office")
    User.objects.create_user("eve", password, tenant=other, name="Eve Zhou", department=office)
    return DemoPeople(tenant, password)


def _make_roles(tenant: Tenant, people: dict[str, User]) -> None:
    for code, name, members, granted in _ROLES:
        role = Role.objects.create(tenant=tenant, code=code, name=name)
        for login in members:
            RoleMember.objects.create(role=role, user=people[login])
        for permission in granted:
            RoleGrant.objects.create(role=role, permission=permission)


def _make_places(tenant: Tenant, people: dict[str, User]) -> None:
    for code, name, members in _GROUPS:
        group = Group.objects.create(tenant=tenant, code=code, name=name)
        for login in members:
            GroupMember.objects.create(group=group, user=people[login])
    for code, name, holders in _POSTS:
        post = Post.objects.create(tenant=tenant, code=code, name=name)
        for login in holders:
            PostHolder.objects.create(post=post, user=people[login])


def shown_people() -> tuple[tuple[str, str], ...]:
    """Login and name of the demo accounts that exist and may sign in, for the sign-in page."""
    logins = [login for login, _name, _unit in _PEOPLE] + ["eve"]
    rows = User.objects.filter(
        login__in=logins, tenant__code__in=(DEMO_TENANT, OTHER_TENANT), is_active=True
    )
    return tuple(rows.order_by("id").values_list("login", "name"))
