"""The rows of the inbox: what a task is about, why it is here, and what can be done from here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.urls import reverse
from django.utils.translation import gettext as _

from flowadmin.directory.queries import people_by_id
from flowadmin.templatetags.parts import span_in_words
from workflow import queries
from workflow.actions.bulk import OBSTACLES
from workflow.engine.state import InstanceState
from workflow.forms.formdoc import fields_by_id, label_in
from workflow.forms.rights import visible
from workflow.models import SPAN
from workflow.offering import Held, Situation, bulk_obstacle, bulk_verbs, task_offers
from workflow.pages.answers import language_of_page
from workflow.pages.forms import value_text
from workflow.pages.known import named_outside
from workflow.published import definition_of
from workflow.wording.not_yet import refusal_text
from workflow.wording.states import task_state, unknown_person
from workflow.wording.values import named_in

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from flowadmin.directory.models import User
    from workflow.engine.offers import Offer
    from workflow.engine.state import Seat, State
    from workflow.forms.scalars import Value
    from workflow.pages.outside import Outside
    from workflow.queries import TaskLine

DECISIONS = ("approve", "reject", "complete")


@dataclass(frozen=True, slots=True)
class InboxRow:
    """One task as the list shows it; ``facts`` are the summary fields that its holder may see.

    ``part`` says why it is with this person where that is not plain: for whom he acts, or who
    asks for his opinion. ``stands`` is the overlay (paused, held) that keeps the request from
    moving. ``together`` are the bulk actions that would be accepted; where there is none,
    ``obstacle`` says why. ``now`` is the moment from which the due time is seen.
    """

    line: TaskLine
    address: str
    now: datetime
    waiting: str
    outcome: str
    facts: tuple[tuple[str, str], ...] = ()
    part: str = ""
    stands: str = ""
    together: tuple[str, ...] = ()
    obstacle: str = ""
    transfer: str = ""
    picked: bool = False

    @property
    def key(self) -> str:
        """The task and the version that is seen, as the form of the list sends them."""
        return f"{self.line.id}:{self.line.version}"

    @property
    def peek(self) -> str:
        """Where the preview of this row comes from."""
        return f"{reverse('request-peek', args=[self.line.instance_id])}?task={self.line.id}"


def rows_of(
    user: User,
    lines: Sequence[TaskLine],
    now: datetime,
    *,
    to_do: bool,
    picked: Collection[int] = (),
) -> list[InboxRow]:
    """The rows of a page, in three statements at most.

    Args:
        user: whose list it is.
        lines: the tasks of the page.
        now: this moment, aware.
        to_do: whether they wait for the person, so that they can be decided from here.
        picked: ids of tasks that stay chosen.
    """
    states = queries.states_of({line.instance_id for line in lines})
    values = {line.id: _summary(line, states[line.instance_id]) for line in lines}
    outside = _outside(user, lines, values)
    parts = _parts(lines, states) if to_do else {}
    rows = []
    for line in lines:
        row = InboxRow(
            line=line,
            address=f"{reverse('request', args=[line.instance_id])}?task={line.id}",
            now=now,
            waiting=span_in_words(now - line.created_at),
            outcome=task_state(line.state),
            facts=_facts(line, values[line.id], outside),
            part=parts.get(line.id, ""),
            stands=_stands(states[line.instance_id]),
            picked=line.id in picked,
        )
        rows.append(_decidable(row, user, states[line.instance_id]) if to_do else row)
    return rows


# What it is about -------------------------------------------------------------------------------


def _summary(line: TaskLine, state: State) -> dict[str, Value]:
    """The process' summary fields that the holder of the task may see."""
    definition = definition_of(line.version_id)
    shown = visible(state.values, definition.rights_at(line.step))
    return {name: shown[name] for name in definition.plan.doc.summary if name in shown}


def _outside(
    user: User, lines: Sequence[TaskLine], values: Mapping[int, Mapping[str, Value]]
) -> Outside:
    """Names instead of logins and codes, for all rows at once; none are looked up in vain."""
    named = {
        pair
        for line in lines
        for pair in named_in(definition_of(line.version_id).form, values[line.id])
    }
    return named_outside(user.tenant_id, named)


def _facts(
    line: TaskLine, values: Mapping[str, Value], outside: Outside
) -> tuple[tuple[str, str], ...]:
    form = definition_of(line.version_id).form
    if form is None:
        return ()
    language, fields = language_of_page(), fields_by_id(form)
    return tuple(
        (label_in(fields[name], language), value_text(fields[name], value, language, outside))
        for name, value in values.items()
        if name in fields and fields[name].type != "file"
    )


def _stands(state: State) -> str:
    """What keeps a running request from moving; a pause goes before."""
    if state.status is not InstanceState.RUNNING:
        return ""
    return "paused" if state.paused else ""


def _parts(lines: Sequence[TaskLine], states: Mapping[int, State]) -> dict[int, str]:
    """For whom each person of an open task stands in, or who asked him; one statement at most."""
    found: dict[int, tuple[str, int]] = {}
    for line in lines:
        seat = _seat(states[line.instance_id], line.id % SPAN)
        if seat is None:
            continue
        if seat.origin == "delegated":
            found[line.id] = (_("Opinion asked by %(person)s"), seat.by)
        elif seat.absent:
            found[line.id] = (_("Acting for %(person)s"), seat.absent)
        elif seat.origin == "added":
            found[line.id] = (_("Added by %(person)s"), seat.by)
    names = {each.id: each.name for each in people_by_id({who for _text, who in found.values()})}
    return {
        task: text % {"person": names.get(who) or unknown_person()}
        for task, (text, who) in found.items()
    }


def _seat(state: State, number: int) -> Seat | None:
    found = state.seat(number)
    return None if found is None else found[1]


# What can be done from here ---------------------------------------------------------------------


def _decidable(row: InboxRow, user: User, state: State) -> InboxRow:
    """The row with the bulk actions that would be accepted, or why there is none (2, number 24).

    The engine's own answer is asked for, without a history: it is needed for taking back only.
    """
    line, definition = row.line, definition_of(row.line.version_id)
    at = Situation(user, definition, state, row.now, list)
    offers = task_offers(at, Held(line.id, user.pk, line.state, line.decided_at, copy=False))
    allowed = {each.verb for each in offers if each.allowed}
    together = tuple(each for each in bulk_verbs(definition, line.step) if each in allowed)
    page = reverse("request-act", args=[line.instance_id, "transfer"])
    return replace(
        row,
        together=together,
        obstacle="" if together else _obstacle(row, offers),
        transfer=f"{page}?task={line.id}" if "transfer" in allowed else "",
    )


def obstacle_of(row: InboxRow, action: str) -> str:
    """Why this row cannot take part in a bulk action; empty when it can."""
    if action in row.together:
        return ""
    code = bulk_obstacle(definition_of(row.line.version_id), row.line.step, action)
    return (
        str(OBSTACLES[code]) if code else row.obstacle or _("This cannot be done with this task.")
    )


def _obstacle(row: InboxRow, offers: Sequence[Offer]) -> str:
    definition = definition_of(row.line.version_id)
    for offer in offers:
        if offer.verb in DECISIONS and offer.allowed:
            code = bulk_obstacle(definition, row.line.step, offer.verb)
            return str(OBSTACLES[code]) if code else ""
    refused = (each for each in offers if each.verb in DECISIONS and each.code != "act.not_here")
    first = next(refused, None)
    if first is None or first.code == "act.switched_off":
        return _("This one is no decision; open it.")
    return refusal_text(first.code, row.line.state)
