"""The demo's unread notices are new work, and nothing that has been over for weeks."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command

from notifications.models import Notice
from workflow.models import Task

pytestmark = pytest.mark.django_db


def test_what_is_over_was_read_and_stays_listed_and_a_second_load_reads_nothing():
    call_command("load_demo", stdout=StringIO())
    sent = Notice.objects.filter(status=Notice.Status.SENT)
    unread = sent.filter(read_at=None)
    assert unread.exists()
    assert not unread.exclude(task__state=Task.State.OPEN).exists()
    assert sent.filter(task__state=Task.State.CLOSED, read_at__isnull=False).exists()
    ended = sent.filter(task__state=Task.State.CLOSED)
    ended.update(read_at=None)
    call_command("load_demo", stdout=StringIO())
    assert ended.filter(read_at=None).count() == ended.count()
