"""The administration of groups, posts, managers, absences and working calendars."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from django.urls import reverse

from flowadmin.directory.models import (
    Calendar,
    CalendarDay,
    Department,
    Group,
    GroupMember,
    Post,
    PostHolder,
    Substitute,
    Tenant,
    User,
)
from tests.builders import a_person, a_role
from tests.directory.rows import a_calendar, a_group, a_post, away, day

MODELS = ["group", "post", "substitute", "calendar"]


def page(name, *args):
    return reverse(f"admin:directory_{name}", args=args)


@pytest.fixture
def boss(client_of, admin):
    return client_of(admin)


@pytest.fixture
def desk(client_of, demo_tenant):
    """Staff of `demo` with directory.manage, no operator."""
    keeper = a_person(demo_tenant, "keeper", is_staff=True)
    a_role(demo_tenant, "keepers", members=[keeper], grants=["directory.manage"])
    return client_of(keeper)


def lines(prefix, rows=(), initial=0):
    """A formset's fields: each row is a dict."""
    found = {f"{prefix}-TOTAL_FORMS": len(rows), f"{prefix}-INITIAL_FORMS": initial}
    for number, row in enumerate(rows):
        found |= {f"{prefix}-{number}-{name}": value for name, value in row.items()}
    return found


def absence(person, /, **changes):
    fields = {
        "tenant": person.tenant_id,
        "person": person.pk,
        "substitute": "",
        "starts_at_0": "2026-03-02",
        "starts_at_1": "09:00",
        "ends_at_0": "2026-03-06",
        "ends_at_1": "18:00",
        "process": "",
    }
    return {**fields, **changes}


def calendar_fields(tenant, days=(), **changes):
    fields = {
        "tenant": tenant.pk,
        "key": "shop",
        "name": "Shop",
        "time_zone": "Asia/Shanghai",
        "mon": "9:00-12:00, 13:00-18:00",
        "sat": "10:00-14:00",
        **lines("days", days),
    }
    return {**fields, **changes}


def errors_of(answer):
    assert answer.status_code == 200
    found = dict(answer.context["adminform"].form.errors)
    for inline in answer.context["inline_admin_formsets"]:
        for form in inline.formset.forms:
            found |= form.errors
    return set(found)


@pytest.fixture
def everything(demo_tenant, ann, bao):
    """One row of each kind, by the model's name."""
    return {
        "group": a_group(demo_tenant, "ours-group", members=[ann]),
        "post": a_post(demo_tenant, "ours-post", holders=[bao]),
        "substitute": away(ann, bao),
        "calendar": a_calendar(demo_tenant, "ours", days=[(date(2026, 10, 1), False, None)]),
    }


@pytest.mark.parametrize("model", MODELS)
def test_every_list_search_and_form_opens(boss, desk, everything, model):
    for browser in (boss, desk):
        for query in ("", "?q=a", "?o=1.-2"):
            assert browser.get(page(f"{model}_changelist") + query).status_code == 200, query
        row = everything[model]
        assert browser.get(page(f"{model}_add")).status_code == 200
        assert browser.get(page(f"{model}_change", row.pk)).status_code == 200
        assert browser.get(page(f"{model}_history", row.pk)).status_code == 200
        assert browser.get(page(f"{model}_delete", row.pk)).status_code == 200


# Groups, posts, managers ---------------------------------------------------------------------


def test_a_group_and_a_post_are_made_with_people_and_deleted(desk, demo_tenant, ann, bao):
    named = {"tenant": demo_tenant.pk, "code": "pair", "name": "Pair"}
    people = [{"user": ann.pk}, {"user": bao.pk}]
    for model, prefix, rows in (
        ("group", "members", GroupMember),
        ("post", "holders", PostHolder),
    ):
        rows.objects.all().delete()
        answer = desk.post(page(f"{model}_add"), {**named, **lines(prefix, people)})
        assert answer.status_code == 302, errors_of(answer)
        assert set(rows.objects.values_list("user__login", flat=True)) == {"ann", "bao"}
    group, post = Group.objects.get(code="pair"), Post.objects.get(code="pair")
    for model, row in (("group", group), ("post", post)):
        assert desk.post(page(f"{model}_delete", row.pk), {"post": "yes"}).status_code == 302
    assert not Group.objects.filter(code="pair").exists()
    assert not Post.objects.filter(code="pair").exists()
    assert User.objects.filter(login="ann").exists()


@pytest.mark.parametrize("who", ["boss", "desk"])
def test_strangers_and_people_twice_are_form_errors(request, demo_tenant, ann, eve, who):
    browser = request.getfixturevalue(who)
    named = {"tenant": demo_tenant.pk, "code": "pair", "name": "Pair"}
    for model, prefix in (("group", "members"), ("post", "holders")):
        wrong = [{"user": eve.pk}]
        answer = browser.post(page(f"{model}_add"), {**named, **lines(prefix, wrong)})
        assert "user" in errors_of(answer)
        twice = [{"user": ann.pk}, {"user": ann.pk}]
        assert (
            browser.post(page(f"{model}_add"), {**named, **lines(prefix, twice)}).status_code
            == 200
        )
    assert not Group.objects.filter(code="pair").exists()
    assert not Post.objects.filter(code="pair").exists()


def person_fields(user, **changes):
    fields = {
        "name": user.name,
        "email": user.email,
        "department": user.department_id,
        "language": user.language,
        "theme": user.theme,
        "is_active": "on",
        **lines("memberships"),
    }
    return {**fields, **changes}


def test_a_manager_is_chosen_and_a_circle_or_stranger_is_a_form_error(desk, ann, bao, dan, eve):
    assert (
        desk.post(page("user_change", ann.pk), person_fields(ann, manager=dan.pk)).status_code
        == 302
    )
    ann.refresh_from_db()
    assert ann.manager == dan
    for manager in (ann, eve):
        answer = desk.post(page("user_change", dan.pk), person_fields(dan, manager=manager.pk))
        assert "manager" in errors_of(answer)
    dan.refresh_from_db()
    assert dan.manager.login == "admin"
    assert (
        desk.post(page("user_change", ann.pk), person_fields(ann, manager="")).status_code == 302
    )
    ann.refresh_from_db()
    assert ann.manager is None


def test_a_choice_that_is_no_id_is_a_form_error(boss, demo_tenant, ann):
    """Django alone breaks while it draws the field again."""
    for odd in ("ann", "-1", "9" * 40):
        answer = boss.post(page("user_change", ann.pk), person_fields(ann, manager=odd))
        assert "manager" in errors_of(answer)
        named = {"tenant": demo_tenant.pk, "code": "pair", "name": "Pair"}
        answer = boss.post(page("group_add"), {**named, **lines("members", [{"user": odd}])})
        assert "user" in errors_of(answer)
    ann.refresh_from_db()
    assert ann.manager.login == "bao"
    assert not Group.objects.filter(code="pair").exists()


# Absences ------------------------------------------------------------------------------------


def test_an_administrator_enters_an_absence_in_the_tenants_zone(desk, demo_tenant, ann, bao):
    """approvals.md 4.3, test 35; 2.7: `[from, until)` in the tenant's time zone."""
    Tenant.objects.filter(pk=demo_tenant.pk).update(time_zone="Asia/Shanghai")
    answer = desk.post(page("substitute_add"), absence(ann, substitute=bao.pk, process="leave"))
    assert answer.status_code == 302, errors_of(answer)
    row = Substitute.objects.get()
    assert row.starts_at == datetime(2026, 3, 2, 1, 0, tzinfo=UTC)
    assert row.ends_at == datetime(2026, 3, 6, 10, 0, tzinfo=UTC)
    assert (row.person, row.substitute, row.process) == (ann, bao, "leave")
    assert (row.tenant, row.created_by.login) == (demo_tenant, "keeper")
    text = desk.get(page("substitute_change", row.pk)).content.decode()
    assert 'value="2026-03-02"' in text
    assert 'value="09:00:00"' in text
    assert 'value="18:00:00"' in text
    listed = desk.get(page("substitute_changelist")).content.decode()
    assert "9:00 AM" in listed
    # Saving what is shown changes nothing.
    fields = absence(ann, substitute=bao.pk, process="leave", starts_at_1="09:00:00")
    assert desk.post(page("substitute_change", row.pk), fields).status_code == 302
    row.refresh_from_db()
    assert row.starts_at == datetime(2026, 3, 2, 1, 0, tzinfo=UTC)
    assert row.created_by.login == "keeper"


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"ends_at_0": "2026-03-02", "ends_at_1": "09:00"}, "ends_at"),
        ({"ends_at_0": "2026-03-01"}, "ends_at"),
        ({"ends_at_0": "", "ends_at_1": ""}, "ends_at"),
        ({"starts_at_0": "tomorrow"}, "starts_at"),
        ({"starts_at_0": "0001-01-01", "starts_at_1": "00:00"}, "starts_at"),
        ({"ends_at_0": "9999-12-31", "ends_at_1": "23:59"}, "ends_at"),
        ({"starts_at_1": "25:00"}, "starts_at"),
        ({"starts_at_1": ""}, "starts_at"),
        ({"process": "No such!"}, "process"),
        ({"process": "leave\0"}, "process"),
        ({"person": ""}, "person"),
        ({"person": "ann"}, "person"),
        ({"tenant": ""}, "tenant"),
        ({"substitute": "self"}, "substitute"),
    ],
)
def test_a_wrong_absence_is_told_and_not_made(boss, demo_tenant, ann, changes, field):
    Tenant.objects.filter(pk=demo_tenant.pk).update(time_zone="Asia/Shanghai")
    if changes.get("substitute") == "self":
        changes = {"substitute": ann.pk}
    answer = boss.post(page("substitute_add"), absence(ann, **changes))
    assert field in errors_of(answer)
    assert not Substitute.objects.exists()


def test_a_time_that_clocks_jump_over_is_told(boss, demo_tenant, ann):
    Tenant.objects.filter(pk=demo_tenant.pk).update(time_zone="Europe/Berlin")
    jumped = {"starts_at_0": "2026-03-29", "starts_at_1": "02:30", "ends_at_0": "2026-04-01"}
    assert errors_of(boss.post(page("substitute_add"), absence(ann, **jumped))) == {"starts_at"}
    assert not Substitute.objects.exists()
    twice = {"starts_at_0": "2026-10-25", "starts_at_1": "02:30", "ends_at_0": "2026-10-26"}
    assert boss.post(page("substitute_add"), absence(ann, **twice)).status_code == 302
    assert Substitute.objects.get().starts_at == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)


def test_an_overlapping_absence_is_told(desk, ann):
    away(ann, None, day(1), day(3))
    answer = desk.post(page("substitute_add"), absence(ann))
    assert errors_of(answer) == {"__all__"}
    assert Substitute.objects.count() == 1


def test_staff_enter_no_absence_of_or_by_strangers(desk, demo_tenant, ann, eve):
    for changes in (
        {"person": eve.pk},
        {"substitute": eve.pk},
        {"tenant": eve.tenant_id},
        {"tenant": eve.tenant_id, "person": eve.pk},
    ):
        errors_of(desk.post(page("substitute_add"), absence(ann, **changes)))
    assert not Substitute.objects.exists()


# Calendars -----------------------------------------------------------------------------------


def test_a_calendar_is_written_as_people_write_hours(desk, demo_tenant):
    days = [
        {"date": "2026-10-01", "hours": ""},
        {"date": "2026-10-03", "working": "on", "hours": ""},
        {"date": "2026-12-31", "working": "on", "hours": "9:00-11:00"},
    ]
    answer = desk.post(page("calendar_add"), calendar_fields(demo_tenant, days))
    assert answer.status_code == 302, errors_of(answer)
    made = Calendar.objects.get(key="shop")
    assert made.hours == {
        "mon": [["09:00", "12:00"], ["13:00", "18:00"]],
        "sat": [["10:00", "14:00"]],
    }
    assert list(made.days.values_list("date", "working", "hours")) == [
        (date(2026, 10, 1), False, None),
        (date(2026, 10, 3), True, None),
        (date(2026, 12, 31), True, [["09:00", "11:00"]]),
    ]
    text = desk.get(page("calendar_change", made.pk)).content.decode()
    assert 'value="09:00-12:00, 13:00-18:00"' in text
    assert 'value="10:00-14:00"' in text
    assert 'value="09:00-11:00"' in text
    changed = calendar_fields(demo_tenant, name="Shop 2", mon="8:00-9:00", key="x")
    assert desk.post(page("calendar_change", made.pk), changed).status_code == 302
    made.refresh_from_db()
    assert (made.key, made.name, made.hours["mon"]) == ("shop", "Shop 2", [["08:00", "09:00"]])


def test_a_new_calendar_begins_with_office_hours(desk):
    text = desk.get(page("calendar_add")).content.decode()
    assert text.count('value="09:00-12:00, 13:00-18:00"') == 5


@pytest.mark.parametrize(
    ("changes", "fields"),
    [
        ({"mon": "nine to five"}, {"mon"}),
        ({"mon": "12:00-09:00", "sat": "9"}, {"mon", "sat"}),
        ({"mon": "[" * 5000}, {"mon"}),
        ({"mon": "09:00-12:00\0"}, {"mon"}),
        ({"mon": "", "sat": ""}, {"__all__"}),
        ({"time_zone": "Mars"}, {"time_zone"}),
        ({"time_zone": ""}, {"time_zone"}),
        ({"key": "wall"}, {"key"}),
        ({"key": "Shop"}, {"key"}),
        ({"key": "office"}, {"__all__"}),
        ({"name": ""}, {"name"}),
    ],
)
def test_a_wrong_calendar_is_told_and_not_made(boss, demo_tenant, changes, fields):
    answer = boss.post(page("calendar_add"), calendar_fields(demo_tenant, **changes))
    assert errors_of(answer) == fields
    assert Calendar.objects.count() == 1


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"date": "2026-10-01", "hours": "09:00-12:00"}, "hours"),
        ({"date": "2026-10-01", "working": "on", "hours": "9"}, "hours"),
        ({"date": "2026-02-30", "hours": ""}, "date"),
        ({"date": "", "working": "on", "hours": ""}, "date"),
    ],
)
def test_a_wrong_day_is_told_and_nothing_is_made(boss, demo_tenant, row, field):
    answer = boss.post(page("calendar_add"), calendar_fields(demo_tenant, [row]))
    assert field in errors_of(answer)
    assert not Calendar.objects.filter(key="shop").exists()
    assert not CalendarDay.objects.exists()


def test_a_wrong_change_leaves_the_calendar_as_it_is(boss, demo_tenant):
    office = Calendar.objects.get(key="office")
    for wrong in ({"mon": "x"}, {"mon": "", "sat": ""}):
        answer = boss.post(
            page("calendar_change", office.pk), calendar_fields(demo_tenant, **wrong)
        )
        assert errors_of(answer)
    before = office.hours
    office.refresh_from_db()
    assert office.hours == before


def test_an_operator_sets_the_zone_of_a_tenant_and_staff_do_not(boss, desk, demo_tenant):
    address = page("tenant_change", demo_tenant.pk)
    assert "time_zone" in errors_of(boss.post(address, {"name": "Demo", "time_zone": "Mars"}))
    assert desk.post(address, {"name": "D", "time_zone": "Asia/Tokyo"}).status_code == 403
    demo_tenant.refresh_from_db()
    assert demo_tenant.time_zone == "Asia/Shanghai"
    assert boss.post(address, {"name": "Demo", "time_zone": "Europe/Paris"}).status_code == 302
    demo_tenant.refresh_from_db()
    assert demo_tenant.time_zone == "Europe/Paris"


# Tenants -------------------------------------------------------------------------------------


@pytest.fixture
def foreign(eve):
    """One row of each kind of the other tenant."""
    return {
        "group": a_group(eve.tenant, "theirs", members=[eve]),
        "post": a_post(eve.tenant, "theirs", holders=[eve]),
        "substitute": away(eve),
        "calendar": a_calendar(eve.tenant, "theirs"),
    }


@pytest.mark.parametrize("model", MODELS)
def test_rows_of_another_tenant_are_neither_seen_nor_touched(desk, foreign, model):
    text = desk.get(page(f"{model}_changelist")).content.decode()
    assert "theirs" not in text.lower()
    assert "Eve Zhou" not in text
    row = foreign[model]
    for view in ("change", "delete", "history"):
        answer = desk.get(page(f"{model}_{view}", row.pk))
        assert answer.status_code in {302, 403}
        assert answer.headers.get("Location", "/admin/") == "/admin/"
    desk.post(page(f"{model}_delete", row.pk), {"post": "yes"})
    desk.post(
        page(f"{model}_changelist"),
        {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"},
    )
    assert type(row).objects.filter(pk=row.pk).exists()


@pytest.mark.parametrize("model", ["group", "post", "calendar"])
def test_staff_make_nothing_in_another_tenant(desk, eve, model):
    before = (Group.objects.count(), Post.objects.count(), Calendar.objects.count())
    fields = calendar_fields(eve.tenant, code="spies", **lines("members"), **lines("holders"))
    errors_of(desk.post(page(f"{model}_add"), fields))
    assert (Group.objects.count(), Post.objects.count(), Calendar.objects.count()) == before


@pytest.mark.parametrize("model", MODELS)
def test_without_the_permission_there_is_nothing(client_of, demo_tenant, everything, model):
    browser = client_of(a_person(demo_tenant, "clerk", is_staff=True))
    row = everything[model]
    assert browser.get(page(f"{model}_changelist")).status_code == 403
    assert browser.get(page(f"{model}_add")).status_code == 403
    assert browser.post(page(f"{model}_change", row.pk), {"name": "X"}).status_code == 403
    assert browser.post(page(f"{model}_delete", row.pk), {"post": "yes"}).status_code == 403
    assert type(row).objects.filter(pk=row.pk).exists()
    assert not Department.objects.filter(name="X").exists()


def test_names_of_people_are_escaped(boss, demo_tenant, ann):
    User.objects.filter(pk=ann.pk).update(name="<script>alert(1)</script>")
    away(ann)
    text = boss.get(page("substitute_changelist")).content.decode()
    assert "<script>alert(1)" not in text
    assert "&lt;script&gt;alert(1)" in text
