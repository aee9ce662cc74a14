"""Working time is counted in hours that are worked, in the zone where they are."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flowadmin.directory.working_time import (
    FARTHEST,
    SPANS_A_DAY,
    WEEK,
    BadHours,
    NoWorkingHours,
    WorkingTime,
    hours_from_text,
    read_hours,
    read_week,
    text_of_hours,
    usual_hours,
)

SHANGHAI = ZoneInfo("Asia/Shanghai")
BERLIN = ZoneInfo("Europe/Berlin")
OFFICE = read_week({day: [["09:00", "12:00"], ["13:00", "18:00"]] for day in WEEK[:5]})
NIGHTS = read_week({day: [["00:00", "06:00"]] for day in WEEK})
HOUR = 3600


def local(text, zone=SHANGHAI):
    return datetime.fromisoformat(text).replace(tzinfo=zone)


def after(start, hours, *, week=OFFICE, days=None, zone=SHANGHAI):
    """Where so many working hours end, as the clocks of the zone show it."""
    moment = WorkingTime(zone, week, days or {}).add(local(start, zone), round(hours * HOUR))
    assert moment.tzinfo is UTC
    return moment.astimezone(zone).replace(tzinfo=None).isoformat(" ", "minutes")


@pytest.mark.parametrize(
    ("start", "hours", "end"),
    [
        ("2026-03-02 09:00", 1, "2026-03-02 10:00"),
        ("2026-03-02 11:30", 1, "2026-03-02 13:30"),  # over lunch
        ("2026-03-02 12:30", 1, "2026-03-02 14:00"),  # from within lunch
        ("2026-03-02 03:00", 1, "2026-03-02 10:00"),  # before the office opens
        ("2026-03-02 10:00", 7, "2026-03-02 18:00"),  # used up exactly: there, not next morning
        ("2026-03-02 10:00", 8, "2026-03-03 10:00"),
        ("2026-03-06 17:00", 2, "2026-03-09 10:00"),  # approvals.md 4.5, test 60
        ("2026-03-06 22:00", 1, "2026-03-09 10:00"),
        ("2026-03-07 11:00", 8, "2026-03-09 18:00"),
        ("2026-03-02 09:00", 40, "2026-03-06 18:00"),
        ("2026-03-07 11:00", 0, "2026-03-07 11:00"),
    ],
)
def test_only_office_hours_count(start, hours, end):
    assert after(start, hours) == end


def test_a_friday_task_keeps_its_whole_time_over_the_weekend():
    """Test 60: three reminders every two hours, asked on Friday at 17:00, come on Monday."""
    times = [after("2026-03-06 17:00", hours) for hours in (1, 3, 5)]
    assert times == ["2026-03-06 18:00", "2026-03-09 11:00", "2026-03-09 14:00"]


def test_holidays_and_make_up_days_count():
    """Test 61: Thursday and Friday are a holiday, and Saturday is worked in their place."""
    days = {
        date(2026, 10, 1): (),
        date(2026, 10, 2): (),
        date(2026, 10, 3): usual_hours(OFFICE, date(2026, 10, 3)),
    }
    assert after("2026-09-30 17:00", 2, days=days) == "2026-10-03 10:00"
    assert after("2026-09-30 17:00", 2) == "2026-10-01 10:00"
    assert after("2026-10-03 17:00", 2, days=days) == "2026-10-05 10:00"


def test_a_date_may_have_hours_of_its_own():
    days = {date(2026, 12, 31): read_hours([["09:00", "11:00"]])}
    assert after("2026-12-31 10:00", 2, days=days) == "2027-01-01 10:00"


def test_a_make_up_day_has_the_hours_of_its_weekday_or_of_the_first_working_day():
    week = read_week({"tue": [["08:00", "16:00"]], "wed": [["10:00", "14:00"]]})
    assert usual_hours(week, date(2026, 3, 4)) == ((600, 840),)
    assert usual_hours(week, date(2026, 3, 7)) == ((480, 960),)


def test_the_zone_decides_which_day_it_is():
    """Sunday evening in New York is Monday morning in Shanghai."""
    start = datetime(2026, 3, 1, 20, 30, tzinfo=ZoneInfo("America/New_York"))
    found = WorkingTime(SHANGHAI, OFFICE).add(start, HOUR)
    assert found == datetime(2026, 3, 2, 2, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("start", "hours", "end"),
    [
        # Forward at 02:00 on 29 March 2026: the night has five hours, not six.
        ("2026-03-29 00:00", 5, "2026-03-29 06:00"),
        ("2026-03-29 00:00", 5.5, "2026-03-30 00:30"),
        # Back at 03:00 on 25 October 2026: the night has seven.
        ("2026-10-25 00:00", 7, "2026-10-25 06:00"),
        ("2026-10-25 00:00", 6, "2026-10-25 05:00"),
        ("2026-10-26 00:00", 6, "2026-10-26 06:00"),
    ],
)
def test_a_night_on_which_clocks_change_has_the_hours_that_pass(start, hours, end):
    assert after(start, hours, week=NIGHTS, zone=BERLIN) == end


def test_office_hours_stay_where_they_are_when_clocks_change():
    """Eight hours from Friday noon end on Monday noon, though the weekend has 47 hours."""
    friday = "2026-03-27 12:00"
    assert after(friday, 8, zone=BERLIN) == "2026-03-30 12:00"
    passed = local("2026-03-30 12:00", BERLIN).astimezone(UTC) - local(friday, BERLIN)
    assert passed == timedelta(hours=71)


def test_spans_inside_the_jumped_hour_are_empty_and_nothing_counts_twice():
    inside = read_week({"sun": [["02:10", "02:50"], ["03:00", "04:00"]]})
    assert after("2026-03-29 00:00", 1, week=inside, zone=BERLIN) == "2026-03-29 04:00"
    twice = read_week({"sun": [["01:00", "02:30"], ["02:30", "04:00"]]})
    assert after("2026-10-25 00:00", 4, week=twice, zone=BERLIN) == "2026-10-25 04:00"


def test_a_day_that_a_zone_left_out_has_no_hours():
    """Samoa had no 30 December 2011, which would have been a Friday."""
    apia = ZoneInfo("Pacific/Apia")
    assert after("2011-12-29 17:00", 2, zone=apia) == "2012-01-02 10:00"


def test_midnight_can_be_an_end():
    late = read_week({"fri": [["22:00", "24:00"]], "sat": [["00:00", "02:00"]]})
    assert after("2026-03-06 23:00", 2, week=late) == "2026-03-07 01:00"


def test_a_calendar_without_enough_hours_says_so_and_ends():
    holidays = {date(2026, 3, 2) + timedelta(days=n): () for n in range(FARTHEST + 8)}
    with pytest.raises(NoWorkingHours) as caught:
        WorkingTime(SHANGHAI, OFFICE, holidays).add(local("2026-03-02 09:00"), 1)
    assert caught.value.code == "calendar.no_hours"
    minute = read_week({"mon": [["09:00", "09:01"]]})
    with pytest.raises(NoWorkingHours):
        WorkingTime(SHANGHAI, minute).add(local("2026-03-02 09:00"), 525_600 * 60)
    with pytest.raises(NoWorkingHours):
        WorkingTime(SHANGHAI, OFFICE).add(datetime(9999, 12, 30, tzinfo=UTC), 100 * HOUR)
    # A whole year of minutes, the longest deadline, fits into an ordinary office.
    assert after("2026-03-02 09:00", 8760) == "2030-05-10 18:00"


def test_a_naive_moment_and_negative_seconds_are_refused():
    calendar = WorkingTime(SHANGHAI, OFFICE)
    for start, seconds in ((datetime(2026, 3, 2), 1), (local("2026-03-02 09:00"), -1)):
        with pytest.raises(ValueError, match="aware"):
            calendar.add(start, seconds)


# Properties ----------------------------------------------------------------------------------


@st.composite
def hours_of_a_day(draw):
    marks = sorted(draw(st.sets(st.integers(0, 1440), max_size=6)))
    return tuple(zip(marks[::2], marks[1::2], strict=False))


@st.composite
def calendars(draw):
    zones = ["Asia/Shanghai", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"]
    week = tuple(draw(st.lists(hours_of_a_day(), min_size=7, max_size=7)))
    week = week if any(week) else OFFICE
    dates = st.dates(date(2026, 3, 1), date(2026, 11, 30))
    days = draw(st.dictionaries(dates, hours_of_a_day(), max_size=5))
    return WorkingTime(ZoneInfo(draw(st.sampled_from(zones))), week, days)


moments = st.datetimes(datetime(2026, 3, 1), datetime(2026, 11, 30), timezones=st.just(UTC))
seconds = st.integers(0, 200 * HOUR)


@given(calendars(), moments, seconds, seconds)
@settings(max_examples=300, deadline=None)
def test_two_steps_are_one(calendar, start, first, second):
    try:
        whole = calendar.add(start, first + second)
    except NoWorkingHours:
        return
    assert calendar.add(calendar.add(start, first), second) == whole
    assert whole >= start + timedelta(seconds=first + second)


@given(calendars(), moments, seconds)
@settings(max_examples=100, deadline=None)
def test_the_answer_is_the_earliest_moment_and_lies_in_hours(calendar, start, count):
    try:
        end = calendar.add(start, count)
        before = calendar.add(start, count - 1) if count else start
    except NoWorkingHours:
        return
    if count:
        assert before < end
        one_less = end - timedelta(seconds=1)
        minute = one_less.astimezone(calendar.zone)
        spans = calendar.hours_on(minute.date())
        assert any(begin <= minute.hour * 60 + minute.minute < until for begin, until in spans), (
            spans,
            minute,
        )
    else:
        assert end == start


# Reading hours -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("document", "code", "at"),
    [
        (None, "shape", ""),
        ([], "shape", ""),
        ("mon", "shape", ""),
        ({"funday": []}, "day", ""),
        ({"mon": {}}, "shape", "/mon"),
        ({"mon": [["09:00"]]}, "shape", "/mon/0"),
        ({"mon": [["09:00", "12:00", "13:00"]]}, "shape", "/mon/0"),
        ({"mon": ["09:00"]}, "shape", "/mon/0"),
        ({"mon": [["9:00", "12:00"]]}, "time", "/mon/0/0"),
        ({"mon": [["09:00", "12:60"]]}, "time", "/mon/0/1"),
        ({"mon": [["24:01", "24:00"]]}, "time", "/mon/0/0"),
        ({"mon": [["09:00\n", "12:00"]]}, "time", "/mon/0/0"),
        ({"mon": [["٠٩:00", "12:00"]]}, "time", "/mon/0/0"),
        ({"mon": [[9, 12]]}, "time", "/mon/0/0"),
        ({"mon": [["12:00", "09:00"]]}, "order", "/mon/0"),
        ({"mon": [["09:00", "09:00"]]}, "order", "/mon/0"),
        ({"mon": [["09:00", "12:00"], ["11:00", "13:00"]]}, "overlap", "/mon/1"),
        ({"mon": [["13:00", "18:00"], ["09:00", "12:00"]]}, "overlap", "/mon/1"),
        ({"tue": [["09:00", "09:01"]] * (SPANS_A_DAY + 1)}, "too_many", "/tue"),
        ({}, "empty", ""),
        ({"mon": [], "sun": []}, "empty", ""),
    ],
)
def test_bad_hours_are_named_with_their_position(document, code, at):
    with pytest.raises(BadHours) as caught:
        read_week(document)
    assert (caught.value.code, caught.value.at) == (code, at)


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("", []),
        ("  ", []),
        ("09:00-12:00", [["09:00", "12:00"]]),
        ("9:00 \u2013 12:00 , 13:00\u201424:00", [["09:00", "12:00"], ["13:00", "24:00"]]),
        ("9:00~12:00\uff0c13:00-18:00", [["09:00", "12:00"], ["13:00", "18:00"]]),
        ("9:00-12:00\uff1b13:00-18:00", [["09:00", "12:00"], ["13:00", "18:00"]]),
    ],
)
def test_hours_as_people_write_them(text, hours):
    assert hours_from_text(text) == hours
    assert hours_from_text(text_of_hours(hours)) == hours


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("9-12", "time"),
        ("09:00", "time"),
        ("09:00-12:00,", "time"),
        ("09:00-25:00", "time"),
        ("[[", "time"),
        ("12:00-09:00", "order"),
        ("09:00-12:00, 10:00-11:00", "overlap"),
    ],
)
def test_text_that_is_no_hours_is_refused(text, code):
    with pytest.raises(BadHours) as caught:
        hours_from_text(text)
    assert caught.value.code == code
