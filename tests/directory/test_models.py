"""What the directory's rows refuse, whoever writes them."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from flowadmin.directory.models import Department, RoleMember, Tenant, User
from flowadmin.directory.models.organisation import TREE_DEPTH
from tests.builders import a_department, a_person, a_role, a_tenant

pytestmark = pytest.mark.django_db


def codes_of(error):
    found = error.value
    if hasattr(found, "error_dict"):
        return {name: [one.code for one in each] for name, each in found.error_dict.items()}
    return [one.code for one in found.error_list]


@pytest.mark.parametrize(
    "login",
    ["Ann", "ann lee", "", "-ann", "ann\n", "ann\0", "änn", "a" * 65, "../ann", "安"],
)
def test_a_badly_spelt_login_makes_nobody(login):
    tenant = a_tenant()
    with pytest.raises(ValidationError) as error:
        User.objects.create_user(login, "x", tenant=tenant, name="Ann")
    assert "login" in codes_of(error)
    assert not User.objects.exists()


def test_logins_are_unique_over_the_installation():
    a_person(a_tenant(), "ann")
    second = a_tenant()
    with pytest.raises(IntegrityError), transaction.atomic():
        a_person(second, "ann")
    assert User.objects.filter(login="ann").count() == 1


def test_codes_are_unique_within_a_tenant_only():
    first, second = a_tenant(), a_tenant()
    a_department(first, "sales")
    a_department(second, "sales")
    with pytest.raises(IntegrityError), transaction.atomic():
        a_department(first, "sales")
    assert Department.objects.for_tenant(first.pk).count() == 1


@pytest.mark.parametrize("field", ["login", "tenant"])
def test_login_and_tenant_of_a_person_never_change(field):
    tenant, other = a_tenant(), a_tenant()
    a_person(tenant, "ann")
    ann = User.objects.get(login="ann")
    setattr(ann, field, "anna" if field == "login" else other)
    with pytest.raises(ValidationError) as error:
        ann.save()
    assert codes_of(error) == ["fixed"]
    assert User.objects.filter(login="ann", tenant=tenant).exists()


def test_a_freshly_made_row_is_fixed_too():
    unit = a_department(a_tenant(), "sales")
    unit.code = "selling"
    with pytest.raises(ValidationError):
        unit.save()
    unit.refresh_from_db()
    assert unit.code == "sales"


def test_other_columns_may_change():
    ann = a_person(a_tenant(), "ann")
    ann = User.objects.get(pk=ann.pk)
    ann.name = "Ann Lee"
    ann.save()
    assert User.objects.get(pk=ann.pk).name == "Ann Lee"


def test_a_row_loaded_without_its_code_can_be_saved():
    ann = a_person(a_tenant(), "ann")
    part = User.objects.only("name").get(pk=ann.pk)
    part.name = "Ann Lee"
    part.save(update_fields=["name"])
    assert User.objects.get(pk=ann.pk).name == "Ann Lee"


def test_links_stay_within_the_tenant():
    mine, theirs = a_tenant(), a_tenant()
    stranger = a_person(theirs)
    foreign_unit = a_department(theirs)
    with pytest.raises(ValidationError) as error:
        a_person(mine, "ann", department=foreign_unit)
    assert codes_of(error) == {"department": ["other_tenant"]}
    with pytest.raises(ValidationError) as error:
        a_department(mine, "sales", head=stranger)
    assert codes_of(error) == {"head": ["other_tenant"]}
    with pytest.raises(ValidationError) as error:
        a_department(mine, "sales", parent=foreign_unit)
    assert codes_of(error) == {"parent": ["other_tenant"]}
    role = a_role(mine)
    with pytest.raises(ValidationError) as error:
        RoleMember.objects.create(role=role, user=stranger)
    assert codes_of(error) == {"user": ["other_tenant"]}
    assert not User.objects.for_tenant(mine.pk).exists()
    assert not Department.objects.for_tenant(mine.pk).exists()
    assert not RoleMember.objects.exists()


def test_a_department_cannot_lie_below_itself():
    tenant = a_tenant()
    top = a_department(tenant, "top")
    middle = a_department(tenant, "middle", parent=top)
    low = a_department(tenant, "low", parent=middle)
    for parent in (top, middle, low):
        moved = Department.objects.get(pk=top.pk)
        moved.parent = parent
        with pytest.raises(ValidationError) as error:
            moved.save()
        assert codes_of(error) == {"parent": ["circle"]}
    assert Department.objects.get(pk=top.pk).parent_id is None


def test_the_tree_has_a_greatest_depth_also_when_a_branch_moves():
    tenant = a_tenant()
    deepest = None
    for _level in range(TREE_DEPTH):
        deepest = a_department(tenant, parent=deepest)
    with pytest.raises(ValidationError) as error:
        a_department(tenant, "too-low", parent=deepest)
    assert codes_of(error) == {"parent": ["too_deep"]}
    root = a_department(tenant, "root")
    top = Department.objects.get(tenant=tenant, parent=None, children__isnull=False)
    top.parent = root
    with pytest.raises(ValidationError) as error:
        top.save()
    assert codes_of(error) == {"parent": ["too_deep"]}
    top.refresh_from_db()
    assert top.parent_id is None


def test_tenants_and_departments_in_use_are_protected():
    tenant = a_tenant()
    unit = a_department(tenant)
    a_person(tenant, department=unit)
    for row in (tenant, unit):
        with pytest.raises(ProtectedError):
            row.delete()
    assert User.objects.count() == Department.objects.count() == Tenant.objects.count() == 1


def test_an_operator_of_an_empty_installation_gets_a_tenant():
    boss = User.objects.create_superuser("boss", "x", name="Boss")
    assert (boss.tenant.code, boss.is_staff, boss.is_superuser) == ("main", True, True)
    a_tenant()
    with pytest.raises(ValidationError) as error:
        User.objects.create_superuser("boss2", "x", name="Boss")
    assert codes_of(error) == ["which_tenant"]
    assert User.objects.count() == 1


def test_without_a_password_nobody_can_sign_in():
    ann = a_person(a_tenant(), "ann")
    assert not ann.has_usable_password()
