"""P20: a watch is tied to its notice or becomes a reminder; what went out never goes out again."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.core.management import CommandError

from notifications.models import Notice
from tests.workflow import flows
from workflow.models import Task


def watch(pk, task, *, tenant=1, deadline="2026-12-05 10:00:00", status="WAITING", notice=None):
    """A watch of the older script."""
    return (pk, tenant, str(task), "i", deadline, status, notice, None, "2026-09-05 08:30:00")


def test_each_kind_of_watch(older):
    older.merge()
    rows = Notice.objects.filter(reminder_key__isnull=False).order_by("pk")
    assert [
        (row.pk, row.tenant_id, row.reminder_key, row.status, row.receiver_id) for row in rows
    ] == [
        (202, 1, "t-1", "SENT", 12),
        # Behind the last notice, in the order of the watches.
        (204, 1, "t-2", "PENDING", None),
        (205, 1, "t-3", "DISABLED", None),
        (206, 1, "t-4", "CANCELLED", None),
        (207, 2, "t-1", "SENT", None),
    ]
    assert {row.kind for row in rows} == {"timeout"}
    waiting, disabled = rows.get(pk=204), rows.get(pk=205)
    assert waiting.scheduled_at == datetime(2026, 12, 5, 10, tzinfo=UTC)
    assert (disabled.scheduled_at, waiting.sent_at) == (None, None)


def test_a_reminder_knows_the_task_that_is_here(older, ann, bao, now):
    """Only in its own tenant, and one whose task has ended is not reminded of (P27)."""
    flows.publish(bao, flows.a_document(), now=now)
    open_one, ended = flows.start(ann, now=now), flows.start(ann, now=now)
    Task.objects.filter(instance=ended).update(state="approved")
    mine, over = Task.objects.get(instance=open_one), Task.objects.get(instance=ended)
    tenant = ann.tenant_id
    older.fill(
        {
            "flow_task_watch": [
                watch(310, mine.pk, tenant=tenant),
                watch(311, over.pk, tenant=tenant),
                watch(312, mine.pk, tenant=2),
            ]
        }
    )
    Notice.objects.all().delete()
    older.merge()
    found = Notice.objects.filter(reminder_key__in=[str(mine.pk), str(over.pk)])
    assert set(
        found.values_list("tenant_id", "reminder_key", "status", "task_id", "instance_id")
    ) == {
        (tenant, str(mine.pk), "PENDING", mine.pk, open_one.pk),
        (tenant, str(over.pk), "CANCELLED", over.pk, ended.pk),
        (2, str(mine.pk), "PENDING", None, None),
    }


def test_what_cannot_be_judged_is_named_and_keeps_nothing(older):
    bad = {
        310: (watch(310, "t-9", notice=999), "there is no notice 999 of its task"),
        311: (watch(311, "t-9", notice=202), "there is no notice 202 of its task"),
        312: (watch(312, "t-2"), "there are two of them for task t-2"),
        313: (watch(313, "t-9", status="ASLEEP"), "status is 'ASLEEP'"),
        314: (watch(314, "t-9", tenant=77), "there is no tenant with the id 77"),
    }
    older.fill({"flow_task_watch": [row for row, _why in bad.values()]})
    with pytest.raises(CommandError, match="Nothing was kept") as refused:
        older.merge()
    assert refused.value.returncode == 1
    said = older.said().splitlines()
    assert said == [f"flow_task_watch {pk}: {why}" for pk, (_row, why) in bad.items()]
    assert not any(older.ours().values())
