"""The callbacks of requests on the pages that list them: how many, and the way to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import template

from flowadmin.directory.models import User
from notifications.queries import Tally, tallies

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.template.context import Context

    from workflow.models import Instance

register = template.Library()


@register.simple_tag(takes_context=True)
def callbacks_of(context: Context, rows: Iterable[Any]) -> dict[int, Tally]:
    """How many callbacks the requests of these rows have, in one statement."""
    user = context.get("user")
    ids = [row.instance.pk for row in rows]
    return tallies(user, ids) if ids and isinstance(user, User) else {}


@register.inclusion_tag("notifications/callback_chip.html")
def callback_chip(instance: Instance, callbacks: dict[int, Tally]) -> dict[str, Any]:
    """The way to the callbacks of a request, with their numbers; nothing when it has none.

    Arguments:
        instance: the request.
        callbacks: what `callbacks_of` gave for the list.
    """
    return {"instance": instance, "tally": callbacks.get(instance.pk)}
