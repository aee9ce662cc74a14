"""The demo organisation that every first start loads."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from flowadmin.directory import calendars, permissions, queries
from flowadmin.directory.demo import make_people, shown_people
from flowadmin.directory.models import Department, Substitute, Tenant, User

pytestmark = pytest.mark.django_db


def test_the_contract_of_the_demo():
    made = make_people("a password")
    tenant = made.tenant
    assert made.password == "a password"
    heads = dict(Department.objects.for_tenant(tenant.pk).values_list("code", "head__login"))
    assert heads == {
        "head_office": "admin",
        "engineering": "bao",
        "finance": "dan",
        "people": "admin",
    }
    parents = set(
        Department.objects.for_tenant(tenant.pk)
        .exclude(code="head_office")
        .values_list("parent__code", flat=True)
    )
    assert parents == {"head_office"}
    units = dict(User.objects.values_list("login", "department__code"))
    assert units == {
        "admin": "head_office",
        "ann": "engineering",
        "bao": "engineering",
        "chi": "finance",
        "dan": "finance",
        "eve": "office",
    }
    assert User.objects.get(login="eve").tenant.code == "other"
    assert list(User.objects.filter(is_superuser=True).values_list("login", flat=True)) == [
        "admin"
    ]
    assert all(user.check_password("a password") for user in User.objects.all())
    assert queries.members_of_roles(tenant.pk, ["accountants"])
    assert not permissions.granted(User.objects.get(login="ann"))


def test_the_demo_has_something_of_everything():
    tenant = make_people("a password").tenant
    managers = dict(User.objects.for_tenant(tenant.pk).values_list("login", "manager__login"))
    assert managers == {"admin": None, "ann": "bao", "bao": "admin", "chi": "dan", "dan": "admin"}
    group = queries.members_of_groups(tenant.pk, ["buyers"])
    assert [person.login for person in group] == ["bao", "dan"]
    assert [person.login for person in queries.holders_of_posts(tenant.pk, ["cashier"])] == ["chi"]
    office = calendars.working_time(tenant.pk, "office")
    assert office is not None
    # Friday 17:00 in Shanghai, and two hours later in working time.
    friday = datetime(2026, 3, 6, 9, 0, tzinfo=UTC)
    assert office.add(friday, 7200) == datetime(2026, 3, 9, 2, 0, tzinfo=UTC)
    assert not Substitute.objects.exists()


def test_a_second_time_changes_nothing():
    make_people("first")
    people = User.objects.count()
    again = make_people("second")
    assert again.password is None
    assert User.objects.count() == people
    assert Tenant.objects.count() == 2
    assert User.objects.get(login="ann").check_password("first")


def test_without_a_password_it_is_random():
    made = make_people()
    assert made.password is not None
    assert len(made.password) >= 12
    assert User.objects.get(login="bao").check_password(made.password)
    assert not User.objects.get(login="bao").check_password("")


def test_only_accounts_that_can_sign_in_are_shown():
    make_people("x")
    User.objects.filter(login="chi").update(is_active=False)
    assert [login for login, _name in shown_people()] == ["admin", "ann", "bao", "dan", "eve"]
