"""The reads by which the engine learns who is who."""

from __future__ import annotations

import pytest

from flowadmin.directory import queries
from flowadmin.directory.models import Department, User
from flowadmin.directory.queries import DepartmentFact, Person
from tests.builders import a_department, a_person, a_role, a_tenant


def logins(people):
    return [person.login for person in people]


def test_people_by_login_are_of_the_tenant_and_ordered_by_id(demo_tenant, eve):
    found = queries.people_by_login(demo_tenant.pk, ["dan", "ann", "eve", "nobody", "ann"])
    assert logins(found) == ["ann", "dan"]
    ann = User.objects.get(login="ann")
    assert found[0] == Person(ann.pk, "ann", "Ann Lee", active=True)


@pytest.mark.parametrize("odd", ["ANN", "ann ", "ann\0", "", "'; --", "\ud800", "a" * 5000])
def test_text_that_is_no_code_finds_nobody_on_any_database(demo_tenant, odd):
    tenant_id = demo_tenant.pk
    assert queries.people_by_login(tenant_id, [odd]) == ()
    assert queries.members_of_roles(tenant_id, [odd]) == ()
    assert queries.members_of_departments(tenant_id, [odd], deep=True) == ()
    assert queries.department_line(tenant_id, code=odd) == ()
    assert queries.unknown_codes(tenant_id, "user", [odd]) == (odd,)


def test_deactivated_people_are_told_as_such(ann):
    User.objects.filter(pk=ann.pk).update(is_active=False)
    (found,) = queries.people_by_id([ann.pk, ann.pk])
    assert (found.login, found.active) == ("ann", False)
    assert queries.people_by_id([]) == ()


def test_members_of_roles_come_once_and_from_the_own_tenant(demo_tenant, ann, bao, eve):
    a_role(demo_tenant, "one", members=[bao, ann])
    a_role(demo_tenant, "two", members=[ann])
    a_role(eve.tenant, "one", members=[eve])
    assert logins(queries.members_of_roles(demo_tenant.pk, ["two", "one"])) == ["ann", "bao"]
    assert logins(queries.members_of_roles(eve.tenant_id, ["one", "two"])) == ["eve"]
    assert queries.members_of_roles(demo_tenant.pk, []) == ()


def test_members_of_departments_with_and_without_those_below(demo_tenant, eve):
    tenant_id = demo_tenant.pk
    assert logins(queries.members_of_departments(tenant_id, ["finance"], deep=False)) == [
        "chi",
        "dan",
    ]
    assert logins(queries.members_of_departments(tenant_id, ["head_office"], deep=False)) == [
        "admin"
    ]
    everybody = queries.members_of_departments(tenant_id, ["head_office", "finance"], deep=True)
    assert logins(everybody) == ["admin", "ann", "bao", "chi", "dan"]
    assert [person.id for person in everybody] == sorted(person.id for person in everybody)
    assert queries.members_of_departments(tenant_id, ["office"], deep=True) == ()
    assert queries.members_of_departments(tenant_id, [], deep=True) == ()


def test_the_line_of_a_person_goes_up_to_the_top(demo_tenant, ann, bao, admin):
    head_of = {user.login: Person(user.pk, user.login, user.name, True) for user in (bao, admin)}
    expected = (
        DepartmentFact("engineering", "Engineering", head_of["bao"]),
        DepartmentFact("head_office", "Head office", head_of["admin"]),
    )
    assert queries.department_line(demo_tenant.pk, user_id=ann.pk) == expected
    assert queries.department_line(demo_tenant.pk, code="engineering") == expected


def test_the_line_of_nobody_is_empty(demo_tenant, ann, eve):
    tenant_id = demo_tenant.pk
    loner = a_person(demo_tenant)
    assert queries.department_line(tenant_id, user_id=loner.pk) == ()
    assert queries.department_line(tenant_id, user_id=eve.pk) == ()
    assert queries.department_line(eve.tenant_id, user_id=ann.pk) == ()
    assert queries.department_line(tenant_id, code="office") == ()
    for both in ({}, {"user_id": ann.pk, "code": "engineering"}):
        with pytest.raises(ValueError, match="either"):
            queries.department_line(tenant_id, **both)


def test_a_unit_without_head_and_a_deactivated_head(demo_tenant, dan):
    a_department(demo_tenant, "audit", parent=Department.objects.get(code="finance"))
    User.objects.filter(pk=dan.pk).update(is_active=False)
    audit, finance, _top = queries.department_line(demo_tenant.pk, code="audit")
    assert audit.head is None
    assert finance.head == Person(dan.pk, "dan", "Dan Liu", active=False)


@pytest.mark.django_db
def test_a_circle_that_two_moves_closed_ends_every_walk():
    tenant = a_tenant()
    one = a_department(tenant, "one")
    two = a_department(tenant, "two", parent=one)
    ann = a_person(tenant, "ann", department=one)
    # What two simultaneous moves could leave behind, neither having seen the other.
    Department.objects.filter(pk=one.pk).update(parent=two)
    line = queries.department_line(tenant.pk, user_id=ann.pk)
    assert [unit.code for unit in line] == ["one", "two"]
    assert logins(queries.members_of_departments(tenant.pk, ["two"], deep=True)) == ["ann"]


def test_each_read_is_one_statement(demo_tenant, ann, django_assert_num_queries):
    tenant_id = demo_tenant.pk
    for read in (
        lambda: queries.people_by_login(tenant_id, ["ann", "bao"]),
        lambda: queries.people_by_id([ann.pk]),
        lambda: queries.members_of_roles(tenant_id, ["designers", "hr"]),
        lambda: queries.members_of_departments(tenant_id, ["head_office"], deep=True),
        lambda: queries.members_of_departments(tenant_id, ["finance"], deep=False),
        lambda: queries.department_line(tenant_id, user_id=ann.pk),
        lambda: queries.unknown_codes(tenant_id, "role", ["hr", "x"]),
    ):
        with django_assert_num_queries(1):
            read()


def test_unknown_codes_keep_their_order(demo_tenant, eve):
    def unknown(kind, *codes):
        return queries.unknown_codes(demo_tenant.pk, kind, codes)

    assert unknown("user", "zed", "ann", "eve", "zed", "abe") == ("zed", "eve", "abe")
    assert unknown("role", "hr", "nurses") == ("nurses",)
    assert unknown("department", "finance", "office") == ("office",)
    assert unknown("group", "any", "buyers") == ("any",)
    assert unknown("post", "cashier", "any") == ("any",)
    assert unknown("calendar", "any", "office") == ("any",)
    assert unknown("user") == ()
