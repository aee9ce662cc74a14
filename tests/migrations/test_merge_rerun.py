"""P24: a second run changes nothing and resets nothing."""

from __future__ import annotations

from django.utils import timezone

from notifications.models import Callback, Notice
from workflow.models import Draft


def test_five_runs_are_as_one_and_nothing_that_went_on_is_reset(older):
    older.merge()
    once = older.ours()
    for _ in range(4):
        assert "moved before; nothing was written" in older.merge()
    assert older.ours() == once

    moment = timezone.now()
    Notice.objects.filter(reminder_key="t-2").update(status="SENT", sent_at=moment, receiver_id=12)
    Notice.objects.filter(pk=202).update(read_at=moment)
    Draft.objects.filter(pk=102).delete()  # it was submitted
    row = Callback.objects.get(pk=404)
    row.history.append({"id": "a1", "kind": "attempt", "status": "HTTP_200"})
    row.status, row.attempts = "SUCCEEDED", 2
    row.save()
    # One row is lacking, so that the run has something to do.
    Callback.objects.filter(pk=405).delete()
    expected = [each for each in older.ours()["flow_callback"] if each["id"] != 405]
    notices = older.ours()["flow_notice"]
    older.merge()
    after = older.ours()
    assert [each for each in after["flow_callback"] if each["id"] != 405] == expected
    assert after["flow_notice"] == notices
    assert Callback.objects.filter(pk=405).exists()
