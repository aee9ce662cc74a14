"""P27: what was taken over lives on: sent again by hand, reclaimed, reminded of, and shown."""

from __future__ import annotations

from datetime import timedelta

import pytest

from flowadmin.directory import permissions
from flowadmin.directory.models import User
from flowadmin.rest.problems import Problem
from notifications.actions import delivering
from notifications.actions.callbacks import claim, retry_manually
from notifications.actions.reminding import send_due
from notifications.actions.urging import urge
from notifications.models import Callback, Notice
from tests import builders
from tests.workflow import flows
from workflow.models import Task

OLD = "2026-03-02 08:59:00"


@pytest.fixture
def filed(older, ann, bao, now):
    """A request of ann's whose task the older tables name."""
    flows.publish(bao, flows.a_document(), now=now)
    return flows.start(ann, now=now)


def test_a_retry_by_hand_keeps_the_old_entries_and_appends(older, now):
    older.merge()
    row = Callback.objects.get(pk=401)
    old = list(row.history)
    fixed = (row.event_id, row.target_url, row.payload)
    retry_manually(callback=row, user=User.objects.get(pk=11), now=now)
    attempt = claim(401, "here", now)
    assert attempt is not None
    row.refresh_from_db()
    assert row.history[: len(old)] == old
    assert [entry["kind"] for entry in row.history[len(old) :]] == ["retry", "attempt"]
    names = [entry["id"] for entry in row.history]
    assert len(set(names)) == len(names)
    assert (row.attempts, row.max_attempts) == (6, 10)
    assert (row.event_id, row.target_url, row.payload) == fixed


def test_a_row_that_was_leased_is_reclaimed_after_its_lease(older):
    older.merge()
    lease = Callback.objects.get(pk=402).lease_until
    early = lease - timedelta(seconds=1)
    assert 402 not in dict(delivering.due(early))
    assert claim(402, "here", early) is None
    assert 402 in dict(delivering.due(lease))
    attempt = claim(402, "here", lease)
    assert attempt is not None
    entries = Callback.objects.get(pk=402).history
    assert [entry["id"] for entry in entries] == ["504", "505", "a1"]
    assert [entry["status"] for entry in entries] == ["HTTP_500", "STARTED", "STARTED"]


def test_reminders_and_urges_go_on(older, filed, ann, bao, now):
    """Once, to the holder of that moment; and the urge of before counts (P6)."""
    task, tenant = Task.objects.get(instance=filed), ann.tenant_id
    deadline = "2026-03-02 10:00:00"
    older.fill(
        {
            "flow_task_watch": [
                (310, tenant, str(task.pk), str(filed.pk), deadline, "WAITING", None, None, OLD)
            ],
            "flow_notice": [
                (290, tenant, bao.pk, "URGE", str(filed.pk), str(task.pk), "Please", 0, None, OLD)
            ],
        }
    )
    Notice.objects.all().delete()
    older.merge()
    with pytest.raises(Problem) as refused:
        urge(instance=filed, user=ann, now=now)
    assert refused.value.code == "urge.too_soon"
    due = now + timedelta(hours=1)
    assert send_due(due - timedelta(seconds=1)) == 0
    assert send_due(due) == 1
    row = Notice.objects.get(reminder_key=str(task.pk))
    assert (row.status, row.receiver_id, row.sent_at) == ("SENT", bao.pk, due)
    assert send_due(due + timedelta(days=1)) == 0
    older.merge()
    assert Notice.objects.get(pk=row.pk).status == "SENT"


def test_their_people_see_them(older, client_of):
    """Pages that know nothing of the older script show what it left, and never a host (P46)."""
    older.merge()
    receiver, designer = User.objects.get(pk=12), User.objects.get(pk=11)
    page = client_of(receiver).get("/notices/").content.decode()
    assert "A task for you" in page
    assert "逾期 😀" in page
    assert client_of(receiver).get("/notices/201/").status_code == 303
    assert "请假 😀" in client_of(receiver).get("/drafts/").content.decode()
    builders.a_role(designer.tenant, members=[designer], grants=[permissions.FLOW_DESIGN])
    drafts = client_of(designer).get("/design/drafts/").content.decode()
    assert "Leave, second try" in drafts
    assert client_of(designer).get("/design/101/").status_code == 200
    answer = client_of(designer).get("/api/v1/callbacks/")
    assert answer.status_code == 200
    assert {each["id"] for each in answer.json()["results"]} == {"401", "402", "404", "405"}
    assert not any(word in answer.content.decode() for word in ("10.1.2.3", "intranet", "erp"))
