"""Marking notices as read, and as unread again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from notifications import queries
from notifications.models import Notice
from workflow.models import Task

_WAITS = (Task.State.OPEN, Task.State.BLOCKED, Task.State.HANDED_ON)

if TYPE_CHECKING:
    from datetime import datetime

    from flowadmin.directory.models import User


def mark_read(*, user: User, pk: int, now: datetime) -> bool:
    """Note that this person has seen a notice of his; whether it was news.

    ``now`` is the database's clock. What was read before keeps the time of the first reading.
    """
    rows = queries.sent_to(user).filter(pk=pk, read_at__isnull=True)
    return bool(rows.order_by().update(read_at=now))


def mark_over_read(*, tenant_id: int, now: datetime) -> int:
    """Note that everything about tasks that are over was seen; how many notices were news.

    For the demo, whose stories lie in the past: what a person's task became of is news to him
    otherwise, and stays so until he looks (seed 001, P3 and P32).
    """
    rows = Notice.objects.filter(
        tenant_id=tenant_id, status=Notice.Status.SENT, read_at__isnull=True
    )
    over = rows.filter(task__isnull=False).exclude(task__state__in=_WAITS)
    return over.update(read_at=now)


def mark_unread(*, user: User, pk: int) -> bool:
    """Let a notice count as unseen again; whether anything changed."""
    rows = queries.sent_to(user).filter(pk=pk, read_at__isnull=False)
    return bool(rows.order_by().update(read_at=None))


def mark_all_read(*, user: User, now: datetime) -> int:
    """Note that this person has seen everything that was sent until ``now``; how many were news.

    What comes while the list is being looked at stays unread: nobody has seen it.
    """
    rows = queries.sent_to(user).filter(read_at__isnull=True, sent_at__lte=now)
    return rows.order_by().update(read_at=now)
