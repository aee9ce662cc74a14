"""Reminders that are due: who holds each task now, and that each goes out once.

Theory of operation. A round takes at most a hundred rows. First come those whose task is open, so
that whatever stands still never holds up what is due; the room that is left goes to rows that
cannot be sent now (the request is paused, nobody can act), which are looked at again ten seconds
later with their moment moved, and to rows whose task is over. A row is sent by one conditional
UPDATE that finds the holder itself: a task that was handed over, or ended, at the same moment is
judged as it then stands (seed 001 P31 to P33; decision 6). This is the only code that reads
notices across tenants; what is done with a row is done in its own.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from flowadmin import failpoints
from flowadmin.coordination import rounds
from notifications.actions import handing_out
from notifications.actions.recording import Fresh, Kind, Status, write
from notifications.models import Notice
from notifications.recipients import people_of
from workflow.models import Task
from workflow.published import definition_of
from workflow.queries import state_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

log = logging.getLogger(__name__)

NAME = "reminders"
ROUND = 100
LOOK_AGAIN = timedelta(seconds=10)
_SIMPLE = "holder"
_WAITING = (Task.State.OPEN, Task.State.BLOCKED, Task.State.HANDED_ON)


def go_round(read_clock: Callable[[], datetime], pause: timedelta) -> int:
    """Send what is due, unless it is not time for a round yet; how many reminders went out.

    ``read_clock`` gives the database's time; ``pause`` lies between two rounds.
    """
    token = rounds.begin(NAME, read_clock(), pause)
    if token is None:
        return 0
    try:
        return send_due(read_clock())
    finally:
        rounds.end(NAME, token, read_clock())


def send_due(now: datetime) -> int:
    """Send the reminders that are due, at most a hundred; how many went out."""
    live = list(_live(_due(now)).values_list("pk", "recipients", "later")[:ROUND])
    simple = [pk for pk, recipients, later in live if recipients == _SIMPLE and not later]
    failpoints.reached("reminder.after_found")
    sent = _send_to_holders(simple, now)
    failpoints.reached("reminder.after_sent")
    taken = set(simple)
    for pk, _recipients, _later in live:
        if pk not in taken:
            sent += _send_safely(pk, now)
    if len(live) < ROUND:
        _put_off(now, ROUND - len(live))
    return sent


def _due(now: datetime) -> QuerySet[Notice]:
    """What waits and is due, of all tenants, the oldest first."""
    return Notice.objects.filter(
        status=Status.PENDING, scheduled_at__lte=now, reminder_key__isnull=False
    ).order_by("scheduled_at", "pk")


def _live(rows: QuerySet[Notice]) -> QuerySet[Notice]:
    """Those whose task somebody can decide now (the snapshot names only a pause that is)."""
    return rows.filter(
        ~Q(instance__snapshot__has_key="paused"),
        task__state=Task.State.OPEN,
        task__holder__is_active=True,
    )


# Sending --------------------------------------------------------------------------------------


def _send_to_holders(ids: Sequence[int], now: datetime) -> int:
    """The usual reminder, to whoever holds the task at this moment, in one statement."""
    if not ids:
        return 0
    task = Task.objects.filter(pk=OuterRef("task_id"))
    rows = Notice.objects.filter(
        Exists(task.filter(state=Task.State.OPEN)), pk__in=list(ids), status=Status.PENDING
    )
    holder = Subquery(task.values("holder_id")[:1])
    with transaction.atomic():
        sent = rows.update(status=Status.SENT, sent_at=now, receiver_id=holder)
        tenants = Notice.objects.filter(pk__in=list(ids)).values_list("tenant_id", flat=True)
        handing_out.hand_out_reminders(set(tenants), ids, now)
    return sent


def _send_safely(pk: int, now: datetime) -> int:
    """One reminder of another kind. What fails is tried again, behind all others."""
    try:
        with transaction.atomic():
            return _send_one(pk, now)
    except Exception:
        log.exception("reminder %s failed", pk)
        _still_waiting(pk).update(scheduled_at=now + LOOK_AGAIN)
        return 0


def _send_one(pk: int, now: datetime) -> int:
    row = Notice.objects.select_related("task", "instance").get(pk=pk)
    task, instance = row.task, row.instance
    if task is None or instance is None:
        return 0
    rest, words = _ahead(row, now)
    receivers = people_of(
        words,
        holders=[task.holder_id],
        tenant_id=row.tenant_id,
        definition=definition_of(instance.version_id),
        state=state_of(instance),
        now=now,
    )
    held = Task.objects.filter(pk=task.pk, state=Task.State.OPEN, holder=task.holder_id)
    mine = _still_waiting(pk).filter(Exists(held), scheduled_at=row.scheduled_at)
    if not receivers:
        mine.update(scheduled_at=now + LOOK_AGAIN)
        return 0
    # The race: the task is decided or handed over meanwhile. Then the next round sees to it.
    if rest:
        (moment, recipients), *later = rest
        if not mine.update(
            scheduled_at=datetime.fromisoformat(moment), recipients=recipients, later=later or None
        ):
            return 0
        write([_copy(row, each, now) for each in receivers])
        return 1
    first, *others = receivers
    if not mine.update(status=Status.SENT, sent_at=now, receiver_id=first, later=None):
        return 0
    handing_out.hand_out_reminders([row.tenant_id], [pk], now)
    write([_copy(row, each, now) for each in others])
    return 1


def _ahead(row: Notice, now: datetime) -> tuple[list[tuple[str, str]], Iterable[str]]:
    """What comes after this reminder, and whom this one is for.

    Moments that have passed as well, because no worker was there or the request was paused, are
    not made up for one by one: they are part of this one.
    """
    words = row.recipients.split(",")
    later: list[tuple[str, str]] = [(each[0], each[1]) for each in row.later or ()]
    while later and datetime.fromisoformat(later[0][0]) <= now:
        words += later.pop(0)[1].split(",")
    return later, dict.fromkeys(words)


def _copy(row: Notice, receiver: int, now: datetime) -> Fresh:
    return Fresh(
        tenant_id=row.tenant_id,
        kind=Kind.TIMEOUT.value,
        instance_id=row.instance_id or 0,
        created_at=now,
        task_id=row.task_id,
        receiver_id=receiver,
    )


def _still_waiting(pk: int) -> QuerySet[Notice]:
    return Notice.objects.filter(pk=pk, status=Status.PENDING)


# What cannot be sent now ------------------------------------------------------------------------


def _put_off(now: datetime, room: int) -> None:
    """Look again in ten seconds; a task that is over is not looked at again."""
    task = Task.objects.filter(pk=OuterRef("task_id"))
    # The race: what became due, or was resumed, since this round looked. It goes out with the next
    # one; put off by a clock that is set back later, it would be as late as that clock was wrong.
    live = task.filter(
        ~Q(instance__snapshot__has_key="paused"), state=Task.State.OPEN, holder__is_active=True
    )
    ids = list(_due(now).filter(~Exists(live)).values_list("pk", flat=True)[:room])
    if not ids:
        return
    still = Notice.objects.filter(~Exists(live), pk__in=ids, status=Status.PENDING)
    still.filter(~Exists(task.filter(state__in=_WAITING))).update(status=Status.CANCELLED)
    still.update(scheduled_at=now + LOOK_AGAIN)
