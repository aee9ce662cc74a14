"""What every page shows of a person's notices: how many are unread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.functional import SimpleLazyObject

from flowadmin.directory.models import User
from notifications import queries

if TYPE_CHECKING:
    from django.http import HttpRequest


def unread(request: HttpRequest) -> dict[str, Any]:
    """``unread_notices``: counted only when a page shows it."""

    def count() -> int:
        user = getattr(request, "user", None)
        return queries.unread_count(user) if isinstance(user, User) else 0

    return {"unread_notices": SimpleLazyObject(count)}
