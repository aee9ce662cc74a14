"""Rounds of a scan: one at a time, and the next no earlier than a pause after the last one ended.

Theory: any number of beats, workers and `work` processes tick. Each tick is one conditional UPDATE
on the scan's row, and whoever changed it goes round; so they keep one rhythm without knowing of
each other (decision 12, seed 001 P34). A round takes a lease: when its process dies, the next
tick behind the lease goes on. All of it by the database's clock (decision 5). What lies in that
clock's future beyond reason was written before it was set back, and holds nobody up.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from django.db.models import F, Q

from flowadmin.coordination.models import Round

if TYPE_CHECKING:
    from datetime import datetime

# Longer than a round takes by far; a killed one holds the scan up for this long at most.
LEASE = timedelta(seconds=30)


def begin(name: str, now: datetime, pause: timedelta) -> int | None:
    """Take the next round of a scan; its token, or nothing when it is not time for one yet.

    ``now`` is the database's clock; ``pause`` the time between the end of a round and the next.
    The race: several ticks at the same moment; one of them changes the row.
    """
    if _taken(name, now, pause):
        return _token(name)
    if not Round.objects.filter(pk=name).exists():
        Round.objects.bulk_create([Round(name=name)], ignore_conflicts=True)
        if _taken(name, now, pause):
            return _token(name)
    return None


def keep(name: str, token: int, now: datetime) -> bool:
    """Hold one's round for another lease from ``now``; whether it still is one's own."""
    mine = Round.objects.filter(pk=name, token=token, until__isnull=False)
    return bool(mine.update(until=now + LEASE))


def end(name: str, token: int, now: datetime) -> bool:
    """End one's round; whether it still was one's own. ``now`` is read behind its work."""
    mine = Round.objects.filter(pk=name, token=token, until__isnull=False)
    return bool(mine.update(until=None, ended_at=now))


def _taken(name: str, now: datetime, pause: timedelta) -> bool:
    free = Q(until__isnull=True) | Q(until__lte=now) | Q(until__gt=now + LEASE)
    rested = Q(ended_at__isnull=True) | Q(ended_at__lte=now - pause) | Q(ended_at__gt=now)
    return bool(
        Round.objects.filter(free & rested, pk=name).update(
            token=F("token") + 1, until=now + LEASE
        )
    )


def _token(name: str) -> int:
    return Round.objects.values_list("token", flat=True).get(pk=name)
