"""P19: everything keeps its id; read states, counts, leases, addresses and contents stay."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.core.management import CommandError

from notifications.legacy import moving
from notifications.models import Callback, Notice
from workflow.models import Draft


def at(hour, minute=0, second=0, day=5):
    return datetime(2026, 9, day, hour, minute, second, tzinfo=UTC)


def test_ids_states_and_contents_stay(older):
    before = older.theirs()
    said = older.merge()
    assert "flow_callback: 5 rows moved and compared" in said
    assert older.theirs() == before

    drafts = {draft.pk: draft for draft in Draft.objects.all()}
    assert sorted(drafts) == [101, 102, 103]
    assert [drafts[pk].version for pk in sorted(drafts)] == [3, 1, 2]
    assert drafts[102].name == older.ROWS["flow_draft"][1][6]
    assert (drafts[101].created_at, drafts[101].updated_at) == (at(8, day=1), at(9, 30, day=2))

    notices = {notice.pk: notice for notice in Notice.objects.filter(receiver__isnull=False)}
    assert {pk: notice.read_at for pk, notice in notices.items()} == {
        201: at(9), 202: None, 203: None,
    }  # fmt: skip
    assert {notice.status for notice in notices.values()} == {"SENT"}
    assert [notices[pk].kind for pk in (201, 202, 203)] == ["assigned", "timeout", "urge"]
    assert (notices[202].text, notices[203].text) == ("逾期 😀", "")

    kept = ("event_id", "status", "attempts", "max_attempts", "target_url", "payload",
            "next_attempt_at", "lease_owner", "lease_until", "result")  # fmt: skip
    rows = {row.pk: [getattr(row, name) for name in kept] for row in Callback.objects.all()}
    assert rows[401] == [
        "evt-401", "FAILED", 5, 5, "http://10.1.2.3/hook", '{"a": 1}', None, "", None, "HTTP_503",
    ]  # fmt: skip
    assert rows[402] == [
        "evt-402", "LEASED", 2, 5, "http://intranet.example:8080/hook", '{"b":2}', None,
        "node-a", at(9, 30), "",
    ]  # fmt: skip
    assert rows[403][5] == '{"c":"😀\'"}'
    # What it came from would name the address (P46); and what waits without a moment is due.
    assert rows[404][-1] == "UNKNOWN"
    assert (rows[404][6], rows[405][6]) == (at(9, 5, 30), at(9, 5))
    assert set(Callback.objects.values_list("event", "target")) == {("", None)}


def test_moments_are_read_in_the_zone_that_is_named(older):
    older.merge("--zone", "Asia/Shanghai")
    assert Callback.objects.get(pk=402).lease_until == at(1, 30)


def test_a_difference_keeps_nothing(older, monkeypatch):
    """The comparison is of what stands in the tables, not of what was to be written."""
    run = moving.Move.run

    def spoiled(move):
        moved = run(move)
        Callback.objects.filter(pk=403).update(payload='{"c":"?"}')
        Notice.objects.filter(pk=201).update(read_at=None)
        Draft.objects.filter(pk=101).delete()
        return moved

    monkeypatch.setattr(moving.Move, "run", spoiled)
    with pytest.raises(CommandError, match="3 rows did not arrive as they were"):
        older.merge()
    assert not any(older.ours().values())


def test_new_rows_get_ids_of_their_own(older, ann, now):
    """Databases that count ids apart from the rows go on behind those that were moved."""
    older.merge()
    notice = Notice.objects.create(
        tenant=ann.tenant, kind="notice", status="SENT", receiver=ann, created_at=now, sent_at=now
    )
    assert notice.pk > max(Notice.objects.exclude(pk=notice.pk).values_list("pk", flat=True))


def test_a_row_that_is_another_ones_is_not_overwritten(older):
    Draft.objects.create(
        pk=101, tenant_id=1, user_id=12, kind="APPLY", content="{}", created_at=at(1),
        updated_at=at(1),
    )  # fmt: skip
    before = older.ours()
    with pytest.raises(CommandError, match="1 rows cannot be moved"):
        older.merge()
    assert older.ours() == before
