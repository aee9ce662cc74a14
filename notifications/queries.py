"""Reads of notices and callbacks: only what was SENT, and only one's own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Count, F, Q, QuerySet

from notifications.models import Callback, Notice

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from flowadmin.directory.models import User

MOST_COUNTED = 999  # contract, `me`
# A position is the microsecond of sending and the place among what was sent in it.
_EPOCH = datetime(2020, 1, 1, tzinfo=UTC)
_PLACES = 1000
_MICROSECOND = timedelta(microseconds=1)


class Position(NamedTuple):
    """Where in the list, newest first, one goes on: behind ``skip`` rows sent at ``at``."""

    at: datetime
    skip: int


def sent_to(user: User) -> QuerySet[Notice]:
    """This person's notices, newest first."""
    return Notice.objects.filter(
        receiver=user.pk, tenant_id=user.tenant_id, status=Notice.Status.SENT
    ).order_by(F("sent_at").desc(), F("id").desc())


def shown(rows: QuerySet[Notice]) -> QuerySet[Notice]:
    """The same rows with everything that a list shows of them."""
    return rows.select_related("instance", "task", "task__decided_by", "sender")


def unread_count(user: User) -> int:
    """How many of them are unread; counting stops at 999."""
    rows = Notice.objects.filter(
        receiver=user.pk,
        tenant_id=user.tenant_id,
        status=Notice.Status.SENT,
        read_at__isnull=True,
    )
    return rows.order_by()[:MOST_COUNTED].count()


def behind(rows: QuerySet[Notice], position: int | None, limit: int) -> Sequence[Notice]:
    """Up to ``limit`` rows of a list behind a position, or from its beginning."""
    if position is None:
        return list(rows[:limit])
    at, skip = _read(position)
    return list(rows.filter(sent_at__lte=at)[skip : skip + limit])


def positions(rows: Sequence[Notice], begun: int | None) -> Iterator[tuple[int, int]]:
    """The id of each row with its position, of a page that begins behind ``begun``.

    Several notices may have been sent in one microsecond; the place among them is counted, so
    that no page boundary leaves one out.
    """
    at, skip = _read(begun) if begun is not None else Position(_EPOCH, 0)
    for row in rows:
        moment = row.sent_at or _EPOCH
        skip = skip + 1 if moment == at else 1
        at = moment
        yield row.pk, max(0, (moment - _EPOCH) // _MICROSECOND) * _PLACES + skip


def _read(position: int) -> Position:
    micros, skip = divmod(position, _PLACES)
    return Position(_EPOCH + micros * _MICROSECOND, skip)


# Callbacks ------------------------------------------------------------------------------------

# Everything of a callback that may be shown, and nothing of where it goes or what it says (P46).
_SHOWN = (
    "tenant_id", "event_id", "instance_id", "task_id", "initiator_id", "event", "step",
    "step_name", "profile", "status", "result", "attempts", "history", "created_at",
    "updated_at", "instance__number", "instance__title", "instance__tenant_id",
)  # fmt: skip


class Tally(NamedTuple):
    """How many callbacks of a request were delivered, failed, and are under way."""

    delivered: int
    failed: int
    waiting: int


def callbacks_of(user: User) -> QuerySet[Callback]:
    """The callbacks of requests that this person filed, newest first (seed 001, P7)."""
    rows = Callback.objects.filter(tenant=user.tenant_id, initiator=user.pk)
    return rows.select_related("instance").only(*_SHOWN).order_by("-id")


def callbacks_of_tenant(user: User) -> QuerySet[Callback]:
    """All callbacks of this person's tenant, newest first, for whoever may see operations."""
    rows = Callback.objects.filter(tenant=user.tenant_id)
    return rows.select_related("instance").only(*_SHOWN).order_by("-id")


def callback_counts(user: User) -> dict[str, int]:
    """How many callbacks of the tenant are in each state."""
    rows = Callback.objects.filter(tenant=user.tenant_id).order_by()
    return dict(rows.values_list("status").annotate(number=Count("id")))


def oldest_due_callback(user: User, now: datetime) -> datetime | None:
    """Since when the oldest callback of the tenant is due, if any is."""
    rows = Callback.objects.filter(
        tenant=user.tenant_id, status=Callback.Status.PENDING, next_attempt_at__lte=now
    )
    return rows.order_by("next_attempt_at").values_list("next_attempt_at", flat=True).first()


def tallies(user: User, instances: Collection[int]) -> dict[int, Tally]:
    """The callbacks of some of this person's requests, counted in one statement."""
    status = Callback.Status
    rows = Callback.objects.filter(
        tenant=user.tenant_id, initiator=user.pk, instance__in=instances
    ).values_list("instance_id")
    counted = rows.annotate(
        delivered=Count("id", filter=Q(status=status.SUCCEEDED)),
        failed=Count("id", filter=Q(status=status.FAILED)),
        waiting=Count("id", filter=Q(status__in=[status.PENDING, status.LEASED])),
    )
    return {pk: Tally(*counts) for pk, *counts in counted.order_by()}
