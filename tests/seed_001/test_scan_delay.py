"""P34: a round begins so many milliseconds after the last one *ended*, whoever ticks."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import connections

from flowadmin.coordination import rounds
from flowadmin.coordination.models import Round
from notifications.actions import reminding

SECOND = timedelta(seconds=1)
PAUSE = 10 * SECOND


def test_the_pause_counts_from_the_end_of_a_slow_round(db, now):
    token = rounds.begin("r", now, PAUSE)
    assert token is not None
    assert rounds.begin("r", now + 9 * SECOND, PAUSE) is None, "it is going on"
    assert rounds.end("r", token, now + 12 * SECOND)
    assert rounds.begin("r", now + 21 * SECOND, PAUSE) is None
    assert rounds.begin("r", now + 22 * SECOND, PAUSE) == token + 1


def test_a_killed_round_is_taken_over_and_its_end_says_nothing(db, now):
    lost = rounds.begin("r", now, PAUSE)
    assert lost is not None
    assert rounds.begin("r", now + rounds.LEASE - SECOND, PAUSE) is None
    again = rounds.begin("r", now + rounds.LEASE, PAUSE)
    assert again is not None
    assert again == lost + 1
    assert not rounds.end("r", lost, now + rounds.LEASE)
    assert Round.objects.get(pk="r").until is not None


@pytest.mark.parametrize("back", [timedelta(hours=1), timedelta(days=365)])
def test_a_clock_that_was_set_back_holds_nothing_up(db, now, back):
    token = rounds.begin("r", now, PAUSE)
    assert token is not None
    rounds.end("r", token, now)
    assert rounds.begin("r", now - back, PAUSE) == token + 1
    assert rounds.begin("r", now - 2 * back, PAUSE) == token + 2, "in the middle of a round, too"


def test_a_round_that_fails_ends_too(db, now, monkeypatch):
    def fail(_now):
        raise RuntimeError("broken")

    monkeypatch.setattr(reminding, "send_due", fail)
    with pytest.raises(RuntimeError):
        reminding.go_round(lambda: now, PAUSE)
    assert Round.objects.get(pk=reminding.NAME).until is None
    assert reminding.go_round(lambda: now + 9 * SECOND, PAUSE) == 0


@pytest.mark.django_db(transaction=True)
def test_three_schedulers_at_once_begin_one_round(now):
    gate, begun = threading.Barrier(3), []

    def tick():
        try:
            gate.wait()
            begun.append(rounds.begin("r", now, PAUSE))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=tick) for _each in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(each for each in begun if each is not None) == [1]
