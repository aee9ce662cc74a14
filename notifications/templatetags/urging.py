"""The button with which an initiator urges, on the pages of requests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django import template

from flowadmin import clock
from notifications.actions.urging import last_urges, seconds_left
from workflow.models import Instance
from workflow.pages.answers import new_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from django.template.context import Context

register = template.Library()


@dataclass(frozen=True, slots=True)
class Urged:
    """When requests were urged last, and what time it is: asked once for a whole list."""

    last: Mapping[int, datetime]
    now: datetime


@register.simple_tag
def urges_of(rows: Iterable[Any]) -> Urged:
    """When the requests of these rows were urged last, in one statement."""
    ids = [row.instance.pk for row in rows if row.instance.state == Instance.State.RUNNING]
    return Urged(last_urges(ids) if ids else {}, clock.now())


@register.inclusion_tag("notifications/urge_button.html", takes_context=True)
def urge_button(
    context: Context,
    instance: Instance,
    urges: Urged | None = None,
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
    known = Urged(last_urges([instance.pk]), clock.now()) if urges is None else urges
    left = seconds_left(known.last.get(instance.pk), known.now)
    return {
        "offered": True,
        "instance": instance,
        "back": back,
        "left": left,
        "shown": f"{left // 60:02}:{left % 60:02}",
        "key": new_key(),
        "csrf_token": context.get("csrf_token", ""),
    }
