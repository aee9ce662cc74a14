"""P21: attempts go into the history under their own ids, as strings, with all they said."""

from __future__ import annotations

from notifications.models import Callback


def test_histories_keep_ids_order_and_words(older):
    older.merge()
    found = {row.pk: row.history for row in Callback.objects.all()}
    assert [entry["id"] for entry in found[401]] == ["501", "502", "503", "508"]
    assert [entry.get("status") for entry in found[401]] == [
        "HTTP_503", "HTTP_503", "TIMEOUT", None,
    ]  # fmt: skip
    assert [entry["kind"] for entry in found[401]] == ["attempt"] * 3 + ["retry"]
    assert found[402][1] == {
        "id": "505",
        "kind": "attempt",
        "at": "2026-09-05T09:29:00+00:00",
        "attempt": 2,
        "status": "STARTED",
        "older": {"kind": "AUTO", "status": "STARTED", "attempt_no": 2},
    }
    (entry,) = found[404]
    assert entry["status"] == "FAILED"
    assert entry["older"]["result"] == "no route to http://erp/hook"
    assert found[405] == []
