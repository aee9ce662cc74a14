"""The history of a request as REST gives it: as sentences, and event by event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from flowadmin.directory.queries import people_by_id
from workflow import recorded
from workflow.api import shapes
from workflow.engine.events import (
    BranchLeft,
    BranchTaken,
    ChildrenPlanned,
    CopySent,
    FormChanged,
    GotoDecided,
    InstanceHeld,
    InstanceStarted,
    Migrated,
    MigrationUndone,
    NoticeSent,
    RulesAnswered,
    StepEntered,
    StepReopened,
    VariablesSet,
)
from workflow.engine.flowdoc.steps import CopyStep, NoticeStep
from workflow.forms.rights import visible
from workflow.models import SPAN
from workflow.published import definition_of
from workflow.reading import entries_of
from workflow.wording import timeline
from workflow.wording.choosing import is_unseen
from workflow.wording.following import Reader
from workflow.wording.reasons import is_hidden

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from flowadmin.directory.queries import Person
    from workflow.engine.events import AnyEvent, Chosen, Leaf
    from workflow.engine.flowdoc import AnyStep
    from workflow.reading import Reading
    from workflow.recorded import Recorded

# Members that are the number of a person, of a seat, or a list of things that hold such numbers.
_PEOPLE = frozenset(
    {"initiator", "holder", "before", "user", "by", "absent", "instead_of", "starter"}
)
_SEATS = {"seat": "task", "by_seat": "by_task", "because": "because_task", "claimed": "claimed"}
_ROWS = frozenset({"old", "new", "since"})
_LISTS = frozenset({"chosen", "dropped", "seats", "children", "edits"})


# Members that are told even when they say nothing; all others only when they say something.
_ALWAYS = frozenset(
    {"comment", "reason", "state", "chosen", "dropped", "when_empty", "by_seat", "leaves"}
)


def timeline_of(reading: Reading) -> list[dict[str, Any]]:
    """The history in sentences of the active language, oldest first (interface.md 7.4)."""
    return [
        {
            "at": entry.at,
            "actor": entry.actor,
            "kind": entry.kind,
            "step": entry.step,
            "state": entry.state,
            "text": entry.text,
            "comment": entry.comment,
            "why": list(entry.why),
            "current": entry.current,
            "files": entry.files,
            "signed": entry.signed,
        }
        for entry in entries_of(reading)
    ]


# The history: events --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HistoryTeller:
    """Events as JSON, without what this reader may not see."""

    reading: Reading
    people: Mapping[int, Person]

    def told(self, record: Recorded) -> dict[str, Any] | None:
        """Who, when, what and why; nothing when the reader may not know that it happened."""
        event = record.event
        if isinstance(event, FormChanged) and not visible(event.changes, self.reading.rights):
            # That a hidden field exists is as hidden as what stands in it.
            return None
        if isinstance(event, VariablesSet) and not self.reading.sees_all:
            # No step says who may read what stands beside the form.
            return None
        return {
            "position": record.position,
            "kind": recorded.kind_of(event),
            "at": record.at,
            "actor": self._person(record.actor_id),
            "data": self._named(self._data(event)),
        }

    def _data(self, event: AnyEvent) -> dict[str, Any]:
        data = _members(event) | self._seen(event)
        # How everything stood before is more than most may see, and is no fact of its own.
        data.pop("was", None)
        if isinstance(event, Migrated | MigrationUndone):
            # Ids of rows; people know a version by its number.
            data = {name: value for name, value in data.items() if name not in _ROWS}
        if not self.reading.sees_all:
            # The digest of what the decider saw would let a reader guess what he may not see.
            data.pop("form", None)
        return {name: msgspec.to_builtins(value) for name, value in data.items()}

    def _seen(self, event: AnyEvent) -> dict[str, Any]:
        """The members of an event that not every reader sees alike, as this one sees them."""
        seen = _SEEN.get(type(event))
        return {} if seen is None else seen(self, event)

    def values_seen(self, event: InstanceStarted) -> dict[str, Any]:
        return {"values": visible(event.values, self.reading.rights)}

    def changes_seen(self, event: FormChanged) -> dict[str, Any]:
        return {"changes": visible(event.changes, self.reading.rights)}

    def leaves_seen(self, event: BranchTaken | BranchLeft | GotoDecided) -> dict[str, Any]:
        return {"leaves": [self._leaf(leaf) for leaf in event.leaves]}

    def sources_seen(self, event: StepEntered) -> dict[str, Any]:
        return {"chosen": [self._chosen(each, event) for each in event.chosen]}

    def notice_seen(self, event: NoticeSent) -> dict[str, Any]:
        """The text may hold what a field holds; it is for its receivers, in their notices."""
        told: dict[str, Any] = {"chosen": [self._chosen(each, event) for each in event.chosen]}
        return told if self.reading.sees_all else told | {"text": ""}

    def source_seen(self, event: CopySent) -> dict[str, Any]:
        return {"why": self._chosen(event.why, event)}

    def answers_seen(self, event: RulesAnswered) -> dict[str, Any]:
        """A rule sees the whole form: what it said is for whoever sees it too."""
        told = [_members(each) for each in event.answers]
        if not self.reading.sees_all:
            told = [{name: each[name] for name in each if name != "value"} for each in told]
        return {"answers": told}

    def about_seen(self, event: InstanceHeld) -> dict[str, Any]:
        return {"about": ""} if event.about and not self._shows(event.about) else {}

    def emptied_seen(self, event: Migrated) -> dict[str, Any]:
        return {"emptied": [each for each in event.emptied if self._shows(each)]}

    def again_seen(self, event: StepReopened) -> dict[str, Any]:
        seats = [{"seat": seat.number} for seat in event.was.seats if seat.waits]
        return {"activation": event.was.number, "step": event.was.step, "seats": seats}

    def children_seen(self, event: ChildrenPlanned) -> dict[str, Any]:
        """What a child is for is the value of a field, which only some may see."""
        items = self.reading.sees_all
        return {
            "children": [
                {"starter": each.starter} | ({"item": each.item} if items else {})
                for each in event.children
            ]
        }

    def _leaf(self, leaf: Leaf) -> dict[str, Any]:
        if is_hidden(leaf, self._shows):
            return {"kind": "field", "hidden": True}
        told = {name: getattr(leaf, name) for name in leaf.__struct_fields__}
        if leaf.kind == "rule" and not self.reading.sees_all:
            told.pop("seen")
        return told

    def _shows(self, field: str) -> bool:
        # A column is as hidden as its table, and may be hidden by itself.
        return self.reading.shows(field.partition(".")[0]) and self.reading.shows(field)

    def _chosen(self, why: Chosen, event: StepEntered | CopySent | NoticeSent) -> dict[str, Any]:
        reader = Reader(self.reading.definition, {}, self.reading.shows, {})
        if any(is_unseen(why, step, reader) for step in self._steps(event)):
            told = _members(why)
            return {name: told[name] for name in ("user", "instead_of") if name in told} | {
                "hidden": True
            }
        return _members(why)

    def _steps(self, event: StepEntered | CopySent | NoticeSent) -> Iterator[AnyStep]:
        """The step of an event, in each version of it; a copy's may be any that sends copies."""
        earlier = (definition_of(version) for version in self.reading.state.versions)
        for definition in (self.reading.definition, *earlier):
            for planned in definition.plan.steps.values():
                copies = isinstance(event, CopySent) and isinstance(planned.step, CopyStep)
                told = isinstance(event, NoticeSent) and isinstance(planned.step, NoticeStep)
                entered = isinstance(event, StepEntered) and planned.id == event.step
                if copies or told or entered:
                    yield planned.step

    def _named(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Numbers of people and seats in the names that they have outside."""
        named: dict[str, Any] = {}
        for name, value in data.items():
            if name in _PEOPLE and isinstance(value, int):
                named[name] = self._person(value)
            elif name in _SEATS and isinstance(value, int):
                named[_SEATS[name]] = self._task(value)
            elif name == "people":
                named[name] = [self._person(user) for user in value]
            elif name in _LISTS:
                named[name] = [self._named(each) for each in value]
            elif name == "why" and isinstance(value, dict):
                named[name] = self._named(value)
            else:
                named[name] = value
        return named

    def _task(self, seat: int) -> str | None:
        return str(self.reading.instance.pk * SPAN + seat) if seat else None

    def _person(self, user: int | None) -> dict[str, str] | None:
        found = None if user is None else self.people.get(user)
        return None if found is None else shapes.person(found)


def _members(struct: msgspec.Struct) -> dict[str, Any]:
    """The members of an event, or of a part of one, that say something."""
    told = {}
    for each in msgspec.structs.fields(struct):
        value = getattr(struct, each.name)
        if each.name in _ALWAYS or each.required or value != each.default:
            told[each.name] = value
    return told


_SEEN: dict[type[Any], Callable[[HistoryTeller, Any], dict[str, Any]]] = {
    InstanceStarted: HistoryTeller.values_seen,
    FormChanged: HistoryTeller.changes_seen,
    BranchTaken: HistoryTeller.leaves_seen,
    BranchLeft: HistoryTeller.leaves_seen,
    GotoDecided: HistoryTeller.leaves_seen,
    StepEntered: HistoryTeller.sources_seen,
    CopySent: HistoryTeller.source_seen,
    NoticeSent: HistoryTeller.notice_seen,
    RulesAnswered: HistoryTeller.answers_seen,
    InstanceHeld: HistoryTeller.about_seen,
    Migrated: HistoryTeller.emptied_seen,
    StepReopened: HistoryTeller.again_seen,
    ChildrenPlanned: HistoryTeller.children_seen,
}


def history_of(reading: Reading, records: Sequence[Recorded]) -> HistoryTeller:
    """The teller of these records, with the names of everybody they mention."""
    found = people_by_id(timeline.mentioned(records).people)
    return HistoryTeller(reading, {each.id: each for each in found})
