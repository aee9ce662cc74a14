"""A request as one person may read it through REST: fields, values, timeline and history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from flowadmin.directory import permissions
from flowadmin.directory.models import Department, Role
from flowadmin.directory.queries import people_by_id
from workflow import queries, recorded
from workflow.api import shapes
from workflow.engine.events import BranchTaken, FormChanged, InstanceStarted
from workflow.forms.rights import Right, visible
from workflow.models import SPAN, Task
from workflow.published import definition_of
from workflow.wording import timeline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from flowadmin.directory.models import User
    from flowadmin.directory.queries import Person
    from workflow.engine.decision import Definition
    from workflow.engine.events import AnyEvent, Leaf
    from workflow.engine.state import State
    from workflow.forms.scalars import Value
    from workflow.models import Instance
    from workflow.recorded import Recorded
    from workflow.wording.reasons import Titles

_PEOPLE = frozenset({"initiator", "holder", "before", "user"})
_SEATS = {"seat": "task", "by_seat": "by_task"}


@dataclass(frozen=True, slots=True)
class Reading:
    """One person reading one request. ``rights`` are ``read`` or ``hide`` for each field.

    ``sees_all``: a manager or an auditor.
    """

    instance: Instance
    user: User
    definition: Definition
    state: State
    rights: Mapping[str, Right]
    sees_all: bool

    def shows(self, field: str) -> bool:
        """Whether this person may know of a field at all."""
        return self.rights.get(field, "hide") != "hide"

    def values(self) -> dict[str, Value]:
        """The values that may leave the server for this person."""
        return visible(self.state.values, self.rights)

    def rights_with(self, task: Task) -> Mapping[str, Right]:
        """What the holder of an open task may do with each field; what else he saw he reads."""
        rights = dict(self.rights)
        at_step = queries.rights_at(self.definition, task.step)
        return rights | {name: right for name, right in at_step.items() if right != "hide"}


def reading_of(user: User, instance: Instance) -> Reading:
    """What this person may read of a request that `access` has given them.

    A field may be read when any part of this person in the request shows it (approvals.md 2.10).
    """
    definition = definition_of(instance.version_id)
    everything = permissions.has(user, permissions.FLOW_MANAGE) or permissions.has(
        user, permissions.AUDIT_READ
    )
    held = Task.objects.filter(instance=instance, holder=user.pk)
    steps = held.values_list("step", flat=True).distinct()
    parts = [queries.rights_at(definition, step) for step in steps]
    if instance.initiator_id == user.pk:
        parts.append(queries.start_rights(definition))
    fields = () if definition.form is None else definition.form.fields
    rights: dict[str, Right] = {
        field.id: "read"
        if everything or any(part.get(field.id, "hide") != "hide" for part in parts)
        else "hide"
        for field in fields
    }
    return Reading(instance, user, definition, queries.state_of(instance), rights, everything)


# The timeline: sentences ----------------------------------------------------------------------


def timeline_of(reading: Reading) -> list[dict[str, Any]]:
    """The history in sentences of the active language, oldest first (interface.md 7.4)."""
    records = list(recorded.read(reading.instance.pk))
    mentioned = timeline.mentioned(records)
    entries = timeline.build(
        records,
        reading.definition,
        # An operator of the installation, of another tenant, may have acted here too.
        {each.id: each.name for each in people_by_id(mentioned.people)},
        shows=reading.shows,
        state=reading.state,
        titles=_titles(reading.instance.tenant_id, mentioned),
    )
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
        for entry in entries
    ]


def _titles(tenant_id: int, mentioned: timeline.Mentioned) -> Titles:
    titles: Titles = {}
    if mentioned.departments:
        units = Department.objects.filter(tenant_id=tenant_id, code__in=mentioned.departments)
        titles |= {("department", code): name for code, name in units.values_list("code", "name")}
    if mentioned.roles:
        roles = Role.objects.filter(tenant_id=tenant_id, code__in=mentioned.roles)
        titles |= {("role", code): name for code, name in roles.values_list("code", "name")}
    return titles


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
