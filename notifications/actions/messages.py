"""Messages to the outside: claimed, fenced, and noted with what came of them.

Theory of operation. An attempt is three steps, like that of a callback: the claim, sending outside
of any transaction, the result. When a message is about to be claimed it is asked once more whether
it may go: what nobody wants any more is dropped, what falls into quiet hours or belongs to a
digest is put off, without an attempt. What was put off goes out together with everything else of
that person and medium that waits: one claim, one token, one message. Who dies in between loses
nothing: after sixty seconds the rows are claimed again (at least once, docs/how-to/channels.md).
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from django.db.models import F, Q

from flowadmin.directory.time_zones import zone
from flowadmin.sealing import Unreadable, unseal
from notifications import backoff, channels, hours
from notifications.models import (
    Channel,
    ChatAddress,
    Medium,
    Message,
    Notice,
    OutsideHours,
    Route,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from django.db.models import QuerySet

Status = Message.Status

LEASE: Final = timedelta(seconds=60)
ATTEMPTS: Final = 5  # issue 5, item 1
PROFILE: Final = "seed"
MOST_TOGETHER: Final = 50
UNKNOWN: Final = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Parcel:
    """Messages of one person and medium that are ours until their lease ends."""

    rows: tuple[Message, ...]
    address: str
    token: str

    @property
    def identity(self) -> str:
        """The same with each attempt, as long as the same notices are told together."""
        return f"notice-{self.rows[0].pk}-{self.rows[-1].pk}.flowadmin"


def claimable(now: datetime) -> Q:
    """What may be attempted: due, or left by whoever had it when its lease ran out."""
    waiting = Q(status=Status.PENDING, next_at__lte=now)
    return waiting | Q(status=Status.SENDING, lease_until__lte=now)


def claim(pk: int, now: datetime) -> Parcel | None:
    """Take a message, and what goes together with it; nothing when it may not go now.

    ``now`` is the database's clock.
    """
    row = _whole(Message.objects.filter(claimable(now), pk=pk)).first()
    if row is None:
        return None
    address = _address(row)
    reason = _objection(row, address)
    if reason:
        _untouched(row).update(status=Status.DROPPED, result=reason, updated_at=now)
        return None
    if row.attempts >= ATTEMPTS:
        # Whoever made the last attempt died, and nobody knows with what result.
        _untouched(row).update(status=Status.FAILED, result=UNKNOWN, updated_at=now)
        return None
    later = _later(row, now)
    if later is not None:
        _untouched(row).update(status=Status.PENDING, next_at=later, together=True, updated_at=now)
        return None
    return _taken([row, *_others(row, now)], address, now)


def settle(parcel: Parcel, sent: channels.Sent, now: datetime) -> int:
    """Write what came of an attempt to the rows that are still ours; how many those were.

    ``now`` is read after sending: the next attempt is counted from the failure.
    """
    mine = Message.objects.filter(token=parcel.token, status=Status.SENDING)
    if sent.ok:
        return mine.update(status=Status.SENT, result=sent.result, updated_at=now)
    done = 0
    for attempts in {row.attempts for row in parcel.rows}:
        rows = mine.filter(attempts=attempts)
        wait = backoff.after_failure(PROFILE, attempts, ATTEMPTS)
        if wait is None or sent.for_good:
            done += rows.update(status=Status.FAILED, result=sent.result, updated_at=now)
        else:
            done += rows.update(
                status=Status.PENDING, result=sent.result, next_at=now + wait, updated_at=now
            )
    return done


def _taken(rows: Sequence[Message], address: str, now: datetime) -> Parcel | None:
    """Claim these rows by one conditional UPDATE; those that another was faster with are not ours.

    A row was read before it is claimed; its attempts say whether it has been claimed since.
    """
    token = secrets.token_hex(16)
    untouched = Q()
    for row in rows:
        untouched |= Q(pk=row.pk, token=row.token)
    Message.objects.filter(claimable(now), untouched).update(
        status=Status.SENDING,
        token=token,
        lease_until=now + LEASE,
        attempts=F("attempts") + 1,
        updated_at=now,
    )
    mine = tuple(_whole(Message.objects.filter(token=token)).order_by("notice_id"))
    return Parcel(mine, address, token) if mine else None


def _others(row: Message, now: datetime) -> list[Message]:
    """What else of this person and medium waits, when this one goes together with others."""
    if not row.together:
        return []
    rows = _whole(
        Message.objects.filter(
            claimable(now),
            receiver=row.receiver_id,
            medium=row.medium,
            attempts__lt=ATTEMPTS,
        ).exclude(pk=row.pk)
    )
    found = rows.order_by("notice_id")[: MOST_TOGETHER - 1]
    return [each for each in found if not _objection(each, "known")]


def _whole(rows: QuerySet[Message]) -> QuerySet[Message]:
    return rows.select_related(
        "receiver__tenant",
        "notice__instance",
        "notice__task__decided_by",
        "notice__sender",
    )


def _untouched(row: Message) -> QuerySet[Message]:
    """This row, unless somebody else has done something with it since it was read."""
    return Message.objects.filter(pk=row.pk, token=row.token, status=row.status)


# Whether and when ------------------------------------------------------------------------------


def _objection(row: Message, address: str) -> str:
    """Why this message is not to be sent any more; empty when it is."""
    notice = row.notice
    if notice.status != Notice.Status.SENT or not row.receiver.is_active:
        return "GONE"
    if notice.read_at is not None:
        return "READ"
    if row.medium not in channels.media_here() or not _is_open(row):
        return "OFF"
    if not (row.by_process or _is_wanted(row)):
        return "UNWANTED"
    return "" if address else "NO_ADDRESS"


def _is_open(row: Message) -> bool:
    return Channel.objects.filter(tenant=row.tenant_id, medium=row.medium, enabled=True).exists()


def _is_wanted(row: Message) -> bool:
    return Route.objects.filter(
        user=row.receiver_id, kind=row.notice.kind, medium=row.medium
    ).exists()


def _address(row: Message) -> str:
    """Where it goes; empty when the person has no address there, or none that can be read."""
    if row.medium == Medium.EMAIL:
        return row.receiver.email
    kept = ChatAddress.objects.filter(user=row.receiver_id, medium=row.medium).first()
    if kept is None:
        return ""
    try:
        return unseal(kept.sealed, kept.purpose)
    except Unreadable:
        return ""


def _later(row: Message, now: datetime) -> datetime | None:
    """When it may go, if that is not now."""
    kept = OutsideHours.objects.filter(pk=row.receiver_id).first()
    if kept is None:
        return None
    clock = zone(row.receiver.tenant.time_zone)
    # A clock that was set back: what was written later than now counts as written now.
    moment = hours.may_go_at(kept.hours(), min(row.created_at, now), now, clock)
    return moment if moment > now else None
