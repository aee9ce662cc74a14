"""Keeping a filter of a list under a name, and forgetting it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.db import transaction
from django.utils.translation import gettext as _

from flowadmin.rest.problems import Problem
from workflow.models import SavedView

if TYPE_CHECKING:
    from datetime import datetime

    from flowadmin.directory.models import User

# Nobody finds his way among more; it bounds what one person can fill the database with.
MOST_VIEWS: Final = 30


def keep_view(*, user: User, box: str, name: str, query: str, now: datetime) -> SavedView:
    """Store a filter, in place of one of the same name in the same list.

    ``query`` was written by the page itself from a filter that it could read. Raises Problem 409
    view.too_many.
    """
    with transaction.atomic():
        views = SavedView.objects.filter(user_id=user.pk)
        known = views.filter(box=box, name=name).exists()
        if not known and views.count() >= MOST_VIEWS:
            text = _("You keep %(most)d views already; delete one first.") % {"most": MOST_VIEWS}
            raise Problem(409, "view.too_many", text, most=MOST_VIEWS)
        # The race: two windows keep the same name. The unique name makes one row of the two.
        view, _made = SavedView.objects.update_or_create(
            user_id=user.pk,
            box=box,
            name=name,
            defaults={"tenant_id": user.tenant_id, "query": query, "changed_at": now},
        )
    return view


def forget_view(view: SavedView) -> None:
    """Delete a view that `access.saved_view` has given; deleting it twice does no harm."""
    SavedView.objects.filter(pk=view.pk).delete()
