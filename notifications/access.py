"""The only door from a person to a notice or callback: his own, or it is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from flowadmin.rest.problems import Problem
from notifications import queries
from workflow.access import row_id

if TYPE_CHECKING:
    from flowadmin.directory.models import User
    from notifications.models import Callback, Notice


def notice(user: User, pk: str) -> Notice:
    """A notice of this person. Raises Problem 404 notice.unknown for any other."""
    found = queries.shown(queries.sent_to(user)).filter(pk=row_id(pk)).first()
    if found is None:
        raise Problem(404, "notice.unknown", _("There is no such notice."))
    return found


def callback(user: User, pk: str) -> Callback:
    """A callback of a request that this person filed (seed 001, P7).

    Raises Problem 404 callback.unknown for any other, whoever asks: no permission opens it.
    """
    found = queries.callbacks_of(user).filter(pk=row_id(pk)).first()
    if found is None:
        raise Problem(404, "callback.unknown", _("There is no such event."))
    return found
