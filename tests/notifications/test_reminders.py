"""Reminders beyond the default: before, after, again and again, other people, working time."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from notifications.actions.reminding import send_due
from notifications.models import Notice
from tests.acceptance.acting import ALL_ACTS, approve, filed, give, human, task_of
from tests.directory.rows import a_calendar
from tests.notifications.told import reminders, to
from workflow.engine import commands

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
FRIDAY = datetime(2026, 3, 6, 16, 0, tzinfo=UTC)


def timed(*remind, after=120, **deadline):
    rule = {"after": after, "remind": list(remind), **deadline}
    return human("lead", "bao", deadline=rule, acts=ALL_ACTS)


def sent(user):
    rows = Notice.objects.filter(receiver=user, kind="timeout", status="SENT").order_by("sent_at")
    return list(rows.values_list("sent_at", flat=True))


def test_each_moment_once_and_to_whom_it_is_for(ann, bao, dan, now):
    """Before, when due, and twice more afterwards; the last one is the row itself."""
    step = timed(
        {"before": "PT30M", "to": ["holder"]},
        {"to": ["holder", "initiator"]},
        {"after": "PT3H", "every": "PT1H", "max": 2, "to": ["managers"]},
    )
    managers = {"any_of": [{"by": "user", "ids": ["dan"]}]}
    filed(ann, step, managers=managers, now=now)
    for minutes in range(0, 600, 10):
        send_due(now + minutes * MINUTE)
    assert sent(bao) == [now + 90 * MINUTE, now + 2 * HOUR]
    assert sent(ann) == [now + 2 * HOUR]
    assert sent(dan) == [now + 3 * HOUR, now + 4 * HOUR]
    [row] = reminders()
    assert (row.status, row.receiver, row.later) == ("SENT", dan, None)


def test_moments_that_were_missed_are_one_reminder(ann, bao, now):
    """After an outage of hours nobody gets a dozen at once (bug report 03)."""
    filed(ann, timed({"every": "PT10M", "max": 20}, after=60), now=now)
    late = now + 2 * HOUR + 5 * MINUTE
    assert send_due(late) == 1
    assert sent(bao) == [late]
    assert reminders()[0].scheduled_at == now + 2 * HOUR + 10 * MINUTE


def test_the_end_of_the_task_ends_them(ann, bao, now):
    instance = filed(ann, timed({"every": "PT10M", "max": 20}, after=60), now=now)
    assert send_due(now + HOUR) == 1
    approve(bao, instance, now=now + HOUR)
    assert send_due(now + 2 * HOUR) == 0
    assert [row.status for row in reminders()] == ["CANCELLED"]
    assert sent(bao) == [now + HOUR]


def test_a_transfer_goes_on_with_what_is_left(ann, bao, chi, now):
    instance = filed(ann, timed({"every": "PT10M", "max": 3}, after=60), now=now)
    send_due(now + HOUR)
    give(task_of(bao, instance), bao, commands.Transfer, to=chi.pk, now=now + HOUR)
    for minutes in (61, 70, 80, 90):
        send_due(now + minutes * MINUTE)
    assert sent(chi) == [now + 70 * MINUTE, now + 80 * MINUTE]


def test_counted_from_the_assignment_a_transfer_begins_anew(ann, bao, chi, now):
    instance = filed(ann, timed({}, after=60, count_from="assignment"), now=now)
    give(task_of(bao, instance), bao, commands.Transfer, to=chi.pk, now=now + HOUR / 2)
    assert send_due(now + HOUR) == 0
    assert send_due(now + HOUR * 3 / 2) == 1
    assert (len(to(bao, "timeout")), len(to(chi, "timeout"))) == (0, 1)


def test_without_any_manager_it_waits_and_keeps_nobody_up(ann, bao, now):
    """What cannot be sent now does not hold up what is behind it."""
    filed(ann, timed({"to": ["managers"]}, after=60), now=now)
    filed(ann, timed({}, after=61), key="other", now=now)
    assert send_due(now + 61 * MINUTE) == 1
    assert len(to(bao, "timeout")) == 1
    assert reminders(status="PENDING")[0].scheduled_at == now + 61 * MINUTE + timedelta(seconds=10)


def test_working_time(ann, bao, demo_tenant):
    """Acceptance 60: a Friday task does not use up its reminders at the weekend."""
    hours = {day: [["09:00", "17:00"]] for day in ("mon", "tue", "wed", "thu", "fri")}
    days = ((date(2026, 3, 10), False, None),)
    a_calendar(demo_tenant, "shop", zone="UTC", hours=hours, days=days)
    rules = {"before": "PT1H"}, {"every": "PT4H", "max": 3}
    filed(ann, timed(*rules, clock="shop"), now=FRIDAY)
    for hour in range(24 * 7):
        send_due(FRIDAY + hour * HOUR)
    assert sent(bao) == [
        datetime(2026, 3, 6, 17, tzinfo=UTC),
        datetime(2026, 3, 9, 10, tzinfo=UTC),
        datetime(2026, 3, 9, 14, tzinfo=UTC),
        datetime(2026, 3, 11, 10, tzinfo=UTC),
    ]
