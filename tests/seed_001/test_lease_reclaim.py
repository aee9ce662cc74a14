"""P41: sixty seconds, a conditional UPDATE, and after a crash somebody else goes on."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.db import connections

from notifications.actions import callbacks, delivering
from notifications.actions.callbacks import LEASE
from notifications.models import Callback
from tests.notifications import posted
from tests.workflow import flows


def pending(ann, now, **members):
    flows.publish(ann, flows.a_document(), now=now)
    values = {"status": "PENDING", "attempts": 0, "next_attempt_at": now} | members
    return posted.failed(flows.start(ann, now=now), **values)


def test_killed_at_each_of_five_attempts(ann, now):
    row = pending(ann, now)
    moment = now
    for number in range(1, 6):
        assert callbacks.claim(row.pk, "killed", moment) is not None
        assert posted.only().attempts == number
        early = moment + LEASE - timedelta(microseconds=1)
        assert callbacks.claim(row.pk, "other", early) is None
        assert delivering.due(early) == []
        moment += LEASE
        assert delivering.due(moment) == [(row.pk, row.host)]
    # Nobody knows what came of the fifth: it is no sixth attempt, it has failed.
    assert callbacks.claim(row.pk, "other", moment) is None
    row.refresh_from_db()
    assert (row.status, row.result, row.attempts) == ("FAILED", "UNKNOWN", 5)
    assert posted.attempts(row) == ["STARTED"] * 5
    callbacks.retry_manually(callback=row, user=ann, now=moment)
    for _ in range(5):
        assert callbacks.claim(row.pk, "killed", moment) is not None
        moment += LEASE
    assert callbacks.claim(row.pk, "other", moment) is None
    assert posted.only().attempts == 10


def test_a_lease_without_an_end_is_taken_over(ann, now):
    row = pending(ann, now, status="LEASED", lease_until=None, attempts=2)
    assert callbacks.claim(row.pk, "one", now).callback.attempts == 3


def test_a_clock_that_was_set_back_holds_nothing_up(ann, now):
    row = pending(ann, now + timedelta(days=1))
    assert delivering.go_round(lambda: now, posted.PAUSE, "one") == 0
    assert posted.due_at(row) == now + timedelta(seconds=240)
    Callback.objects.update(status="LEASED", lease_until=now + timedelta(days=1))
    later = posted.later(now)
    delivering.go_round(lambda: later, posted.PAUSE, "one")
    assert posted.only().lease_until == later + LEASE


@pytest.mark.django_db(transaction=True)
def test_eight_workers_on_sixty_rows_claim_each_once(ann, now):
    row = pending(ann, now)
    Callback.objects.bulk_create(
        Callback(
            **{name: getattr(row, name) for name in COPIED}, event_id=f"evt_x{number}"
        )
        for number in range(59)
    )  # fmt: skip
    won: list[int] = []
    together = threading.Barrier(8)

    def work():
        try:
            together.wait()
            rows = Callback.objects.order_by("pk").values_list("pk", flat=True)
            won.extend(pk for pk in rows if callbacks.claim(pk, "one", now) is not None)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == sorted(Callback.objects.values_list("pk", flat=True))
    assert set(Callback.objects.values_list("attempts", "token", "status")) == {(1, 1, "LEASED")}


COPIED = (
    "tenant", "initiator", "instance", "status", "target_url", "host", "payload", "attempts",
    "next_attempt_at", "created_at", "updated_at",
)  # fmt: skip
