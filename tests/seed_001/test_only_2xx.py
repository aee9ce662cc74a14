"""P38, P39: only 2xx is success; whatever else comes fails alike, 410 and redirects included."""

from __future__ import annotations

import pytest

from notifications.models import Callback
from tests.notifications import posted
from tests.notifications.posted import answer, listening
from tests.outbound.receivers import Receiver
from tests.workflow.outside import reaching


def a_callback(ann, bao, url, now):
    posted.target(ann.tenant, url)
    request = posted.filed(ann, posted.lead(), now=now)
    posted.approve(bao, request, now=now)
    return posted.only()


@pytest.mark.parametrize("status", [301, 302, 307, 400, 404, 410, 429, 500, 503])
def test_every_other_status_fails_alike(ann, bao, now, status):
    head = "Location: http://169.254.169.254/\r\nRetry-After: 99999999\r\nSet-Cookie: a=b\r\n"
    with listening(answer(status, head=head)) as receiver:
        row = a_callback(ann, bao, receiver.url, now)
        posted.go(now)
        assert (posted.only().status, posted.only().result) == ("PENDING", f"HTTP_{status}")
        posted.fail_for_good(now)
        assert len(receiver.heard) == receiver.connections == 5
    row.refresh_from_db()
    assert (row.status, row.attempts, row.result) == ("FAILED", 5, f"HTTP_{status}")


@pytest.mark.parametrize("status", [200, 201, 204, 299])
def test_every_2xx_is_success_whatever_it_says(ann, bao, now, status):
    body = b"" if status == 204 else b'{"code": 1, "message": "refused"}'
    with listening(answer(status, body)) as receiver:
        a_callback(ann, bao, receiver.url, now)
        assert posted.go(now) == 1
        assert posted.go(posted.later(now)) == 0
        assert len(receiver.heard) == 1
    assert (posted.only().status, posted.only().attempts) == ("SUCCEEDED", 1)


def test_network_errors_fail_too(ann, bao, now):
    def hang_up(_receiver, opened):
        opened.close()

    with Receiver(hang_up) as receiver, reaching(receiver):
        a_callback(ann, bao, receiver.url, now)
        posted.go(now)
    assert posted.only().result in {"CONNECTION", "PROTOCOL"}
    assert posted.only().status == "PENDING"


def test_an_address_that_may_not_be_reached_is_a_failure_like_any_other(ann, bao, now):
    with Receiver(lambda *_: None) as receiver:
        a_callback(ann, bao, receiver.url, now)
        posted.fail_for_good(now)
        assert receiver.connections == 0
    row = posted.only()
    assert (row.status, row.result, row.attempts) == ("FAILED", "NOT_ALLOWED", 5)


def test_a_receiver_that_hangs_is_left_after_its_time(ann, bao, now, brief):
    with Receiver(posted.hang) as receiver, reaching(receiver):
        a_callback(ann, bao, receiver.url, now)
        posted.go(now)
    assert Callback.objects.get().result == "TIMEOUT"
