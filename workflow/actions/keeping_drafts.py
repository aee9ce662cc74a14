"""What both kinds of draft share: a save that no other window overwrites, and a soft deletion."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext as _

from flowadmin.rest.problems import Problem
from workflow import access
from workflow.models import Draft

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from flowadmin.directory.models import User

# Nobody works on so many; it bounds what one person can fill the database with.
MOST_DRAFTS: Final = 200
# How long a deleted draft is remembered, so that another window can be told of it.
REMEMBERED: Final = timedelta(hours=24)
# How long a deletion can be undone: the page offers it for ten seconds, then for slow networks.
UNDONE_WITHIN: Final = timedelta(seconds=60)
EXPIRED: Final = timedelta(days=365)
SWEEP_BATCH: Final = 500


def insert(draft: Draft) -> Draft:
    """Store a new draft. Raises Problem 409 draft.too_many."""
    count = live(draft.user_id, Draft.Kind(draft.kind)).count()
    if count >= MOST_DRAFTS:
        text = _("You have %(most)d drafts already; delete some first.") % {"most": MOST_DRAFTS}
        raise Problem(409, "draft.too_many", text, most=MOST_DRAFTS)
    draft.save(force_insert=True)
    return draft


def live(user_id: int, kind: Draft.Kind) -> Any:
    """The drafts of one kind that a person has, as a queryset."""
    return Draft.objects.filter(user_id=user_id, kind=kind, deleted_at__isnull=True)


def replace(draft: Draft, version: int, now: datetime, **columns: Any) -> None:
    """Save, if the draft is still the version that the person saw; it grows by one.

    Raises Problem 412 draft.version_moved with `current_version, changed_by, changed_at`, 404
    draft.deleted; the row is then as it was (reliability.md I11).
    """
    found = Draft.objects.filter(pk=draft.pk, version=version, deleted_at__isnull=True)
    columns |= {"version": version + 1, "updated_at": now}
    # The race: two windows save at once. One UPDATE finds the version, the other finds no row.
    if not found.update(**columns):
        raise moved(draft)
    for name, value in columns.items():
        setattr(draft, name, value)


def hold(draft: Draft, version: int | None) -> None:
    """Lock a draft until the transaction ends and read it again behind the lock.

    ``version`` is the one that the person saw; None when it does not matter. Raises Problem 412
    draft.version_moved, 404 draft.deleted or not_found.
    """
    found = Draft.objects.filter(pk=draft.pk, deleted_at__isnull=True)
    if version is not None:
        found = found.filter(version=version)
    # An update locks everywhere, also where `select_for_update` is ignored.
    if not found.update(tenant_id=draft.tenant_id):
        raise moved(draft)
    draft.refresh_from_db()


def delete(draft: Draft, version: int | None, now: datetime) -> None:
    """Take a draft out of its box. Raises Problem 412 draft.version_moved, 404."""
    found = Draft.objects.filter(pk=draft.pk, deleted_at__isnull=True)
    if version is not None:
        found = found.filter(version=version)
    if not found.update(deleted_at=now):
        raise moved(draft)


def delete_many(user: User, kind: Draft.Kind, ids: Collection[int], now: datetime) -> list[int]:
    """Take several of one's own drafts out of their box; those that were there."""
    rows = live(user.pk, kind).filter(tenant_id=user.tenant_id, pk__in=ids)
    found = list(rows.values_list("pk", flat=True))
    rows.filter(pk__in=found).update(deleted_at=now)
    return found


def undo_deletion(user: User, kind: Draft.Kind, ids: Collection[int], now: datetime) -> int:
    """Put drafts back that this person has just deleted; how many came back."""
    rows = Draft.objects.filter(
        tenant_id=user.tenant_id,
        user_id=user.pk,
        kind=kind,
        pk__in=ids,
        deleted_at__gt=now - UNDONE_WITHIN,
    )
    return rows.update(deleted_at=None)


def sweep(now: datetime) -> int:
    """Delete for good what was deleted a day ago, at most 500 at a time; how many there were."""
    old = Draft.objects.filter(deleted_at__lte=now - REMEMBERED).order_by("deleted_at")
    ids = list(old.values_list("pk", flat=True)[:SWEEP_BATCH])
    return Draft.objects.filter(pk__in=ids).delete()[0] if ids else 0


def has_expired(draft: Draft, now: datetime) -> bool:
    """Whether nobody has saved a draft for so long that an operator may delete it."""
    return draft.deleted_at is None and draft.updated_at <= now - EXPIRED


def expire(draft: Draft, now: datetime) -> None:
    """Delete a draft that nobody has saved for a year. Raises Problem 409 draft.in_use."""
    rows = Draft.objects.filter(pk=draft.pk, deleted_at__isnull=True)
    if not rows.filter(updated_at__lte=now - EXPIRED).update(deleted_at=now):
        raise Problem(409, "draft.in_use", _("It was saved within the last year."))


def moved(draft: Draft) -> Problem:
    """Why a write found no row: another window has saved, or deleted, this draft."""
    row = Draft.objects.select_related("user").filter(pk=draft.pk).first()
    if row is None:
        return Problem(404, "not_found", _("It does not exist, or you may not know of it."))
    if row.deleted_at is not None:
        return access.deleted_draft(row.deleted_at)
    return Problem(
        412,
        "draft.version_moved",
        _("This draft was saved in another window."),
        current_version=row.version,
        changed_by=row.user.name,
        changed_at=row.updated_at,
    )
