"""Old callbacks taken away for good: whole rows, in small batches, and a row that says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Count, F

from notifications.models import Callback, CallbackPurge

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

# Reliability.md 4.7: so that nobody waits long for the lock, nor the WAL for its checkpoint.
BATCH = 500
ENDED = (Callback.Status.SUCCEEDED, Callback.Status.FAILED)


def old_callbacks(status: str, before: datetime, tenant_id: int | None = None) -> dict[int, int]:
    """How many there are to take away, by tenant."""
    rows = Callback.objects.filter(status=status, updated_at__lt=before)
    if tenant_id is not None:
        rows = rows.filter(tenant=tenant_id)
    return dict(rows.order_by().values_list("tenant_id").annotate(number=Count("id")))


def purge_callbacks(
    *, tenant_id: int, status: str, before: datetime, now: datetime, between: Callable[[], object]
) -> int:
    """Take away this tenant's callbacks in an end state that have not changed since ``before``.

    ``between`` is called between two batches, to give others a moment. The number is kept in a
    row of its own, in the transaction of each batch. Raises ValueError for a state that is none
    of an end: nobody gives up what is under way (P43).
    """
    if status not in ENDED:
        raise ValueError(status)
    kept = CallbackPurge.objects.create(
        tenant_id=tenant_id, status=status, before=before, purged_at=now
    )
    rows = Callback.objects.filter(tenant=tenant_id, status=status, updated_at__lt=before)
    total = 0
    while ids := list(rows.order_by("id").values_list("id", flat=True)[:BATCH]):
        with transaction.atomic():
            # The race: its initiator sends one again meanwhile. Then it is no longer among them.
            gone, _of_each = rows.filter(pk__in=ids).order_by().delete()
            CallbackPurge.objects.filter(pk=kept.pk).update(number=F("number") + gone)
        total += gone
        if len(ids) < BATCH:
            break
        between()
    return total
