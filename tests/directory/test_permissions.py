"""Who may do what, and how soon a change counts."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser

from flowadmin.directory import permissions
from flowadmin.directory.models import RoleGrant, RoleMember, User
from tests.builders import a_role


def test_roles_give_what_they_grant(demo_tenant, ann, bao):
    a_role(demo_tenant, members=[ann], grants=["flow.design", "ops.view"])
    a_role(demo_tenant, members=[ann], grants=["ops.view", "audit.read"])
    assert permissions.granted(ann) == {"flow.design", "ops.view", "audit.read"}
    assert permissions.has(ann, "audit.read")
    assert not permissions.has(ann, "flow.publish")


def test_an_operator_has_all_and_a_stranger_none(admin, eve):
    assert permissions.granted(admin) == permissions.ALL
    assert len(permissions.ALL) == 9
    assert permissions.granted(eve) == frozenset()


def test_deactivated_and_unknown_people_have_none(admin, bao):
    for user in (admin, bao):
        assert permissions.granted(user)
        user.is_active = False
        assert permissions.granted(user) == frozenset()
        assert not permissions.has(user, "flow.publish")
    assert permissions.granted(AnonymousUser()) == frozenset()


def test_a_misspelt_name_is_an_error_and_not_a_denial(ann):
    with pytest.raises(ValueError, match=r"flow\.publsh"):
        permissions.has(ann, "flow.publsh")


def test_one_statement_per_request_object(bao, django_assert_num_queries):
    with django_assert_num_queries(1):
        assert permissions.has(bao, "flow.publish")
        assert permissions.has(bao, "flow.design")
        assert permissions.granted(bao)


def test_a_role_taken_away_counts_at_the_next_request(bao):
    assert permissions.has(bao, "flow.publish")
    RoleMember.objects.filter(user=bao).delete()
    assert not permissions.has(User.objects.get(pk=bao.pk), "flow.publish")


def test_a_grant_of_another_version_of_the_product_is_ignored(demo_tenant, ann):
    role = a_role(demo_tenant, members=[ann])
    RoleGrant.objects.create(role=role, permission="time.travel")
    assert permissions.granted(ann) == frozenset()
