"""P43, P44: only the initiator, only what failed; the same event, five more, the count goes on."""

from __future__ import annotations

import pytest

from flowadmin.rest.problems import Problem
from notifications.actions import callbacks
from notifications.delivery import Outcome
from notifications.models import Callback
from tests.notifications import posted
from tests.notifications.posted import answer, listening
from tests.workflow import flows

FAILED = Outcome(ok=False, result="HTTP_500")


@pytest.fixture
def callback(ann, now):
    flows.publish(ann, flows.a_document(), now=now)
    return posted.failed(flows.start(ann, now=now))


def test_ten_attempts_after_the_second_round(ann, bao, api, now):
    with listening(answer(500)) as receiver:
        posted.target(ann.tenant, receiver.url)
        request = posted.filed(ann, posted.lead(), now=now)
        posted.approve(bao, request, now=now)
        end = posted.fail_for_good(now)
        kept = posted.only()
        again = api(ann).post(f"callbacks/{kept.pk}/actions/retry")
        assert (again.status_code, again.json()["state"]) == (200, "pending")
        assert again.json()["may_retry"] is False
        Callback.objects.update(next_attempt_at=end)  # the entrance has read a real clock
        posted.fail_for_good(posted.later(end))
        assert len(receiver.heard) == 10
    row = posted.only()
    assert (row.status, row.attempts) == ("FAILED", 10)
    fixed = ("event_id", "target_url", "payload", "host")
    assert [getattr(row, name) for name in fixed] == [getattr(kept, name) for name in fixed]
    assert posted.attempts(row) == ["HTTP_500"] * 5 + ["retry"] + ["HTTP_500"] * 5


@pytest.mark.parametrize("status", ["PENDING", "LEASED", "SUCCEEDED"])
def test_only_what_has_failed(callback, ann, api, status):
    Callback.objects.update(status=status)
    before = posted.everything()
    answered = api(ann).post(f"callbacks/{callback.pk}/actions/retry")
    assert (answered.status_code, answered.json()["code"]) == (409, "callback.not_failed")
    assert posted.everything() == before


def test_one_of_two_windows_is_told_that_it_is_under_way(callback, ann, now):
    seen = Callback.objects.get()
    callbacks.retry_manually(callback=callback, user=ann, now=now)
    before = posted.everything()
    with pytest.raises(Problem) as refused:
        callbacks.retry_manually(callback=seen, user=ann, now=now)
    assert refused.value.code == "callback.not_failed"
    assert posted.everything() == before


def test_the_action_itself_asks_whose_it_is(callback, admin, bao, now):
    before = posted.everything()
    for other in (admin, bao):
        with pytest.raises(Problem):
            callbacks.retry_manually(callback=callback, user=other, now=now)
    assert posted.everything() == before


def test_on_the_page_one_or_all_that_failed(callback, ann, client_of):
    other = Callback.objects.get()
    other.pk, other.event_id = None, "evt_second"
    other.save()
    client = client_of(ann)
    address = f"/requests/{callback.instance_id}/callbacks/"
    key = client.get(address).content.decode().partition('idempotency_key" value="')[2][:40]
    done = client.post(
        f"{address}retry/", {"callback": "failed", "idempotency_key": key}, follow=True
    )
    assert "2 events are sent again." in done.content.decode()
    assert set(Callback.objects.values_list("status", flat=True)) == {"PENDING"}
    # The same form again does nothing again; a new one is told that nothing has failed.
    client.post(f"{address}retry/", {"callback": "failed", "idempotency_key": key})
    page = client.post(
        f"{address}retry/",
        {"callback": str(callback.pk), "idempotency_key": "b" * 20},
        follow=True,
    )
    assert "This event has not failed any more." in page.content.decode()
    callback.refresh_from_db()
    assert [each["kind"] for each in callback.history] == ["retry"]


def test_as_often_as_one_likes(callback, ann, now):
    Callback.objects.update(attempts=0, max_attempts=5, status="PENDING", next_attempt_at=now)
    for number in range(1, 27):
        for _ in range(5):
            claimed = posted.claimed(callback.pk, "one", posted.only().next_attempt_at)
            callbacks.settle(claimed, FAILED, now)
        assert (posted.only().status, posted.only().attempts) == ("FAILED", 5 * number)
        callbacks.retry_manually(callback=callback, user=ann, now=now)
    history = posted.only().history
    assert len(history) == 26 * 6
    assert len({each["id"] for each in history}) == len(history)
