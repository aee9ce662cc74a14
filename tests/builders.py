"""Rows that tests need, with the least that makes them valid."""

from __future__ import annotations

from itertools import count

from flowadmin.directory.models import Department, Role, RoleGrant, RoleMember, Tenant, User

_numbers = count(1)


def a_tenant(code=None):
    code = code or f"tenant-{next(_numbers)}"
    return Tenant.objects.create(code=code, name=code.title())


def a_department(tenant, code=None, *, parent=None, head=None):
    code = code or f"unit-{next(_numbers)}"
    return Department.objects.create(
        tenant=tenant, code=code, name=code.title(), parent=parent, head=head
    )


def a_person(tenant, login=None, *, password=None, **fields):
    login = login or f"person-{next(_numbers)}"
    fields.setdefault("name", login.title())
    return User.objects.create_user(login, password, tenant=tenant, **fields)


def a_role(tenant, code=None, *, members=(), grants=()):
    code = code or f"role-{next(_numbers)}"
    role = Role.objects.create(tenant=tenant, code=code, name=code.title())
    for user in members:
        RoleMember.objects.create(role=role, user=user)
    for permission in grants:
        RoleGrant.objects.create(role=role, permission=permission)
    return role
