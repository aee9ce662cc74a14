"""What happened to the requests that a step started, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from workflow.engine.events import ChildEnded, ChildrenPlanned, ChildStarted
from workflow.wording.states import instance_state

if TYPE_CHECKING:
    from collections.abc import Callable

    from workflow.wording.telling import Entry, Telling


def _planned(telling: Telling, event: ChildrenPlanned) -> Entry:
    count, name = len(event.children), telling.name_of(event.activation)
    text = ngettext(
        "“%(step)s” starts %(count)d further request",
        "“%(step)s” starts %(count)d further requests",
        count,
    )
    text %= {"step": name, "count": count}
    return telling.entry(event, "automatic", text, step=name, opens=event.activation)


def _started(telling: Telling, event: ChildStarted) -> Entry:
    name = telling.name_of(event.activation)
    text = _("“%(step)s”: the request %(number)s was started")
    text %= {"step": name, "number": event.number}
    return telling.entry(event, "started", text, step=name)


def _ended(telling: Telling, event: ChildEnded) -> Entry:
    name = telling.name_of(event.activation)
    text = _("“%(step)s”: its request no. %(child)d has ended: %(result)s")
    text %= {"step": name, "child": event.child, "result": instance_state(event.result.value)}
    return telling.entry(event, "automatic", text, step=name)


TELLERS: dict[type[Any], Callable[[Telling, Any], Entry | None]] = {
    ChildrenPlanned: _planned,
    ChildStarted: _started,
    ChildEnded: _ended,
}
