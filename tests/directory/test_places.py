"""What rows of groups, posts, reporting lines, absences and calendars refuse."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import DataError, IntegrityError, connection, transaction
from django.db.models import ProtectedError

from flowadmin.directory.models import (
    Calendar,
    CalendarDay,
    Group,
    GroupMember,
    Post,
    PostHolder,
    Substitute,
    Tenant,
    User,
)
from tests.builders import a_person, a_tenant
from tests.directory.rows import a_calendar, a_group, a_post, away, day

pytestmark = pytest.mark.django_db


def refused(act):
    """The codes by which `act` was refused, by field."""
    with pytest.raises(ValidationError) as error, transaction.atomic():
        act()
    found = error.value
    if hasattr(found, "error_dict"):
        return {name: [one.code for one in each] for name, each in found.error_dict.items()}
    return [one.code for one in found.error_list]


@pytest.fixture
def tenant():
    return a_tenant()


@pytest.fixture
def stranger():
    return a_person(a_tenant())


@pytest.mark.parametrize("make", [a_group, a_post])
def test_codes_of_groups_and_posts_are_given_once_per_tenant(tenant, make):
    row = make(tenant, "one")
    make(a_tenant(), "one")
    with pytest.raises(IntegrityError), transaction.atomic():
        make(tenant, "one")
    row.code = "two"
    assert refused(row.save) == ["fixed"]
    row.refresh_from_db()
    row.tenant = a_tenant()
    assert refused(row.save) == ["fixed"]
    assert type(row).objects.for_tenant(tenant.pk).get().code == "one"


def test_only_people_of_the_tenant_are_in_its_groups_and_posts(tenant, stranger):
    assert refused(lambda: a_group(tenant, members=[stranger])) == {"user": ["other_tenant"]}
    assert refused(lambda: a_post(tenant, holders=[stranger])) == {"user": ["other_tenant"]}
    assert not GroupMember.objects.exists()
    assert not PostHolder.objects.exists()


def test_nobody_is_in_a_group_or_post_twice(tenant):
    person = a_person(tenant)
    for make in (
        lambda: a_group(tenant, members=[person, person]),
        lambda: a_post(tenant, holders=[person, person]),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            make()
    assert not Group.objects.exists()
    assert not Post.objects.exists()


# The reporting line --------------------------------------------------------------------------


def test_a_manager_is_of_the_tenant_and_never_below(tenant, stranger):
    top = a_person(tenant, "top")
    middle = a_person(tenant, "middle", manager=top)
    low = a_person(tenant, "low", manager=middle)
    for manager, code in ((top, "circle"), (low, "circle"), (stranger, "other_tenant")):
        moved = User.objects.get(pk=top.pk)
        moved.manager = manager
        assert refused(moved.save) == {"manager": [code]}
        assert refused(lambda row=moved: row.save(update_fields=["manager"])) == {
            "manager": [code]
        }
    top.refresh_from_db()
    assert top.manager_id is None
    with pytest.raises(ProtectedError):
        top.delete()


def test_a_circle_from_elsewhere_does_not_hold_up_a_save(tenant):
    one = a_person(tenant, "one")
    two = a_person(tenant, "two", manager=one)
    User.objects.filter(pk=one.pk).update(manager=two)
    below = a_person(tenant, "below", manager=two)
    assert below.manager_id == two.pk


# Absences ------------------------------------------------------------------------------------


def test_an_absence_needs_a_window_two_people_and_one_tenant(tenant, stranger):
    ann, bao = a_person(tenant, "ann"), a_person(tenant, "bao")
    assert refused(lambda: away(ann, bao, day(8), day(8))) == {"ends_at": ["window"]}
    assert refused(lambda: away(ann, bao, day(8), day(1))) == {"ends_at": ["window"]}
    assert refused(lambda: away(ann, ann)) == {"substitute": ["self"]}
    assert refused(lambda: away(ann, stranger)) == {"substitute": ["other_tenant"]}
    foreign = Substitute(tenant=tenant, person=stranger, starts_at=day(1), ends_at=day(2))
    assert refused(foreign.save) == {"person": ["other_tenant"]}
    for process in ("Leave", "1st", "a b", "x" * 49, "leave\n"):
        assert refused(lambda key=process: away(ann, bao, process=key)) == {
            "process": ["bad_process"]
        }
    assert not Substitute.objects.exists()


def test_windows_of_one_person_and_process_do_not_overlap(tenant):
    ann, bao = a_person(tenant, "ann"), a_person(tenant, "bao")
    first = away(ann, bao, day(2), day(4))
    assert refused(lambda: away(ann, None, day(3), day(5))) == ["overlap"]
    assert refused(lambda: away(ann, None, day(1), day(9))) == ["overlap"]
    away(ann, bao, day(4), day(5))  # `[from, until)`: they touch
    away(ann, bao, day(2), day(4), process="leave")
    away(bao, ann, day(2), day(4))
    first.ends_at = day(3)
    first.save()
    assert Substitute.objects.count() == 4


def test_the_database_itself_refuses_a_window_that_is_none_and_oneself(tenant):
    ann = a_person(tenant, "ann")
    row = away(ann, None)
    for changes in ({"ends_at": day(1) - timedelta(days=1)}, {"substitute": ann}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Substitute.objects.filter(pk=row.pk).update(**changes)
    row.refresh_from_db()
    assert (row.ends_at, row.substitute_id) == (day(8), None)


# Calendars -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"hours": {}}, ["hours_empty"]),
        ({"hours": {"mon": [["12:00", "09:00"]]}}, ["hours_order"]),
        ({"hours": {"funday": []}}, ["hours_day"]),
        ({"hours": [1]}, ["hours_shape"]),
        ({"time_zone": "Mars/Olympus"}, {"time_zone": ["bad_time_zone"]}),
        ({"time_zone": "../etc/passwd"}, {"time_zone": ["bad_time_zone"]}),
        ({"time_zone": "localtime"}, {"time_zone": ["bad_time_zone"]}),
        ({"time_zone": "Asia"}, {"time_zone": ["bad_time_zone"]}),
        ({"time_zone": ""}, {"time_zone": ["bad_time_zone"]}),
        ({"time_zone": "UTC\0"}, {"time_zone": ["bad_time_zone"]}),
        ({"key": "wall"}, {"key": ["reserved"]}),
    ],
)
def test_a_calendar_that_cannot_be_used_is_refused(tenant, changes, found):
    fields = {"key": "shop", "hours": {"mon": [["09:00", "12:00"]]}, **changes}
    assert refused(lambda: Calendar.objects.create(tenant=tenant, name="S", **fields)) == found
    assert not Calendar.objects.exists()


def test_a_calendar_keeps_its_key_and_its_tenant(tenant):
    calendar = a_calendar(tenant)
    calendar.key = "other"
    assert refused(calendar.save) == ["fixed"]
    with pytest.raises(IntegrityError), transaction.atomic():
        a_calendar(tenant)
    a_calendar(a_tenant())
    assert Calendar.objects.for_tenant(tenant.pk).get().key == "shop"


@pytest.mark.parametrize(
    ("working", "hours", "code"),
    [
        (False, [["09:00", "12:00"]], "free_day"),
        (True, [], "hours_empty"),
        (True, [["9", "12"]], "hours_time"),
        (True, {"mon": []}, "hours_shape"),
    ],
)
def test_a_day_with_wrong_hours_is_refused(tenant, working, hours, code):
    calendar = a_calendar(tenant)
    made = CalendarDay(calendar=calendar, date=date(2026, 10, 1), working=working, hours=hours)
    assert refused(made.save) == {"hours": [code]}
    assert not calendar.days.exists()


def test_a_date_differs_once(tenant):
    calendar = a_calendar(tenant, days=[(date(2026, 10, 1), False, None)])
    again = CalendarDay(calendar=calendar, date=date(2026, 10, 1), working=True)
    with pytest.raises(IntegrityError), transaction.atomic():
        again.save()
    assert calendar.days.get().working is False


def test_a_tenant_has_a_time_zone_that_exists(tenant):
    assert tenant.time_zone == "UTC"
    tenant.time_zone = "Asia/Nowhere"
    assert refused(tenant.save) == {"time_zone": ["bad_time_zone"]}
    tenant.time_zone = "Asia/Shanghai"
    tenant.save()
    assert Tenant.objects.get(pk=tenant.pk).time_zone == "Asia/Shanghai"


@pytest.mark.skipif(connection.vendor != "sqlite", reason="STRICT is a word of SQLite's")
@pytest.mark.parametrize(
    "statement",
    ["UPDATE org_substitute SET person_id = 'x'", "UPDATE org_user SET manager_id = 'x'"],
)
def test_the_new_columns_are_strict(tenant, statement):
    away(a_person(tenant))
    wrong = pytest.raises((IntegrityError, DataError), match="cannot store TEXT")
    with wrong, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)
