"""The administration of the directory, and that it ends at the own tenant."""

from __future__ import annotations

import pytest
from django.contrib.admin import site
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group
from django.test import RequestFactory, override_settings
from django.urls import NoReverseMatch, reverse

from flowadmin.directory.actions import issue_token
from flowadmin.directory.models import (
    ApiToken,
    Department,
    Role,
    RoleGrant,
    RoleMember,
    Tenant,
    User,
)
from tests.builders import a_department, a_person, a_role

PASSWORDS = {
    "usable_password": "true",
    "password1": "velvet-orbit-9",
    "password2": "velvet-orbit-9",
}
NO_MEMBERSHIPS = {"memberships-TOTAL_FORMS": 0, "memberships-INITIAL_FORMS": 0}


def page(name, *args):
    return reverse(f"admin:directory_{name}", args=args)


@pytest.fixture
def keeper(demo_tenant):
    """Keeps the people of `demo`: staff with directory.manage, no operator."""
    person = a_person(demo_tenant, "keeper", is_staff=True)
    a_role(demo_tenant, "keepers", members=[person], grants=["directory.manage"])
    return person


@pytest.fixture
def boss(client_of, admin):
    return client_of(admin)


@pytest.fixture
def desk(client_of, keeper):
    return client_of(keeper)


def values_of(user, **changes):
    fields = {
        "name": user.name,
        "email": user.email,
        "department": user.department_id or "",
        "language": user.language,
        "theme": user.theme,
        "is_active": "on" if user.is_active else "",
        "is_staff": "on" if user.is_staff else "",
        **NO_MEMBERSHIPS,
    }
    return {name: value for name, value in {**fields, **changes}.items() if value != ""}


MODELS = ["tenant", "user", "department", "role", "apitoken"]


@pytest.mark.parametrize("model", MODELS)
def test_every_list_and_search_opens_for_an_operator(boss, ann, now, model):
    issue_token(ann, now=now)
    for query in ("", "?q=a", "?o=1.-2"):
        answer = boss.get(page(f"{model}_changelist") + query)
        assert answer.status_code == 200, query
    assert boss.get(page(f"{model}_changelist") + "?q=%00").status_code == 400
    first = {
        "tenant": Tenant,
        "user": User,
        "department": Department,
        "role": Role,
        "apitoken": ApiToken,
    }[model]._default_manager.first()
    assert first is not None
    assert boss.get(page(f"{model}_change", first.pk)).status_code == 200
    assert boss.get(page(f"{model}_history", first.pk)).status_code == 200


def test_search_finds_people_by_login_and_name(boss, demo_tenant):
    for word in ("bao", "Chen"):
        text = boss.get(page("user_changelist"), {"q": word}).content.decode()
        assert "Bao Chen" in text
        assert "Chi Wang" not in text


def test_a_person_is_added_and_can_sign_in(boss, client, demo_tenant):
    answer = boss.post(
        page("user_add"),
        {"tenant": demo_tenant.pk, "login": "fay", "name": "Fay Xu", **PASSWORDS},
    )
    assert answer.status_code == 302, answer.context["adminform"].form.errors
    fay = User.objects.get(login="fay")
    assert (fay.tenant, fay.is_staff, fay.is_superuser) == (demo_tenant, False, False)
    assert client.login(username="fay", password="velvet-orbit-9", request=_request())


def _request():
    return RequestFactory().post("/login/")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"login": "Fay"}, "login"),
        ({"login": "ann"}, "login"),
        ({"login": "fay", "password2": "other-orbit-9"}, "password2"),
        ({"login": "fay", "password1": "123", "password2": "123"}, "password2"),
        ({"login": "fay", "name": ""}, "name"),
        ({"login": "fay", "department": "office"}, "department"),
    ],
)
def test_a_wrong_new_person_is_told_and_not_made(boss, demo_tenant, changes, field):
    before = User.objects.count()
    if changes.get("department"):
        changes = {**changes, "department": Department.objects.get(code="office").pk}
    answer = boss.post(
        page("user_add"), {"tenant": demo_tenant.pk, "name": "Fay", **PASSWORDS, **changes}
    )
    assert answer.status_code == 200
    assert field in answer.context["adminform"].form.errors
    assert User.objects.count() == before


def test_a_person_is_changed_and_deactivated_but_keeps_login_and_tenant(boss, ann, eve):
    answer = boss.post(
        page("user_change", ann.pk),
        values_of(ann, name="Ann L.", is_active="", login="anna", tenant=eve.tenant_id),
    )
    assert answer.status_code == 302, answer.context["adminform"].form.errors
    after = User.objects.get(pk=ann.pk)
    assert (after.name, after.is_active) == ("Ann L.", False)
    assert (after.login, after.tenant_id) == ("ann", ann.tenant_id)
    assert LogEntry.objects.filter(object_id=str(ann.pk)).count() == 1


def test_the_password_form_works_with_argon2(boss, ann):
    argon2 = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
    with override_settings(PASSWORD_HASHERS=argon2):
        address = reverse("admin:auth_user_password_change", args=[ann.pk])
        assert boss.get(address).status_code == 200
        assert boss.post(address, {**PASSWORDS, "set-password": "1"}).status_code == 302
        after = User.objects.get(pk=ann.pk)
        assert after.password.startswith("argon2$")
        assert after.check_password("velvet-orbit-9")


def test_nobody_deletes_people_or_tenants(boss, ann, demo_tenant):
    for name, pk in (("user", ann.pk), ("tenant", demo_tenant.pk)):
        assert boss.post(page(f"{name}_delete", pk), {"post": "yes"}).status_code == 403
        boss.post(
            page(f"{name}_changelist"),
            {"action": "delete_selected", "_selected_action": [pk], "post": "yes"},
        )
    assert User.objects.filter(pk=ann.pk).exists()
    assert Tenant.objects.filter(pk=demo_tenant.pk).exists()


def test_a_department_of_another_tenant_and_a_circle_are_form_errors(boss, demo_tenant, eve):
    top = Department.objects.get(code="head_office")
    low = Department.objects.get(code="finance")
    fields = {"name": top.name, "head": top.head_id, "parent": low.pk}
    answer = boss.post(page("department_change", top.pk), fields)
    assert "parent" in answer.context["adminform"].form.errors
    answer = boss.post(
        page("department_change", top.pk), {"name": top.name, "head": eve.pk, "parent": ""}
    )
    assert "head" in answer.context["adminform"].form.errors
    top.refresh_from_db()
    assert (top.parent_id, top.head) == (None, User.objects.get(login="admin"))


def role_fields(members=(), grants=(), **fields):
    found = {
        "members-TOTAL_FORMS": len(members),
        "members-INITIAL_FORMS": 0,
        "grants-TOTAL_FORMS": len(grants),
        "grants-INITIAL_FORMS": 0,
        **fields,
    }
    for number, user in enumerate(members):
        found[f"members-{number}-user"] = user.pk
    for number, permission in enumerate(grants):
        found[f"grants-{number}-permission"] = permission
    return found


def test_a_role_is_made_with_members_and_grants(boss, demo_tenant, ann):
    answer = boss.post(
        page("role_add"),
        role_fields([ann], ["flow.design"], tenant=demo_tenant.pk, code="drawers", name="Drawers"),
    )
    assert answer.status_code == 302
    role = Role.objects.get(code="drawers")
    assert list(role.members.values_list("user__login", flat=True)) == ["ann"]
    assert list(role.grants.values_list("permission", flat=True)) == ["flow.design"]


@pytest.mark.parametrize("existing", [True, False])
def test_a_stranger_in_a_role_is_a_form_error(boss, demo_tenant, eve, existing):
    if existing:
        role = a_role(demo_tenant, "drawers")
        answer = boss.post(page("role_change", role.pk), role_fields([eve], name="Drawers"))
    else:
        answer = boss.post(
            page("role_add"),
            role_fields([eve], tenant=demo_tenant.pk, code="drawers", name="Drawers"),
        )
    assert answer.status_code == 200
    errors = [
        form.errors
        for each in answer.context["inline_admin_formsets"]
        for form in each.formset.forms
        if form.errors
    ]
    assert "user" in errors[0]
    assert not RoleMember.objects.filter(user=eve).exists()
    assert Role.objects.filter(code="drawers").exists() is existing


def test_an_unknown_permission_and_a_member_twice_are_form_errors(boss, demo_tenant, ann):
    role = a_role(demo_tenant, "drawers")
    for wrong in (role_fields([], ["time.travel"]), role_fields([ann, ann])):
        assert boss.post(page("role_change", role.pk), {**wrong, "name": "D"}).status_code == 200
    assert not RoleGrant.objects.filter(role=role).exists()
    assert not RoleMember.objects.filter(role=role).exists()


def test_tokens_are_revoked_here_and_never_made_or_shown(boss, ann, now):
    raw = issue_token(ann, now=now, label="script")
    token = ApiToken.objects.get()
    text = boss.get(page("apitoken_change", token.pk)).content.decode()
    assert raw not in text
    assert token.digest not in text
    assert boss.get(page("apitoken_add")).status_code == 403
    assert boss.post(page("apitoken_delete", token.pk), {"post": "yes"}).status_code == 302
    assert not ApiToken.objects.exists()


def test_groups_of_django_are_not_offered(boss):
    assert not site.is_registered(Group)
    with pytest.raises(NoReverseMatch):
        reverse("admin:auth_group_changelist")


# Staff of one tenant --------------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS)
def test_staff_see_only_their_own_tenant(desk, eve, ann, now, model):
    issue_token(ann, now=now, label="ours")
    issue_token(eve, now=now, label="theirs")
    a_role(eve.tenant, "foreign-role")
    text = desk.get(page(f"{model}_changelist")).content.decode()
    for foreign in ("Eve Zhou", "office", "foreign-role", "Other company", "theirs"):
        assert f">{foreign}<" not in text.replace("Head office", "")
    rows = {
        "tenant": eve.tenant,
        "user": eve,
        "department": eve.department,
        "role": Role.objects.get(code="foreign-role"),
        "apitoken": ApiToken.objects.get(label="theirs"),
    }
    for view in ("change", "delete", "history"):
        answer = desk.get(page(f"{model}_{view}", rows[model].pk))
        assert answer.status_code in {302, 403}, view
        if answer.status_code == 302:
            assert answer.headers["Location"] == "/admin/"


def test_staff_cannot_write_into_another_tenant(desk, eve):
    before = (User.objects.count(), Department.objects.count(), Role.objects.count())
    tenant = eve.tenant_id
    desk.post(page("user_add"), {"tenant": tenant, "login": "spy", "name": "S", **PASSWORDS})
    desk.post(page("department_add"), {"tenant": tenant, "code": "spies", "name": "Spies"})
    desk.post(page("role_add"), role_fields(tenant=tenant, code="spies", name="Spies"))
    desk.post(page("user_change", eve.pk), values_of(eve, name="Hacked"))
    address = reverse("admin:auth_user_password_change", args=[eve.pk])
    assert desk.post(address, {**PASSWORDS, "set-password": "1"}).status_code == 404
    assert (User.objects.count(), Department.objects.count(), Role.objects.count()) == before
    eve.refresh_from_db()
    assert eve.name == "Eve Zhou"
    assert not eve.check_password("velvet-orbit-9")


def test_staff_cannot_link_to_strangers(desk, demo_tenant, eve):
    finance = Department.objects.get(code="finance")
    answer = desk.post(
        page("department_change", finance.pk),
        {"name": "Finance", "head": eve.pk, "parent": finance.parent_id},
    )
    assert "head" in answer.context["adminform"].form.errors
    role = a_role(demo_tenant)
    answer = desk.post(page("role_change", role.pk), role_fields([eve], name="R"))
    assert answer.status_code == 200
    assert not RoleMember.objects.filter(user=eve).exists()
    finance.refresh_from_db()
    assert finance.head == User.objects.get(login="dan")


def test_look_ups_while_typing_offer_no_strangers(desk, demo_tenant, eve):
    address = reverse("admin:autocomplete")
    fields = {"app_label": "directory", "model_name": "department", "field_name": "head"}
    found = desk.get(address, {**fields, "term": "e"}).json()["results"]
    assert found
    assert str(eve.pk) not in {row["id"] for row in found}


def test_staff_cannot_become_or_touch_an_operator(desk, keeper, admin):
    answer = desk.post(
        page("user_change", keeper.pk), values_of(keeper, is_superuser="on", name="K.")
    )
    assert answer.status_code == 302
    after = User.objects.get(pk=keeper.pk)
    assert (after.name, after.is_superuser) == ("K.", False)
    address = reverse("admin:auth_user_password_change", args=[admin.pk])
    assert desk.post(address, {**PASSWORDS, "set-password": "1"}).status_code == 403
    assert (
        desk.post(page("user_change", admin.pk), values_of(admin, is_active="")).status_code == 403
    )
    again = User.objects.get(pk=admin.pk)
    assert again.is_active
    assert not again.check_password("velvet-orbit-9")


def test_staff_work_within_their_own_tenant(desk, demo_tenant, ann):
    assert desk.get(page("user_add")).status_code == 200
    answer = desk.post(
        page("user_add"),
        {"tenant": demo_tenant.pk, "login": "fay", "name": "Fay", **PASSWORDS},
    )
    assert answer.status_code == 302
    assert User.objects.get(login="fay").tenant == demo_tenant
    assert desk.post(page("user_change", ann.pk), values_of(ann, name="A.")).status_code == 302
    assert User.objects.get(pk=ann.pk).name == "A."
    assert desk.get(page("tenant_add")).status_code == 403


def test_staff_without_the_permission_get_nothing(client_of, demo_tenant, ann):
    clerk = a_person(demo_tenant, "clerk", is_staff=True)
    browser = client_of(clerk)
    assert browser.get("/admin/").status_code == 200
    for model in MODELS:
        assert browser.get(page(f"{model}_changelist")).status_code == 403
    assert browser.post(page("user_change", ann.pk), values_of(ann, name="X")).status_code == 403
    assert User.objects.get(pk=ann.pk).name == "Ann Lee"


def test_names_are_shown_as_typed(boss, demo_tenant):
    a_department(demo_tenant, "x")
    Department.objects.filter(code="x").update(name="<script>alert(1)</script>{{7*7}}")
    text = boss.get(page("department_changelist")).content.decode()
    assert "<script>alert(1)" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;{{7*7}}" in text
