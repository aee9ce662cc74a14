"""The organisation answers the engine's questions: of one tenant, at one moment, once each."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from flowadmin.directory.models import Tenant, User
from flowadmin.directory.queries import Person
from tests.directory.rows import a_group, a_post, away, day
from workflow.engine.facts import Facts
from workflow.runtime.facts import Organisation


@pytest.fixture
def facts(demo_tenant, now):
    return Organisation(demo_tenant.pk, now)


def logins(people):
    return [person.login for person in people]


def test_it_answers_the_whole_protocol(facts):
    asked: Facts = facts  # the types say the rest
    questions = {name for name in vars(Facts) if not name.startswith("_")}
    assert questions
    assert all(hasattr(asked, name) for name in questions)


def test_people_come_in_the_order_asked_and_not_from_elsewhere(facts, ann, bao, eve):
    assert logins(facts.people_by_login(["bao", "eve", "ann", "bao", "\0"])) == ["bao", "ann"]
    assert logins(facts.people_by_id([bao.pk, eve.pk, ann.pk])) == ["bao", "ann"]


def test_each_question_is_asked_once(facts, demo_tenant, ann, bao):
    a_group(demo_tenant, "g", members=[ann])
    a_post(demo_tenant, "p", holders=[bao])
    questions = [
        lambda: facts.today,
        lambda: facts.people_by_login(["ann"]),
        lambda: facts.role_members(["designers"]),
        lambda: facts.group_members(["g"]),
        lambda: facts.post_holders(["p"]),
        lambda: facts.department_members(["finance"], deep=True),
        lambda: facts.line_of_user(ann.pk),
        lambda: facts.line_of_department("finance"),
        lambda: facts.departments_of([ann.pk, bao.pk]),
        lambda: facts.managers_above(ann.pk),
        lambda: facts.substitutes_of([10**9], "leave"),
        lambda: facts.working_time("nothing"),
    ]
    for number, ask in enumerate(questions):
        with CaptureQueriesContext(connection) as first:
            answer = ask()
        with CaptureQueriesContext(connection) as second:
            assert ask() == answer
        assert (len(first), len(second)) == (1, 0), number


def test_an_organisation_asks_nothing_by_itself(demo_tenant, now, ann, django_assert_num_queries):
    with django_assert_num_queries(0):
        facts = Organisation(demo_tenant.pk, now, Person(ann.pk, "", "Ann", active=True), "UTC")
        assert logins(facts.people_by_id([ann.pk])) == [""]
        assert facts.today == date(2026, 3, 2)


def test_today_is_the_day_of_the_tenant(demo_tenant):
    Tenant.objects.filter(pk=demo_tenant.pk).update(time_zone="Asia/Shanghai")
    late = datetime(2026, 3, 2, 16, 0, tzinfo=UTC)
    assert Organisation(demo_tenant.pk, late).today == date(2026, 3, 3)
    assert Organisation(demo_tenant.pk, day(2, 15, 59)).today == date(2026, 3, 2)
    western = Organisation(demo_tenant.pk, day(2, 3), time_zone="America/New_York")
    assert western.today == date(2026, 3, 1)


def test_groups_posts_and_managers(facts, demo_tenant, ann, bao):
    assert logins(facts.group_members(["buyers"])) == ["bao", "dan"]
    assert logins(facts.post_holders(["cashier"])) == ["chi"]
    assert logins(facts.managers_above(ann.pk)) == ["bao", "admin"]


def test_a_working_calendar(facts):
    office = facts.working_time("office")
    friday_evening = datetime(2026, 3, 6, 9, 0, tzinfo=UTC)  # 17:00 in Shanghai
    assert office.add(friday_evening, 7200) == datetime(2026, 3, 9, 2, 0, tzinfo=UTC)
    assert facts.working_time("nothing") is None


# Who is away ---------------------------------------------------------------------------------

WAYS = {
    "login": lambda facts, bao: facts.people_by_login(["bao"]),
    "id": lambda facts, bao: facts.people_by_id([bao.pk]),
    "role": lambda facts, bao: facts.role_members(["designers"]),
    "group": lambda facts, bao: facts.group_members(["buyers"]),
    "members": lambda facts, bao: facts.department_members(["engineering"], deep=False),
    "below": lambda facts, bao: facts.department_members(["engineering"], deep=True),
    "line": lambda facts, bao: facts.line_of_department("engineering"),
    "managers": lambda facts, bao: facts.managers_above(User.objects.get(login="ann").pk),
}


@pytest.mark.parametrize("way", WAYS)
def test_that_nobody_is_away_costs_no_statement(facts, bao, way, django_assert_num_queries):
    WAYS[way](facts, bao)
    with django_assert_num_queries(0):
        assert facts.substitutes_of([bao.pk], "leave") == {}


@pytest.mark.parametrize("way", WAYS)
def test_who_is_away_is_found_whichever_way_he_was_read(facts, bao, chi, way):
    away(bao, chi)
    WAYS[way](facts, bao)
    assert facts.substitutes_of([bao.pk, chi.pk], "leave") == {bao.pk: chi.pk}


def test_substitutes_are_of_the_moment_the_process_and_the_tenant(
    demo_tenant, ann, bao, dan, eve, now
):
    away(ann, bao, process="leave")
    away(dan)
    away(eve)
    facts = Organisation(demo_tenant.pk, now)
    people = [ann.pk, dan.pk, eve.pk, bao.pk]
    assert facts.substitutes_of(people, "leave") == {ann.pk: bao.pk, dan.pk: 0}
    assert facts.substitutes_of(people, "expense") == {dan.pk: 0}
    later = Organisation(demo_tenant.pk, day(8))
    assert later.substitutes_of(people, "leave") == {}


def test_a_chain_can_be_followed_with_one_statement_a_step(
    facts, ann, bao, chi, django_assert_num_queries
):
    away(ann, bao)
    away(bao, chi)
    facts.people_by_id([ann.pk])
    with django_assert_num_queries(2):
        assert facts.substitutes_of([ann.pk], "leave") == {ann.pk: bao.pk}
        assert facts.substitutes_of([bao.pk], "leave") == {bao.pk: chi.pk}
        assert facts.substitutes_of([ann.pk, bao.pk], "leave") == {ann.pk: bao.pk, bao.pk: chi.pk}
