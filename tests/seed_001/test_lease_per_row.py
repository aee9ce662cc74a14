"""P36: a row is leased when a thread takes it, never with others, and at most twenty a round."""

from __future__ import annotations

import threading

import pytest
from django.db import connections

from notifications.actions import delivering
from notifications.models import Callback
from tests.notifications import posted
from tests.outbound.receivers import Receiver
from tests.workflow import flows
from tests.workflow.outside import reaching

pytestmark = pytest.mark.django_db(transaction=True)


def twenty(ann, now, url):
    flows.publish(ann, flows.a_document(), now=now)
    members = {
        "status": "PENDING", "attempts": 0, "next_attempt_at": now, "target_url": url,
    }  # fmt: skip
    first = posted.failed(flows.start(ann, now=now), **members)
    rows = []
    for number in range(19):
        row = Callback.objects.get(pk=first.pk)
        row.pk, row.event_id = None, f"evt_n{number}"
        rows.append(row)
    Callback.objects.bulk_create(rows)


def test_twenty_to_a_receiver_that_hangs_and_two_workers(ann, now, brief):
    """Nothing is sent twice, and no attempt is counted without a request."""
    leased = []

    def hang(receiver, opened):
        receiver.read(opened)
        try:
            leased.append(Callback.objects.filter(status="LEASED").count())
        finally:
            connections.close_all()
        receiver.stopped.wait(5)

    with Receiver(hang) as receiver, reaching(receiver):
        twenty(ann, now, receiver.url)
        together = threading.Barrier(2)

        def work():
            try:
                together.wait()
                for pk, _host in delivering.due(now):
                    delivering.attempt(pk, "one", lambda: now)
            finally:
                connections.close_all()

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert receiver.connections == len(receiver.heard) == 20
    assert set(Callback.objects.values_list("attempts", "result")) == {(1, "TIMEOUT")}
    assert max(leased) <= 2, "only what a thread has in hand is leased"


def test_a_round_of_two_threads_loses_and_doubles_nothing(ann, now):
    with posted.listening(posted.answer(200)) as receiver:
        twenty(ann, now, receiver.url)
        Callback.objects.filter(event_id="evt_n0").update(next_attempt_at=posted.later(now, 1))
        assert posted.go(now) == 19
        assert len(receiver.heard) == 19
        assert len({posted.heard(receiver, n)[1]["x-flow-event-id"] for n in range(19)}) == 19
    assert Callback.objects.filter(status="SUCCEEDED", attempts=1).count() == 19
