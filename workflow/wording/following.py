"""A walk along a history for somebody who reads: what is known after each event, and names."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from django.utils.translation import get_language

from workflow.engine.events import (
    CopySent,
    Migrated,
    MigrationUndone,
    StepEntered,
    StepReopened,
    TaskAssigned,
)
from workflow.engine.evolve import evolve
from workflow.published import definition_of
from workflow.wording.states import listed, step_name, unknown_person

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime

    from workflow.engine.decision import Definition
    from workflow.engine.events import AnyEvent
    from workflow.engine.flowdoc.steps import AnyStep
    from workflow.engine.state import Activation, Seat, State
    from workflow.recorded import Recorded

Kind = TypeVar("Kind")
# Codes of departments, roles, groups and posts, and logins → their names: ("role", code).
Titles = dict[tuple[str, str], str]


@dataclass(slots=True)
class Reader:
    """Who reads, and in which words: names by number, titles by code, fields that may be seen.

    ``shows`` is asked with the id of a field or with ``table.column``. ``definition`` is the
    version by which the request went at the moment that is told.
    """

    definition: Definition
    names: Mapping[int, str]
    shows: Callable[[str], bool]
    titles: Titles
    language: str = field(default_factory=lambda: get_language() or "en")

    def person(self, user: int) -> str:
        return self.names.get(user) or unknown_person()

    def people(self, users: Iterable[int]) -> str:
        return listed(self.person(user) for user in dict.fromkeys(users))

    def step(self, step_id: str) -> str:
        return step_name(self.definition, step_id)

    @property
    def shows_all(self) -> bool:
        """Whether no field of the form is hidden: what a rule said may tell of any of them."""
        form = self.definition.form
        return form is None or all(self.shows(each.id) for each in form.fields)

    def shows_field(self, name: str) -> bool:
        """Whether a field, or a column together with its table, may be known of."""
        return self.shows(name.partition(".")[0]) and self.shows(name)


def at_the_start(reader: Reader, records: Iterable[Recorded]) -> Reader:
    """The reader at the beginning of this history: by the version that the request began with."""
    moved = (each.event.old for each in records if isinstance(each.event, Migrated))
    first = next(moved, None)
    return replace(reader, definition=definition_of(first) if first else reader.definition)


@dataclass(slots=True)
class Following:
    """What is known of a history so far; one command (time, actor, events) is told at a time.

    ``now`` is the state after the event that is told and ``before`` the one before it. ``seen``
    are all activations, each as it stood last, also those that have ended; a step is called what
    the version called it by which it was entered (``entered_by``).
    """

    reader: Reader
    now: State | None = None
    before: State | None = None
    seen: dict[int, Activation] = field(default_factory=dict)
    homes: dict[int, int] = field(default_factory=dict)
    entered_by: dict[int, Definition] = field(default_factory=dict)
    at: datetime = field(init=False)
    actor: int | None = field(init=False)
    events: list[AnyEvent] = field(init=False)

    def begin(self, at: datetime, actor: int | None, events: list[AnyEvent]) -> None:
        """The command that is told from now on."""
        self.at, self.actor, self.events = at, actor, events

    def take(self, event: AnyEvent) -> None:
        """Fold one more event, before it is told."""
        self.before, self.now = self.now, evolve(self.now, event)
        if isinstance(event, TaskAssigned | CopySent):
            self.homes[event.seat] = event.activation
        elif isinstance(event, StepReopened):
            self.homes |= {seat.number: event.was.number for seat in event.was.seats}
        elif isinstance(event, StepEntered):
            self.entered_by[event.activation] = self.reader.definition
        elif isinstance(event, Migrated | MigrationUndone):
            self.reader.definition = definition_of(event.new)
        for activation in self.now.activations:
            self.seen[activation.number] = activation

    def seat(self, number: int) -> Seat | None:
        """A seat as it stands, also of a step that has ended."""
        activation = self.seen.get(self.homes.get(number, 0))
        return None if activation is None else activation.seat(number)

    def holder(self, number: int) -> int:
        """Who holds or held a seat; 0 for one that is not known."""
        seat = self.seat(number)
        return 0 if seat is None else seat.holder

    def step_of(self, activation: int) -> AnyStep | None:
        """The step of the process that was entered; nothing for ``start``."""
        found = self.seen.get(activation)
        planned = self._version_of(activation).plan.steps.get(found.step) if found else None
        return None if planned is None else planned.step

    def name_of(self, activation: int) -> str:
        """What the step is called that was entered."""
        found = self.seen.get(activation)
        return "" if found is None else step_name(self._version_of(activation), found.step)

    def _version_of(self, activation: int) -> Definition:
        return self.entered_by.get(activation, self.reader.definition)

    def name_at(self, seat: int) -> str:
        """What the step of a seat is called."""
        return self.name_of(self.homes.get(seat, 0))

    def of(self, kind: type[Kind]) -> list[Kind]:
        """The events of this kind in the command."""
        return [each for each in self.events if isinstance(each, kind)]

    def within(self, kind: type[Any], activation: int) -> list[Any]:
        """The events of this kind in the command that name this activation."""
        return [each for each in self.of(kind) if each.activation == activation]

    def assigned(self, group: int, activation: int) -> list[int]:
        """Who got a seat in a group of this activation by this command."""
        return [
            each.holder for each in self.within(TaskAssigned, activation) if each.group == group
        ]
