"""P40: five attempts, 30, 60, 120 and 240 seconds after each failure, and then FAILED."""

from __future__ import annotations

from datetime import timedelta

from tests.notifications import posted
from tests.notifications.posted import answer, listening


def test_no_request_earlier_than_the_schedule(ann, bao, now):
    with listening(answer(503, head="Retry-After: 1\r\n")) as receiver:
        posted.target(ann.tenant, receiver.url)
        request = posted.filed(ann, posted.lead(), now=now)
        posted.approve(bao, request, now=now)
        moment = now
        for number, wait in enumerate((30, 60, 120, 240), start=1):
            assert posted.go(moment) == 1
            row = posted.only()
            assert (row.status, row.result, row.attempts) == ("PENDING", "HTTP_503", number)
            assert row.next_attempt_at == moment + timedelta(seconds=wait)
            assert posted.go(row.next_attempt_at - timedelta(microseconds=1)) == 0
            assert len(receiver.heard) == number
            moment = row.next_attempt_at
        assert posted.go(moment) == 1
        row = posted.only()
        assert (row.status, row.attempts, row.next_attempt_at) == ("FAILED", 5, None)
        assert posted.go(moment + timedelta(days=30)) == 0
        assert len(receiver.heard) == 5


def test_it_gets_through_when_the_receiver_is_back(ann, bao, now):
    with listening(answer(503), answer(503), answer(204)) as receiver:
        posted.target(ann.tenant, receiver.url)
        request = posted.filed(ann, posted.lead(), now=now)
        posted.approve(bao, request, now=now)
        posted.fail_for_good(now)
        assert len(receiver.heard) == 3
    row = posted.only()
    assert (row.status, row.result, row.attempts) == ("SUCCEEDED", "HTTP_204", 3)
    assert posted.attempts(row) == ["HTTP_503", "HTTP_503", "HTTP_204"]
