"""Who has a request now, for pages: the people of each open step, and how many it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from flowadmin.directory.queries import people_by_id
from workflow import queries
from workflow.models import Step
from workflow.published import definition_of
from workflow.wording import timeline

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from workflow.engine.state import State
    from workflow.models import Instance

# A step with more holders than this names the first ones only.
MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class OpenStep:
    """One open step of a request, with those whose turn it is."""

    name: str
    people: tuple[str, ...]
    unnamed: int
    mode: str
    since: datetime | None


def now_with(instances: Sequence[Instance]) -> dict[int, list[OpenStep]]:
    """The open steps of each of some requests, in two statements; none when it has ended."""
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
    return found


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
