"""P35: reminders and callbacks have two threads of their own, in a cluster a queue."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import chain, repeat
from typing import Any

import pytest

from flowadmin.coordination import rounds
from flowadmin.periodic import DELIVERY, PERIODIC, THREADS, beat_schedule
from notifications.actions import delivering, reminding
from notifications.models import Callback
from tests.notifications import posted
from tests.outbound.receivers import Receiver
from tests.workflow import flows
from tests.workflow.outside import reaching


def test_a_queue_with_two_threads_and_no_other_job():
    assert THREADS[DELIVERY] == delivering.THREADS == 2
    jobs = [job for job in PERIODIC if job.queue == DELIVERY]
    assert {job.name for job in jobs} == {"scan-reminders", "scan-callbacks"}
    assert {job.task.partition(".")[0] for job in jobs} == {"notifications"}
    for name in ("scan-reminders", "scan-callbacks"):
        options: Any = beat_schedule()[name]["options"]
        assert options["queue"] == "delivery"


def test_a_round_takes_a_hundred_reminders_or_twenty_callbacks():
    assert reminding.ROUND == 100
    assert delivering.ROUND == 20


@pytest.fixture
def waiting(ann, now):
    """`waiting(host, number)` makes so many due events for a receiver."""
    flows.publish(ann, flows.a_document(), now=now)
    first = posted.failed(flows.start(ann, now=now), status="PENDING", next_attempt_at=now)
    Callback.objects.update(next_attempt_at=now + timedelta(days=1), max_attempts=99)

    def made(host, number, **members):
        rows = []
        for place in range(number):
            row = Callback.objects.get(pk=first.pk)
            row.pk, row.event_id, row.host = None, f"evt_{host[-9:]}_{place}", host
            row.target_url, row.next_attempt_at = f"{host}/", now
            for name, value in members.items():
                setattr(row, name, value)
            rows.append(row)
        Callback.objects.bulk_create(rows)

    return made


def hosts(now):
    return [host for _pk, host in delivering.due(now)]


def test_receivers_take_turns(waiting, now):
    waiting("http://dead", 300, result="TIMEOUT")
    waiting("http://slow", 2, next_attempt_at=now)
    waiting("http://new", 1)
    found = hosts(now)
    assert len(found) == 20
    assert found[:5] == [
        "http://slow", "http://new", "http://dead", "http://slow", "http://dead",
    ]  # fmt: skip


def test_a_receiver_that_hangs_costs_a_round_one_attempt(waiting, now):
    turn = delivering.Turn([(1, "dead"), (2, "dead"), (3, "dead"), (4, "well"), (5, "well")])
    assert turn.take() == (1, "dead")
    # While one thread waits for it, the other one takes what is for others.
    assert turn.take() == (4, "well")
    turn.give_back("well", hung=False)
    assert turn.take() == (5, "well")
    turn.give_back("dead", hung=True)
    turn.give_back("well", hung=False)
    assert turn.take() is None


@pytest.mark.django_db(transaction=True)
def test_nobody_waits_for_the_dead(waiting, now, brief):
    with (
        Receiver(posted.hang) as dead,
        posted.listening(posted.answer(200)) as well,
        reaching(dead, well),
    ):
        waiting(dead.url, 15)
        waiting(well.url, 5)
        posted.go(now)
        assert len(well.heard) == 5
        assert 1 <= dead.connections <= 2


def test_a_thread_looks_after_reminders_before_each_callback(waiting, now):
    seen = []
    with posted.listening(posted.answer(200)) as receiver:
        waiting(receiver.url, 1)
        delivering.go_round(
            lambda: now, posted.PAUSE, "one", lambda: seen.append(len(receiver.heard))
        )
    assert seen == [0, 1]


def test_the_next_round_is_ten_seconds_after_the_end_of_the_last(waiting, now):
    with posted.listening(posted.answer(200)) as receiver:
        waiting(receiver.url, 1)
        assert posted.go(now) == 1
        waiting(receiver.url + "/x", 1)
        assert posted.go(now + posted.PAUSE - timedelta(seconds=1)) == 0
        assert posted.go(now + posted.PAUSE) == 1


def test_a_round_that_was_lost_goes_no_further(waiting, now, monkeypatch):
    # Nobody can take a round over within its first seconds, so it is asked behind them.
    moments = chain([now], repeat(now + delivering.KEPT_FOR))
    with posted.listening(posted.answer(200)) as receiver:
        waiting(receiver.url, 1)
        monkeypatch.setattr(rounds, "keep", lambda *_: False)
        assert delivering.go_round(lambda: next(moments), posted.PAUSE, "one") == 0
        assert receiver.connections == 0


def test_a_round_is_kept_long_before_its_lease_is_out(now, monkeypatch):
    kept: list[datetime] = []

    def keep(_name: str, _token: int, at: datetime) -> bool:
        kept.append(at)
        return True

    monkeypatch.setattr(rounds, "keep", keep)
    hold = delivering.Hold(7, now)
    for seconds in (0, 4, 5, 9, 10, 3):  # the last one: the clock was set back
        assert hold.lasts(now + timedelta(seconds=seconds))
    assert kept == [now + timedelta(seconds=seconds) for seconds in (5, 10, 3)]
    assert 2 * delivering.KEPT_FOR < rounds.LEASE
