"""Reads of groups, posts, reporting lines, absences and calendars."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from flowadmin.directory import calendars, queries, substitution
from flowadmin.directory.models import Calendar, User
from flowadmin.directory.working_time import BadHours
from tests.builders import a_department, a_person, a_role, a_tenant
from tests.directory.rows import a_calendar, a_group, a_post, away, day

NOON = day(2, 12)


def logins(people):
    return [person.login for person in people]


def test_members_of_groups_and_holders_of_posts_come_once(demo_tenant, ann, bao, eve):
    tenant_id = demo_tenant.pk
    for make, word, read in (
        (a_group, "members", queries.members_of_groups),
        (a_post, "holders", queries.holders_of_posts),
    ):
        make(demo_tenant, "one", **{word: [bao, ann]})
        make(demo_tenant, "two", **{word: [ann]})
        make(eve.tenant, "one", **{word: [eve]})
        assert logins(read(tenant_id, ["two", "one"])) == ["ann", "bao"]
        assert logins(read(eve.tenant_id, ["one", "two"])) == ["eve"]
        assert read(tenant_id, ["three"]) == read(tenant_id, []) == read(tenant_id, ["\0"]) == ()
        User.objects.filter(pk=ann.pk).update(is_active=False)
        assert [person.active for person in read(tenant_id, ["two"])] == [False]
        User.objects.filter(pk=ann.pk).update(is_active=True)


def test_the_reporting_line_goes_up_and_stays_in_the_tenant(demo_tenant, ann, bao, eve):
    assert logins(queries.managers_above(demo_tenant.pk, ann.pk)) == ["bao", "admin"]
    assert queries.managers_above(eve.tenant_id, ann.pk) == ()
    assert queries.managers_above(demo_tenant.pk, eve.pk) == ()
    assert queries.managers_above(demo_tenant.pk, 10**9) == ()


@pytest.mark.django_db
def test_the_line_ends_at_a_circle_and_after_twenty_people():
    tenant = a_tenant()
    people = [a_person(tenant, "p0")]
    for number in range(1, 30):
        people.append(a_person(tenant, f"p{number}", manager=people[-1]))
    line = queries.managers_above(tenant.pk, people[-1].pk)
    assert logins(line) == [f"p{number}" for number in range(28, 8, -1)]
    # What two simultaneous changes could leave behind.
    User.objects.filter(pk=people[0].pk).update(manager=people[2])
    assert logins(queries.managers_above(tenant.pk, people[4].pk)) == ["p3", "p2", "p1", "p0"]
    assert logins(queries.managers_above(tenant.pk, people[1].pk)) == ["p0", "p2"]
    User.objects.filter(pk=people[0].pk).update(manager=people[0])
    assert queries.managers_above(tenant.pk, people[0].pk) == ()


def test_unknown_groups_posts_and_calendars(demo_tenant, eve):
    a_group(eve.tenant, "theirs")
    a_calendar(eve.tenant, "theirs")

    def unknown(kind, *codes):
        return queries.unknown_codes(demo_tenant.pk, kind, codes)

    assert unknown("group", "theirs", "buyers", "x") == ("theirs", "x")
    assert unknown("post", "cashier", "theirs") == ("theirs",)
    assert unknown("calendar", "theirs", "office", "wall") == ("theirs", "wall")


# Absences ------------------------------------------------------------------------------------


def substitutes(tenant, users, process="leave", at=NOON):
    return substitution.substitutes_of(tenant.pk, [user.pk for user in users], process, at)


def test_a_window_is_from_until_to_the_minute(demo_tenant, ann, bao):
    """approvals.md 4.3, test 36: the last minute is not lost, and the first is not early."""
    away(ann, bao, day(2, 9, 30), day(2, 17, 0))
    minute, moment = timedelta(minutes=1), timedelta(microseconds=1)
    for at, found in (
        (day(2, 9, 30) - moment, {}),
        (day(2, 9, 30), {ann.pk: bao.pk}),
        (day(2, 17) - minute, {ann.pk: bao.pk}),
        (day(2, 17) - moment, {ann.pk: bao.pk}),
        (day(2, 17), {}),
    ):
        assert substitutes(demo_tenant, [ann, bao], at=at) == found


def test_one_process_comes_before_all_and_only_for_itself(demo_tenant, ann, bao, dan, chi):
    away(ann, bao)
    away(ann, dan, process="leave")
    away(chi, dan, process="leave")
    assert substitutes(demo_tenant, [ann, chi]) == {ann.pk: dan.pk, chi.pk: dan.pk}
    assert substitutes(demo_tenant, [ann, chi], "expense") == {ann.pk: bao.pk}


def test_who_is_away_and_named_nobody_is_told_with_zero(demo_tenant, ann, bao):
    away(ann)
    assert substitutes(demo_tenant, [ann, bao]) == {ann.pk: 0}
    away(ann, bao, process="leave")
    assert substitutes(demo_tenant, [ann]) == {ann.pk: bao.pk}


def test_a_chain_and_a_circle_are_told_step_by_step(demo_tenant, ann, bao, chi):
    away(ann, bao)
    away(bao, chi)
    away(chi, ann)
    assert substitutes(demo_tenant, [ann]) == {ann.pk: bao.pk}
    assert substitutes(demo_tenant, [bao, chi]) == {bao.pk: chi.pk, chi.pk: ann.pk}


def test_of_two_overlapping_absences_the_earlier_row_counts(demo_tenant, ann, bao, dan):
    first = away(ann, bao, day(1), day(3))
    second = away(ann, dan, day(3), day(5))
    type(second).objects.filter(pk=second.pk).update(starts_at=day(1))  # both at the same moment
    assert first.pk < second.pk
    assert substitutes(demo_tenant, [ann]) == {ann.pk: bao.pk}


def test_absences_of_another_tenant_are_not_read(demo_tenant, ann, eve, bao):
    away(ann, bao)
    assert substitutes(eve.tenant, [ann, eve]) == {}
    assert substitutes(demo_tenant, []) == {}


def test_every_read_of_people_tells_who_is_away(demo_tenant, ann, bao, django_assert_num_queries):
    tenant_id = demo_tenant.pk
    a_group(demo_tenant, "g", members=[ann, bao])
    a_post(demo_tenant, "p", holders=[ann, bao])
    a_role(demo_tenant, "r", members=[ann, bao])
    away(ann, process="expense")
    away(bao, None, day(8), day(9))
    ids = [ann.pk, bao.pk]
    reads = [
        lambda at: queries.people_by_login(tenant_id, ["ann", "bao"], at),
        lambda at: queries.people_of_tenant(tenant_id, ids, at),
        lambda at: queries.members_of_groups(tenant_id, ["g"], at),
        lambda at: queries.holders_of_posts(tenant_id, ["p"], at),
        lambda at: queries.members_of_roles(tenant_id, ["r"], at),
        lambda at: queries.members_of_departments(tenant_id, ["engineering"], deep=False, at=at),
        lambda at: queries.members_of_departments(tenant_id, ["engineering"], deep=True, at=at),
    ]
    for number, read in enumerate(reads):
        with django_assert_num_queries(2):
            told, untold = read(NOON), read(None)
        assert [(one.login, one.away) for one in told] == [("ann", True), ("bao", False)], number
        assert [one.away for one in untold] == [None, None], number


def test_heads_and_managers_are_told_away_too(demo_tenant, ann, bao, admin):
    away(bao)
    a_department(demo_tenant, "lab", parent=ann.department)
    line = queries.department_line(demo_tenant.pk, code="lab", at=NOON)
    assert [unit.head and unit.head.away for unit in line] == [None, True, False]
    managers = queries.managers_above(demo_tenant.pk, ann.pk, NOON)
    assert [(one.login, one.away) for one in managers] == [("bao", True), ("admin", False)]


def test_people_of_a_tenant_by_id_are_no_strangers(demo_tenant, ann, eve):
    found = queries.people_of_tenant(demo_tenant.pk, [eve.pk, ann.pk, ann.pk, 10**9])
    assert logins(found) == ["ann"]
    assert queries.people_of_tenant(demo_tenant.pk, []) == ()


# Calendars -----------------------------------------------------------------------------------


def test_a_calendar_is_read_with_its_days(demo_tenant, django_assert_num_queries):
    """approvals.md 4.5, tests 60 and 61, from stored rows."""
    a_calendar(
        demo_tenant,
        days=[
            (date(2026, 10, 1), False, None),
            (date(2026, 10, 2), False, None),
            (date(2026, 10, 3), True, None),
            (date(2026, 10, 4), True, [["10:00", "11:00"]]),
        ],
    )
    with django_assert_num_queries(2):
        found = calendars.working_time(demo_tenant.pk, "shop")
    hour = 3600
    wednesday_evening = datetime(2026, 9, 30, 9, 0, tzinfo=UTC)  # 17:00 in Shanghai
    expected = {
        1: (9, 30, 10),  # Wednesday 18:00
        2: (10, 3, 2),  # Saturday 10:00
        9: (10, 3, 10),  # Saturday 18:00
        10: (10, 4, 3),  # Sunday 11:00
        11: (10, 5, 2),  # Monday 10:00
    }
    for hours, (month, number, clock) in expected.items():
        moment = datetime(2026, month, number, clock, tzinfo=UTC)
        assert found.add(wednesday_evening, hours * hour) == moment, hours


def test_a_calendar_of_another_tenant_or_of_no_name_is_none(demo_tenant, eve):
    a_calendar(eve.tenant, "theirs")
    for key in ("theirs", "wall", "OFFICE", "office ", "\0", "", "x" * 500):
        assert calendars.working_time(demo_tenant.pk, key) is None
    assert calendars.working_time(demo_tenant.pk, "office") is not None


def test_hours_that_somebody_wrote_past_the_models_are_named(demo_tenant):
    Calendar.objects.filter(key="office").update(hours={"mon": [["x", "y"]]})
    with pytest.raises(BadHours):
        calendars.working_time(demo_tenant.pk, "office")


def test_the_zone_of_a_tenant(demo_tenant):
    assert calendars.zone_of(demo_tenant.pk).key == "Asia/Shanghai"
    type(demo_tenant).objects.filter(pk=demo_tenant.pk).update(time_zone="Asia/Tokyo")
    assert calendars.zone_of(demo_tenant.pk).key == "Asia/Tokyo"
