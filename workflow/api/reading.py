"""The history of a request as REST gives it: as sentences, and event by event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from flowadmin.directory.queries import people_by_id
from workflow import recorded
from workflow.api import shapes
from workflow.engine.events import BranchTaken, FormChanged, InstanceStarted
from workflow.forms.rights import visible
from workflow.models import SPAN
from workflow.reading import entries_of
from workflow.wording import timeline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flowadmin.directory.queries import Person
    from workflow.engine.events import AnyEvent, Leaf
    from workflow.reading import Reading
    from workflow.recorded import Recorded

_PEOPLE = frozenset({"initiator", "holder", "before", "user"})
_SEATS = {"seat": "task", "by_seat": "by_task"}


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
        return {
            "position": record.position,
            "kind": recorded.kind_of(event),
            "at": record.at,
            "actor": self._person(record.actor_id),
            "data": self._named(self._data(event)),
        }

    def _data(self, event: AnyEvent) -> dict[str, Any]:
        data = {name: getattr(event, name) for name in event.__struct_fields__}
        if isinstance(event, InstanceStarted):
            data["values"] = visible(event.values, self.reading.rights)
        elif isinstance(event, FormChanged):
            data["changes"] = visible(event.changes, self.reading.rights)
        elif isinstance(event, BranchTaken):
            data["leaves"] = [self._leaf(leaf) for leaf in event.leaves]
        if not self.reading.sees_all:
            # The digest of what the decider saw would let a reader guess what he may not see.
            data.pop("form", None)
        return {name: msgspec.to_builtins(value) for name, value in data.items()}

    def _leaf(self, leaf: Leaf) -> dict[str, Any]:
        # `table.column` and the like are as hidden as the field that they belong to.
        if leaf.kind == "field" and not self.reading.shows(leaf.asked.partition(".")[0]):
            return {"kind": "field", "hidden": True}
        return {name: getattr(leaf, name) for name in leaf.__struct_fields__}

    def _named(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """Numbers of people and seats in the names that they have outside."""
        named: dict[str, Any] = {}
        for name, value in data.items():
            if name in _PEOPLE:
                named[name] = self._person(value)
            elif name in _SEATS:
                task = self.reading.instance.pk * SPAN + value if value else None
                named[_SEATS[name]] = None if task is None else str(task)
            elif name in {"chosen", "dropped"}:
                named[name] = [self._named(each) for each in value]
            elif name == "why" and isinstance(value, dict):
                named[name] = self._named(value)
            else:
                named[name] = value
        return named

    def _person(self, user: int | None) -> dict[str, str] | None:
        found = None if user is None else self.people.get(user)
        return None if found is None else shapes.person(found)


def history_of(reading: Reading, records: Sequence[Recorded]) -> HistoryTeller:
    """The teller of these records, with the names of everybody they mention."""
    found = people_by_id(timeline.mentioned(records).people)
    return HistoryTeller(reading, {each.id: each for each in found})
