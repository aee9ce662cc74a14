"""The history of a request as people read it: who did what, when and why, one line per fact.

Theory of operation. One command leaves several events that are one fact to a reader: a step was
entered *and* three people got it; somebody approved *and* two others were no longer needed. So the
history is cut into commands (the events with one time and actor), and within a command the events
that only complete another one become part of that one's entry. Nothing is asked of the present:
names apart, every sentence comes from what the events recorded when they happened.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Literal, cast

from workflow.engine.events import (
    AnyEvent,
    BranchTaken,
    CopySent,
    InstanceStarted,
    StepEntered,
    TaskAssigned,
    TaskReassigned,
)
from workflow.engine.flowdoc.steps import HumanStep
from workflow.engine.state import Activation, SeatState, State
from workflow.wording.states import unknown_person
from workflow.wording.telling import Entry, Telling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import datetime

    from workflow.engine.decision import Definition
    from workflow.recorded import Recorded
    from workflow.wording.reasons import Titles

__all__ = ["Entry", "Mentioned", "Waiting", "build", "current", "mentioned"]

Mode = Literal["any", "all", "in_order", "automatic", "held"]


@dataclass(frozen=True, slots=True)
class Mentioned:
    """Whom and what a history names: look the names up once and give them to `build`."""

    people: frozenset[int]
    departments: frozenset[str]
    roles: frozenset[str]


def mentioned(records: Iterable[Recorded]) -> Mentioned:
    """The people (by number), departments and roles (by code) whose names `build` will ask for."""
    people: set[int] = set()
    codes: dict[str, set[str]] = {"department": set(), "role": set()}
    for record in records:
        people.update(_people(record.event))
        if record.actor_id is not None:
            people.add(record.actor_id)
        for by, of in _sources(record.event):
            kind = "department" if by.startswith("head") else by
            if kind in codes and of:
                codes[kind].update(of.split(", "))
    return Mentioned(frozenset(people), frozenset(codes["department"]), frozenset(codes["role"]))


def _people(event: AnyEvent) -> Iterator[int]:
    if isinstance(event, InstanceStarted):
        yield event.initiator
    elif isinstance(event, StepEntered):
        yield from (each.user for each in event.chosen)
        yield from (each.user for each in event.dropped)
    elif isinstance(event, TaskReassigned):
        yield event.before
    if isinstance(event, TaskAssigned | TaskReassigned | CopySent):
        yield event.holder


def _sources(event: AnyEvent) -> Iterator[tuple[str, str]]:
    if isinstance(event, StepEntered):
        yield from ((each.by, each.of) for each in event.chosen)
    elif isinstance(event, CopySent):
        yield event.why.by, event.why.of
    elif isinstance(event, BranchTaken):
        yield from (
            (leaf.asked, leaf.expected) for leaf in event.leaves if leaf.kind == "initiator"
        )


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

    ``names`` are people's names by number and ``titles`` the names of departments and roles by
    code (see `mentioned`); what is missing there is told by its code. ``shows`` says whether the
    reader may see a field: of any other neither name nor value appears. ``state`` is the
    request's state now.
    """
    telling = Telling(definition, names, shows, state, titles or {})
    commands = groupby(records, key=lambda record: (record.at, record.actor_id))
    entries = [
        entry
        for (at, actor), group in commands
        for entry in telling.command(at, actor, [record.event for record in group])
    ]
    newest = {id(entry) for entry in telling.newest.values()}
    return [
        replace(entry, current=False) if entry.current and id(entry) not in newest else entry
        for entry in entries
    ]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A step that is open now, and those whose turn it is.

    ``mode`` is how several people decide; ``automatic`` when a worker has to act, ``held`` when
    nobody was found. ``decided`` of ``total`` people have decided. ``since`` is absent when the
    caller did not say when the activations were entered.
    """

    step: str
    people: tuple[str, ...]
    mode: Mode
    since: datetime | None = None
    decided: int = 0
    total: int = 0


def current(
    state: State,
    definition: Definition,
    names: Mapping[int, str],
    *,
    entered: Mapping[int, datetime] | None = None,
) -> list[Waiting]:
    """With whom a request is now; empty when it has ended.

    ``entered`` says when each activation (by number) was entered: `flow_step.entered_at`.
    """
    return [
        _waiting(each, state, definition, names, (entered or {}).get(each.number))
        for each in state.activations
    ]


def _waiting(
    activation: Activation,
    state: State,
    definition: Definition,
    names: Mapping[int, str],
    since: datetime | None,
) -> Waiting:
    step = definition.plan.steps[activation.step].step
    if not isinstance(step, HumanStep):
        return Waiting(step.name, (), "automatic", since)
    if not activation.seats:
        mode: Mode = "held" if state.held else "automatic"
        return Waiting(step.name, (), mode, since)
    open_now = [seat.holder for seat in activation.seats if seat.state is SeatState.OPEN]
    return Waiting(
        step=step.name,
        people=tuple(names.get(user) or unknown_person() for user in open_now),
        mode=cast("Mode", step.decide.mode),
        since=since,
        decided=sum(seat.state is SeatState.APPROVED for seat in activation.seats),
        total=len(activation.seats),
    )
