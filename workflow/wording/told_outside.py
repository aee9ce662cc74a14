"""What a step asked outside: the requests that it started, and its rules, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from workflow.engine.events import (
    ChildEnded,
    ChildrenPlanned,
    ChildStarted,
    RulesAnswered,
    RulesAsked,
    StepEntered,
)
from workflow.wording.entering import because_text
from workflow.wording.rules import answer_text, asked_text
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


def _rules_asked(telling: Telling, event: RulesAsked) -> Entry | None:
    """A step waits for its rules; entered by the same command, the reason for that stands here."""
    name = telling.name_of(event.activation)
    entered = telling.within(StepEntered, event.activation)
    why = [because_text(telling, each) for each in entered]
    why.append(asked_text(each.rule for each in event.asks))
    text = _("“%(step)s” asks its rules") % {"step": name}
    return telling.entry(event, "automatic", text, step=name, why=why, opens=event.activation)


def _rules_answered(telling: Telling, event: RulesAnswered) -> Entry | None:
    name = telling.name_of(event.activation)
    why = [answer_text(each, telling.reader) for each in event.answers]
    text = _("“%(step)s”: its rules have answered") % {"step": name}
    return telling.entry(event, "automatic", text, step=name, why=why)


TELLERS: dict[type[Any], Callable[[Telling, Any], Entry | None]] = {
    ChildrenPlanned: _planned,
    ChildStarted: _started,
    ChildEnded: _ended,
    RulesAsked: _rules_asked,
    RulesAnswered: _rules_answered,
}
