"""P45: every attempt and every retry by hand stands in the history, with the row's own state."""

from __future__ import annotations

import json

import pytest

from flowadmin import doctor
from notifications.actions import callbacks
from notifications.delivery import Outcome
from notifications.models import Callback
from tests.notifications import posted
from tests.workflow import flows

OK = Outcome(ok=True, result="HTTP_200", note="body_truncated", milliseconds=12)


@pytest.fixture
def callback(ann, now):
    flows.publish(ann, flows.a_document(), now=now)
    return posted.failed(
        flows.start(ann, now=now), status="PENDING", attempts=0, next_attempt_at=now
    )


def broken(now):
    return {each.id for each in doctor.examine(now) if not each.ok}


def test_started_stands_until_the_result_takes_its_place(callback, now):
    claimed = posted.claimed(callback.pk, "host-1" * 40, now)
    [entry] = posted.only().history
    assert (entry["status"], entry["attempt"], entry["kind"]) == ("STARTED", 1, "attempt")
    assert isinstance(entry["id"], str)
    callbacks.settle(claimed, OK, now)
    row = posted.only()
    [entry] = row.history
    assert (entry["status"], entry["note"], entry["ms"]) == ("HTTP_200", "body_truncated", 12)
    assert (row.status, row.lease_until) == ("SUCCEEDED", None)
    assert len(json.dumps(entry)) <= 512
    assert not set("%_\\") & set(entry["id"])
    assert "I8" not in broken(now)


def test_a_late_result_is_noted_and_changes_nothing(callback, now):
    first = posted.claimed(callback.pk, "one", now)
    after = now + callbacks.LEASE
    second = posted.claimed(callback.pk, "two", after)
    assert not callbacks.settle(first, OK, after)
    row = posted.only()
    assert (row.status, row.token, row.attempts) == ("LEASED", second.token, 2)
    assert [each["status"] for each in row.history] == ["STARTED", "STARTED"]
    assert row.history[0]["late"] == "HTTP_200"
    assert "late" not in row.history[1]
    callbacks.settle(second, Outcome(ok=False, result="TIMEOUT"), after)
    assert posted.attempts(row) == ["STARTED", "TIMEOUT"]
    assert posted.only().history[0]["late"] == "HTTP_200"


def test_doctor_finds_a_history_that_does_not_agree(callback, now):
    callbacks.claim(callback.pk, "one", now)
    assert "I8" not in broken(now)
    Callback.objects.update(attempts=2)
    assert "I8" in broken(now)


def test_doctor_finds_what_nobody_delivers(callback, now):
    assert "I5" not in broken(now)
    assert "I5" in broken(now + 2 * doctor.PATIENCE)
    callbacks.claim(callback.pk, "one", now)
    assert "I5" in broken(now + 2 * doctor.PATIENCE)
