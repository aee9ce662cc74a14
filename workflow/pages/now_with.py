"""Who has a request now, for pages: the people of each open step, and how many it takes.

Of an `http` step it is told how often it was tried, with which class of result, and when it is
tried again; never where it leads or what it sends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from flowadmin.directory.queries import people_by_id
from workflow import queries
from workflow.models import Call, Step
from workflow.published import definition_of
from workflow.wording import timeline

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from workflow.engine.state import State
    from workflow.models import Instance

# A step with more holders than this names the first ones only.
MOST_NAMED = 5
_UNDER_WAY = (Call.State.PENDING, Call.State.LEASED, Call.State.WAITING)


@dataclass(frozen=True, slots=True)
class OpenStep:
    """One open step of a request, with those whose turn it is."""

    name: str
    people: tuple[str, ...]
    unnamed: int
    mode: str
    since: datetime | None
    activation: int = 0
    automatic: bool = False
    tried: str = ""
    next_try: datetime | None = None


def now_with(instances: Sequence[Instance]) -> dict[int, list[OpenStep]]:
    """The open steps of each of some requests, in two statements; none when it has ended.

    One more statement where a worker has to act: for its attempts.
    """
    states = {instance.pk: queries.state_of(instance) for instance in instances}
    running = [instance for instance in instances if states[instance.pk].activations]
    names = _names([states[instance.pk] for instance in running])
    entered = _entered([instance.pk for instance in running])
    found: dict[int, list[OpenStep]] = {instance.pk: [] for instance in instances}
    for instance in running:
        waiting = timeline.current(
            states[instance.pk],
            definition_of(instance.version_id),
            names,
            entered=entered.get(instance.pk, {}),
        )
        found[instance.pk] = [_open_step(each) for each in waiting]
    _with_attempts(found)
    return found


def _with_attempts(found: dict[int, list[OpenStep]]) -> None:
    """Say of calls that were tried already how that went; one statement, none without a worker."""
    waiting = [pk for pk, steps in found.items() if any(each.automatic for each in steps)]
    if not waiting:
        return
    tried = Call.objects.filter(
        instance_id__in=waiting, attempts__gt=0, state__in=_UNDER_WAY
    ).exclude(mode="fire")
    names = tried.values_list(
        "instance_id", "job__activation", "attempts", "result", "state", "due_at"
    )
    calls = {(row[0], row[1]): row[2:] for row in names}
    for pk, steps in found.items():
        found[pk] = [_attempted(each, calls.get((pk, each.activation))) for each in steps]


def _attempted(step: OpenStep, call: tuple[int, str, str, datetime] | None) -> OpenStep:
    if call is None or not step.automatic:
        return step
    attempts, result, state, due_at = call
    told = ngettext("%(count)d attempt", "%(count)d attempts", attempts) % {"count": attempts}
    if state == Call.State.WAITING:
        told = _("%(attempts)s, waiting for the answer") % {"attempts": told}
    elif result:
        word = result.replace("_", " ")
        told = _("%(attempts)s, the last one: %(result)s") % {"attempts": told, "result": word}
    again = due_at if state == Call.State.PENDING else None
    return replace(step, tried=told, next_try=again)


def _names(states: Sequence[State]) -> dict[int, str]:
    holders = {
        seat.holder
        for state in states
        for activation in state.activations
        for seat in activation.seats
    }
    return {person.id: person.name for person in people_by_id(holders)}


def _entered(instances: Sequence[int]) -> dict[int, dict[int, datetime]]:
    if not instances:
        return {}
    rows = Step.objects.filter(instance_id__in=instances, state=Step.State.OPEN)
    found: dict[int, dict[int, datetime]] = {}
    for instance_id, number, at in rows.values_list("instance_id", "number", "entered_at"):
        found.setdefault(instance_id, {})[number] = at
    return found


def _open_step(waiting: timeline.Waiting) -> OpenStep:
    return OpenStep(
        name=waiting.step,
        people=waiting.people[:MOST_NAMED],
        unnamed=max(0, len(waiting.people) - MOST_NAMED),
        mode=_mode(waiting),
        since=waiting.since,
        activation=waiting.activation,
        automatic=waiting.mode == "automatic",
    )


def _mode(waiting: timeline.Waiting) -> str:
    """How many of the people it takes; nothing where there is only one."""
    if waiting.mode == "held":
        return _("held: a manager has to name somebody")
    if waiting.mode == "automatic":
        return _("carried out automatically")
    if waiting.total < 2:
        return ""
    texts = {
        "any": _("any one of %(total)d"),
        "all": _("all of %(total)d, %(decided)d approved"),
        "in_order": _("one by one, %(decided)d of %(total)d approved"),
        "claim": _("whoever of %(total)d takes it"),
        "vote": _("vote of %(total)d, %(decided)d approved"),
    }
    text = texts.get(waiting.mode)
    return "" if text is None else text % {"total": waiting.total, "decided": waiting.decided}


def waiting_since(steps: Sequence[OpenStep]) -> datetime | None:
    """Since when a request has waited for the step that has been open longest."""
    return min((step.since for step in steps if step.since is not None), default=None)
