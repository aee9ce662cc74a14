"""Deleting drafts on their list pages, and taking the deletion back for a few seconds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.urls import reverse

from workflow import access
from workflow.actions import keeping_drafts
from workflow.models import Draft
from workflow.pages.answers import go_on

if TYPE_CHECKING:
    from datetime import datetime

    from django.http import HttpRequest, HttpResponse, QueryDict

    from flowadmin.directory.models import User

# In the address: which drafts the page before has deleted.
GONE = "deleted"
BETWEEN = "."
MOST = 100


@dataclass(frozen=True, slots=True)
class Gone:
    """Drafts that were just deleted, and can come back."""

    ids: tuple[int, ...]

    @property
    def count(self) -> int:
        return len(self.ids)


def delete(
    request: HttpRequest, user: User, kind: Draft.Kind, page: str, now: datetime
) -> HttpResponse:
    """Delete the drafts ``one`` or ``ids`` of the form, then show the list with a way back."""
    one = request.POST.get("one", "")
    ids = _ids([one] if one else request.POST.getlist("ids"))
    gone = keeping_drafts.delete_many(user, kind, ids, now)
    query = f"?{GONE}={BETWEEN.join(str(each) for each in gone)}" if gone else ""
    return go_on(request, reverse(page) + query)


def undo(
    request: HttpRequest, user: User, kind: Draft.Kind, page: str, now: datetime
) -> HttpResponse:
    """Put back the drafts ``ids`` of the form that were deleted a moment ago."""
    keeping_drafts.undo_deletion(user, kind, _ids(request.POST.getlist("ids")), now)
    return go_on(request, reverse(page))


def just_gone(query: QueryDict, user: User, kind: Draft.Kind, now: datetime) -> Gone | None:
    """Which of the drafts that the address names can still come back."""
    ids = _ids(query.get(GONE, "").split(BETWEEN)) if GONE in query else []
    rows = Draft.objects.filter(
        tenant_id=user.tenant_id,
        user_id=user.pk,
        kind=kind,
        pk__in=ids,
        deleted_at__gt=now - keeping_drafts.UNDONE_WITHIN,
    )
    found = tuple(rows.values_list("pk", flat=True)) if ids else ()
    return Gone(found) if found else None


def _ids(texts: list[str]) -> list[int]:
    return [access.row_id(text) for text in texts[:MOST]]
