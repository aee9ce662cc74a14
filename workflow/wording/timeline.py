"""The history of a request as people read it: who did what, when and why, one line per fact.

Theory of operation. One command leaves several events that are one fact to a reader: a step was
entered *and* three people got it; somebody approved *and* two others were no longer needed. So the
history is cut into commands (the events with one time and actor), and within a command the events
that only complete another one become part of that one's entry. Nothing is asked of the present:
names apart, every sentence comes from what the events recorded when they happened.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal, cast

from workflow.engine.events import (
    BranchLeft,
    BranchTaken,
    FormChanged,
    GotoDecided,
    InstanceStarted,
    StepMoved,
    StepReopened,
    TaskBlocked,
    TaskOpened,
    TaskSnoozed,
    VariablesSet,
    WorkAsked,
    WorkEnded,
    WorkPutOff,
)
from workflow.engine.flowdoc.steps import HumanStep, InclusiveStep, ParallelStep
from workflow.engine.plan import START
from workflow.engine.state import SeatState
from workflow.engine.tallying import READERS
from workflow.wording import told_outside, told_requests, told_steps, told_tasks
from workflow.wording.choosing import TITLED
from workflow.wording.following import Reader, at_the_start
from workflow.wording.states import step_name, unknown_person
from workflow.wording.telling import Entry, Telling
from workflow.wording.values import named_in, named_in_leaves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import datetime

    from workflow.engine.decision import Definition
    from workflow.engine.events import AnyEvent
    from workflow.engine.state import Activation, State
    from workflow.forms.formdoc import FormDoc
    from workflow.recorded import Recorded
    from workflow.wording.following import Titles

__all__ = ["Entry", "Mentioned", "Waiting", "build", "current", "mentioned"]

Mode = Literal["any", "all", "in_order", "claim", "draw", "vote", "automatic", "held"]
TELLERS: dict[type[Any], Callable[[Telling, Any], Entry | None]] = {
    **told_requests.TELLERS,
    **told_steps.TELLERS,
    **told_outside.TELLERS,
    **told_tasks.TELLERS,
}
# What says nothing to a reader by itself, or is told with another event of its command.
LEFT_OUT: frozenset[type[Any]] = frozenset(
    {
        BranchLeft,
        StepMoved,
        StepReopened,
        TaskBlocked,
        TaskOpened,
        TaskSnoozed,
        VariablesSet,
        WorkAsked,
        WorkEnded,
        WorkPutOff,
    }
)
_DECIDED = frozenset({SeatState.APPROVED, SeatState.DONE})
_COUNTED = _DECIDED | {SeatState.REJECTED}
# Members of events that are a person; 0 is nobody.
_PEOPLE = ("initiator", "holder", "before", "by", "absent")


@dataclass(frozen=True, slots=True)
class Mentioned:
    """Whom and what a history names: look the names up once and give them to `build`.

    ``titles`` are (kind, code) of departments, roles, groups, posts, and people by their login.
    """

    people: frozenset[int]
    titles: frozenset[tuple[str, str]]

    def codes(self, kind: str) -> frozenset[str]:
        """The codes of one kind: department, role, group, post or user."""
        return frozenset(code for each, code in self.titles if each == kind)


def mentioned(records: Iterable[Recorded], form: FormDoc | None = None) -> Mentioned:
    """The people (by number) and the titles whose names `build` will ask for.

    ``form`` tells which values are people and departments; without it those keep their codes.
    """
    people: set[int] = set()
    titles: set[tuple[str, str]] = set()
    for record in records:
        people.update(_people(record.event))
        people.add(record.actor_id or 0)
        for kind, codes in _titles(record.event):
            titles.update((kind, code) for code in codes.split(", ") if code)
        titles.update(_named(record.event, form))
    return Mentioned(frozenset(people - {0}), frozenset(titles))


def _people(event: AnyEvent) -> Iterator[int]:
    for name in _PEOPLE:
        user = getattr(event, name, 0)
        # A group's `by`, and the like, may be a word in other events.
        if isinstance(user, int):
            yield user
    yield from getattr(event, "people", ())
    yield from (each.starter for each in getattr(event, "children", ()))
    yield from (user for each in getattr(event, "edits", ()) for user in each.people)
    for chosen in _chosen(event):
        yield chosen.user
        yield chosen.instead_of
    for dropped in getattr(event, "dropped", ()):
        yield dropped.user
    if isinstance(event, StepReopened):
        for seat in event.was.seats:
            yield from (seat.holder, seat.by, seat.absent, *seat.chain)


def _chosen(event: AnyEvent) -> tuple[Any, ...]:
    why = getattr(event, "why", None)
    return getattr(event, "chosen", ()) if why is None else (why,)


def _titles(event: AnyEvent) -> Iterator[tuple[str, str]]:
    for chosen in _chosen(event):
        kind = TITLED.get(chosen.by)
        if kind is not None:
            yield kind, chosen.of


def _named(event: AnyEvent, form: FormDoc | None) -> Iterator[tuple[str, str]]:
    """Whom and what the values and the questions of an event name."""
    if isinstance(event, BranchTaken | BranchLeft | GotoDecided):
        yield from named_in_leaves(form, event.leaves)
    elif isinstance(event, InstanceStarted):
        yield from named_in(form, event.values)
    elif isinstance(event, FormChanged):
        yield from named_in(form, event.changes)


def build(
    records: Iterable[Recorded],
    definition: Definition,
    names: Mapping[int, str],
    *,
    shows: Callable[[str], bool],
    state: State,
    titles: Titles | None = None,
) -> list[Entry]:
    """The entries of a history, oldest first, in the active language (interface.md 7.4).

    ``names`` are people's names by number and ``titles`` the names of departments, roles, groups
    and posts by code (see `mentioned`); what is missing there is told by its code. ``shows`` says
    whether the reader may see a field (or ``table.column``): of any other neither name nor value
    appears. ``state`` is the request's state now.
    """
    records = list(records)
    reader = at_the_start(Reader(definition, names, shows, titles or {}), records)
    telling = Telling(reader, state=state)
    commands = groupby(records, key=lambda record: (record.at, record.actor_id))
    entries = [
        entry
        for (at, actor), group in commands
        for entry in _command(telling, at, actor, [record.event for record in group])
    ]
    newest = {id(entry) for entry in telling.newest.values()}
    return [
        replace(entry, current=False) if entry.current and id(entry) not in newest else entry
        for entry in entries
    ]


def _command(
    telling: Telling, at: datetime, actor: int | None, events: list[AnyEvent]
) -> Iterator[Entry]:
    telling.begin(at, actor, events)
    for event in events:
        telling.take(event)
        teller = TELLERS.get(type(event))
        entry = None if teller is None else teller(telling, event)
        if entry is not None:
            yield entry


@dataclass(frozen=True, slots=True)
class Waiting:
    """A step that is open now, and those whose turn it is.

    ``mode`` is how several people decide; ``automatic`` when a worker has to act, ``held`` when
    a manager has to. ``decided`` of ``total`` people have decided. ``since`` is absent when the
    caller did not say when the activations were entered.
    """

    step: str
    people: tuple[str, ...]
    mode: Mode
    since: datetime | None = None
    decided: int = 0
    total: int = 0
    activation: int = field(default=0, compare=False)


def current(
    state: State,
    definition: Definition,
    names: Mapping[int, str],
    *,
    entered: Mapping[int, datetime] | None = None,
) -> list[Waiting]:
    """With whom a request is now; empty when it has ended.

    ``entered`` says when each activation (by number) was entered: `flow_step.entered_at`. A block
    is not told: the steps inside it are.
    """
    return [
        _waiting(each, state, definition, names, (entered or {}).get(each.number))
        for each in state.activations
        if not _is_block(each, definition)
    ]


def _is_block(activation: Activation, definition: Definition) -> bool:
    planned = definition.plan.steps.get(activation.step)
    return planned is not None and isinstance(planned.step, ParallelStep | InclusiveStep)


def _waiting(
    activation: Activation,
    state: State,
    definition: Definition,
    names: Mapping[int, str],
    since: datetime | None,
) -> Waiting:
    name = step_name(definition, activation.step)
    planned = definition.plan.steps.get(activation.step)
    step = planned.step if planned is not None else None
    if not activation.seats or not (isinstance(step, HumanStep) or activation.step == START):
        held = activation.number in state.incidents
        mode: Mode = "held" if held else "automatic"
        return Waiting(name, (), mode, since, activation=activation.number)
    open_now = [seat.holder for seat in activation.seats if seat.state is SeatState.OPEN]
    own = [seat for seat in activation.seats if seat.group != READERS]
    return Waiting(
        step=name,
        people=tuple(names.get(user) or unknown_person() for user in open_now),
        mode=cast("Mode", step.decide.mode if isinstance(step, HumanStep) else "any"),
        since=since,
        decided=sum(each.state in _DECIDED for each in own),
        total=sum(each.waits or each.state in _COUNTED for each in own),
        activation=activation.number,
    )
