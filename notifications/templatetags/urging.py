"""The button with which an initiator urges, on the pages of requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import template

from flowadmin import clock
from notifications.actions.urging import last_urges, seconds_left
from workflow.models import Instance
from workflow.pages.answers import new_key

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from django.template.context import Context

register = template.Library()


@register.simple_tag
def urges_of(rows: Iterable[Any]) -> dict[int, datetime]:
    """When the requests of these rows were urged last, in one statement."""
    ids = [row.instance.pk for row in rows if row.instance.state == Instance.State.RUNNING]
    return last_urges(ids) if ids else {}


@register.inclusion_tag("notifications/urge_button.html", takes_context=True)
def urge_button(
    context: Context,
    instance: Instance,
    urges: dict[int, datetime] | None = None,
    back: str = "request",
) -> dict[str, Any]:
    """The button, or how long it is still switched off; nothing for whom may not urge.

    Arguments:
        instance: the request.
        urges: what `urges_of` gave for the list; without it, it is asked for this request.
        back: the page to come back to: ``request`` or ``mine``.
    """
    user = context.get("user")
    offered = (
        getattr(user, "pk", None) == instance.initiator_id
        and instance.state == Instance.State.RUNNING
        and not instance.snapshot.get("paused")
    )
    if not offered:
        return {"offered": False}
    known = last_urges([instance.pk]) if urges is None else urges
    left = seconds_left(known.get(instance.pk), clock.now())
    return {
        "offered": True,
        "instance": instance,
        "back": back,
        "left": left,
        "shown": f"{left // 60:02}:{left % 60:02}",
        "key": new_key(),
        "csrf_token": context.get("csrf_token", ""),
    }
