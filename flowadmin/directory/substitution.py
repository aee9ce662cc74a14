"""Reads of absences: who is away at a moment, and who acts for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import connection
from django.db.models import Exists, OuterRef

from flowadmin.directory.models import Substitute

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

# Whether the person in alias {alias} has an absence for any process. It rides on the statements
# that read people anyway, so that asking whether somebody is away costs no statement of its own.
AWAY = (
    "EXISTS (SELECT 1 FROM org_substitute s"
    " WHERE s.person_id = {alias}.id AND s.starts_at <= %s AND s.ends_at > %s)"
)


def away_values(at: datetime) -> list[object]:
    """The two values of `AWAY` as this database's driver wants them."""
    stored = connection.ops.adapt_datetimefield_value(at)
    return [stored, stored]


def away_now(at: datetime) -> Exists:
    """`AWAY` for a queryset of users."""
    return Exists(
        Substitute.objects.filter(person_id=OuterRef("pk"), starts_at__lte=at, ends_at__gt=at)
    )


def substitutes_of(
    tenant_id: int, users: Iterable[int], process: str, at: datetime
) -> dict[int, int]:
    """Those of these people who are absent at `at`, each with the id of the substitute, or 0.

    One step only: whoever follows a chain asks again about the substitutes. The window is
    ``[from, until)`` (approvals.md 2.7). An absence for this one process comes before one for
    all; should two overlap, the earlier row is taken.

    Args:
        tenant_id: whose people.
        users: ids of people.
        process: the key of the process in which they are needed.
        at: aware UTC.
    """
    wanted = sorted(set(users))
    if not wanted:
        return {}
    rows = (
        Substitute.objects.filter(tenant_id=tenant_id)
        .filter(person_id__in=wanted, process__in=("", process))
        .filter(starts_at__lte=at, ends_at__gt=at)
        .order_by("process", "-id")
        .values_list("person_id", "substitute_id")
    )
    # Later rows replace earlier ones: the named process sorts behind "", a smaller id behind.
    return {person: substitute or 0 for person, substitute in rows}
