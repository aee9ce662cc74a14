"""Beat's silence is judged by one row and the database's clock."""

from __future__ import annotations

from datetime import timedelta

import pytest
from celery.beat import PersistentScheduler
from django.db import IntegrityError, transaction

from flowadmin import clock
from flowadmin.celery import app
from flowadmin.coordination import beat
from flowadmin.coordination.models import Heartbeat

pytestmark = pytest.mark.django_db

A_MOMENT = timedelta(microseconds=1)


def test_a_beat_that_never_ticked_is_silent(now):
    assert beat.is_silent(now)


def test_it_is_silent_after_three_periods_of_the_job_that_ticks_most_often(now):
    beat.mark(now)
    assert timedelta(seconds=15) == beat.SILENT_AFTER
    assert not beat.is_silent(now)
    assert not beat.is_silent(now + beat.SILENT_AFTER)
    assert beat.is_silent(now + beat.SILENT_AFTER + A_MOMENT)
    beat.mark(now + timedelta(hours=1))
    assert not beat.is_silent(now + timedelta(hours=1))
    assert Heartbeat.objects.count() == 1


def test_a_mark_from_the_future_tells_nothing(now):
    beat.mark(now + timedelta(hours=1))
    assert beat.is_silent(now)


def test_there_is_one_row(now):
    beat.mark(now)
    with pytest.raises(IntegrityError), transaction.atomic():
        Heartbeat.objects.create(id=2, ticked_at=now)


class Entry:
    """The least that a scheduler sends."""

    name = task = "workflow.jobs.run_due_steps"
    args = kwargs = ()
    options: dict[str, str] = {}


@pytest.fixture
def scheduler():
    return beat.MarkingScheduler(app, schedule_filename="never opened", lazy=True)


@pytest.fixture
def taken(monkeypatch):
    """What the broker took from Celery's own scheduler."""
    sent = []
    monkeypatch.setattr(
        PersistentScheduler,
        "apply_async",
        lambda _self, entry, **_options: sent.append(entry),
    )
    return sent


@pytest.mark.django_db(transaction=True)
def test_a_tick_that_the_broker_took_leaves_its_mark(scheduler, taken):
    before = clock.now()
    scheduler.apply_async(Entry)
    assert taken == [Entry]
    assert before <= Heartbeat.objects.get().ticked_at <= clock.now()


@pytest.mark.django_db(transaction=True)
def test_a_tick_that_the_broker_refused_leaves_none(scheduler, monkeypatch):
    def refuse(_self, _entry, **_options):
        raise ConnectionError

    monkeypatch.setattr(PersistentScheduler, "apply_async", refuse)
    with pytest.raises(ConnectionError):
        scheduler.apply_async(Entry)
    assert not Heartbeat.objects.exists()


def test_a_database_that_is_away_does_not_hold_back_a_tick(scheduler, taken, monkeypatch, caplog):
    def away(_now):
        raise IntegrityError

    monkeypatch.setattr(beat, "mark", away)
    monkeypatch.setattr(beat, "close_old_connections", lambda: None)
    scheduler.apply_async(Entry)
    assert taken == [Entry]
    assert "could not be marked (IntegrityError)" in caplog.text
