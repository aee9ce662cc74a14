"""When a message may go outside: quiet hours, quiet days, digests, and clocks that are set."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notifications.hours import DAY, LONGEST_WAIT, Hours, is_quiet, may_go_at

ZONES = [
    ZoneInfo(name)
    for name in (
        "UTC", "Asia/Shanghai", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe",
        "America/Sao_Paulo", "Pacific/Apia", "Africa/Casablanca",
    )
]  # fmt: skip
BERLIN = ZoneInfo("Europe/Berlin")
NIGHT = Hours(quiet_from=22 * 60, quiet_to=7 * 60)


def at(text, zone=BERLIN):
    return datetime.fromisoformat(text).replace(tzinfo=zone)


@st.composite
def some_hours(draw):
    window = draw(st.none() | st.tuples(st.integers(0, DAY - 1), st.integers(0, DAY - 1)))
    if window is not None and window[0] == window[1]:
        window = None
    return Hours(
        quiet_from=window[0] if window else None,
        quiet_to=window[1] if window else None,
        quiet_days=frozenset(draw(st.sets(st.integers(0, 6), max_size=6))),
        digest=draw(st.sampled_from(["none", "hourly", "daily"])),
        digest_hour=draw(st.integers(0, 23)),
    )


MOMENTS = st.datetimes(datetime(2011, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC))


@settings(max_examples=400, deadline=None)
@given(some_hours(), MOMENTS, st.integers(0, 20_000), st.sampled_from(ZONES))
def test_it_goes_when_nothing_is_against_it_and_no_later(hours, created, minutes, zone):
    """Never in quiet, never before now, never for ever; and it goes then when asked again."""
    now = created + timedelta(minutes=minutes)
    moment = may_go_at(hours, created, now, zone)
    assert moment >= now
    assert not is_quiet(hours, moment, zone)
    assert moment - now <= LONGEST_WAIT
    assert may_go_at(hours, created, moment, zone) == moment
    if hours.digest == "none" and moment > now:
        # Everything between is quiet: it did not wait longer than it had to.
        step = (moment - now) / 50
        assert all(is_quiet(hours, now + step * part, zone) for part in range(50))


def test_at_once_when_nothing_was_chosen():
    now = at("2026-03-02T23:30")
    assert may_go_at(Hours(), now, now, BERLIN) == now


def test_a_night_goes_over_midnight():
    for evening in ("2026-03-02T22:00", "2026-03-02T23:59", "2026-03-03T06:59"):
        now = at(evening)
        assert may_go_at(NIGHT, now, now, BERLIN) == at("2026-03-03T07:00")
    for awake in ("2026-03-02T21:59", "2026-03-03T07:00"):
        assert may_go_at(NIGHT, at(awake), at(awake), BERLIN) == at(awake)


def test_quiet_days_join_the_nights_around_them():
    weekend = Hours(quiet_from=22 * 60, quiet_to=7 * 60, quiet_days=frozenset({5, 6}))
    friday = at("2026-03-06T22:30")
    assert may_go_at(weekend, friday, friday, BERLIN) == at("2026-03-09T07:00")


def test_the_end_of_quiet_that_clocks_leave_out():
    """02:30 does not exist on this night: quiet ends when the clocks have gone over it."""
    hours = Hours(quiet_from=22 * 60, quiet_to=2 * 60 + 30)
    now = at("2026-03-28T23:00")
    moment = may_go_at(hours, now, now, BERLIN)
    assert moment == datetime(2026, 3, 29, 1, 0, tzinfo=UTC), "03:00 by the clock, just set"


def test_an_hour_that_comes_twice():
    """02:30 comes twice; in the first hour it ends quiet, in the second quiet comes again."""
    hours = Hours(quiet_from=2 * 60, quiet_to=2 * 60 + 30)
    first = datetime(2026, 10, 25, 0, 10, tzinfo=UTC)  # 02:10, summer time
    assert may_go_at(hours, first, first, BERLIN) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    second = datetime(2026, 10, 25, 1, 10, tzinfo=UTC)  # 02:10, winter time
    assert may_go_at(hours, second, second, BERLIN) == datetime(2026, 10, 25, 1, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("hours", "created", "goes"),
    [
        (Hours(digest="hourly"), "2026-03-02T09:00:01", "2026-03-02T10:00"),
        (Hours(digest="hourly"), "2026-03-02T09:59:59", "2026-03-02T10:00"),
        (Hours(digest="daily", digest_hour=8), "2026-03-02T07:59", "2026-03-02T08:00"),
        (Hours(digest="daily", digest_hour=8), "2026-03-02T08:00", "2026-03-03T08:00"),
        (Hours(digest="daily", digest_hour=8), "2026-03-28T09:00", "2026-03-29T08:00"),
        (
            Hours(quiet_days=frozenset({5, 6}), digest="daily", digest_hour=8),
            "2026-03-06T09:00",
            "2026-03-09T00:00",
        ),
    ],
)
def test_digests(hours, created, goes):
    moment = at(created)
    assert may_go_at(hours, moment, moment, BERLIN) == at(goes)
    late = at(goes) + timedelta(minutes=40)
    assert may_go_at(hours, moment, late, BERLIN) == late, "missed by a worker that was away"


def test_half_hours_of_a_zone():
    kolkata = ZoneInfo("Asia/Kolkata")
    created = at("2026-03-02T09:10", kolkata)
    assert may_go_at(Hours(digest="hourly"), created, created, kolkata) == at(
        "2026-03-02T10:00", kolkata
    )


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("quiet_days", {"quiet_days": frozenset(range(7))}),
        ("quiet_days", {"quiet_days": frozenset({7})}),
        ("quiet_to", {"quiet_from": 5}),
        ("quiet_from", {"quiet_from": 5, "quiet_to": 5}),
        ("quiet_from", {"quiet_from": 5, "quiet_to": DAY}),
        ("digest", {"digest": "weekly"}),
        ("digest", {"digest_hour": 24}),
    ],
)
def test_what_would_let_nothing_through_is_no_choice(field, given):
    with pytest.raises(ValueError, match=f"^{field}$"):
        Hours(**given)
