"""A request as one person may read it: the rights of his parts in it, its values, its timeline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flowadmin.directory import permissions
from flowadmin.directory.models import Department, Group, Post, Role
from flowadmin.directory.queries import people_by_id, people_by_login
from workflow import queries, recorded
from workflow.engine.plan import START
from workflow.forms.rights import Right, readable, visible
from workflow.models import Task
from workflow.published import definition_of
from workflow.visibility import standing
from workflow.wording import timeline
from workflow.wording.explaining import explain
from workflow.wording.following import Reader

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flowadmin.directory.models import User
    from workflow.engine.decision import Definition
    from workflow.engine.state import State
    from workflow.forms.scalars import Value
    from workflow.models import Instance
    from workflow.recorded import Recorded
    from workflow.wording.explanation import Explained
    from workflow.wording.following import Titles


@dataclass(frozen=True, slots=True)
class Reading:
    """One person reading one request.

    ``rights`` are ``read`` or ``hide`` for each field and each column (``table.column``);
    ``tasks`` are all of the request, oldest first; ``sees_all`` is true for a manager or an
    auditor.
    """

    instance: Instance
    user: User
    definition: Definition
    state: State
    tasks: tuple[Task, ...]
    rights: Mapping[str, Right]
    sees_all: bool

    def shows(self, field: str) -> bool:
        """Whether this person may know of a field, or of a column (``table.column``), at all."""
        return self.rights.get(field, "hide") != "hide"

    def values(self) -> dict[str, Value]:
        """The values that may leave the server for this person."""
        return visible(self.state.values, self.rights)

    def rights_with(self, task: Task) -> Mapping[str, Right]:
        """What the holder of an open task may do with each field; what else he saw he reads."""
        rights = dict(self.rights)
        at_step = self.definition.rights_at(task.step)
        return rights | {name: right for name, right in at_step.items() if right != "hide"}


def reading_of(user: User, instance: Instance) -> Reading:
    """What this person may read of a request that `access` has given him.

    A field may be read when any part of this person in the request shows it: filing it, or a task
    of it, present or past; managers and auditors read all (approvals.md 2.10), and so do the
    managers of a process that shows them its requests.
    """
    definition = definition_of(instance.version_id)
    tasks = tuple(
        Task.objects.filter(instance=instance)
        .select_related("holder", "decided_by")
        .order_by("id")
    )
    sees_all = permissions.has(user, permissions.FLOW_MANAGE) or permissions.has(
        user, permissions.AUDIT_READ
    )
    steps = {task.step for task in tasks if task.holder_id == user.pk}
    state = queries.state_of(instance)
    parts = [_version_with(step, definition, state).rights_at(step) for step in steps]
    if instance.initiator_id == user.pk:
        parts.append(definition.start_rights())
    stands = "" if sees_all else standing(user, instance)
    if stands == "colleague":
        parts.append(definition.start_rights())
    sees_all = sees_all or stands == "manager"
    form = definition.form
    rights = {} if form is None else readable(form, parts, everything=sees_all)
    return Reading(instance, user, definition, state, tasks, rights, sees_all)


def _version_with(step: str, definition: Definition, state: State) -> Definition:
    """The version that knows a step: the present one, or one by which the request went before.

    Whoever had a task of a step that is gone may still read what he saw (approvals.md 4, 92).
    """
    for version in reversed(state.versions):
        if step == START or step in definition.plan.steps:
            break
        earlier = definition_of(version)
        if step in earlier.plan.steps:
            return earlier
    return definition


def entries_of(reading: Reading) -> list[timeline.Entry]:
    """The history in sentences of the active language, oldest first (interface.md 7.4)."""
    records = list(recorded.read(reading.instance.pk))
    reader = reader_of(reading, records)
    return timeline.build(
        records,
        reading.definition,
        reader.names,
        shows=reading.shows,
        state=reading.state,
        titles=reader.titles,
    )


def explained(reading: Reading) -> Explained:
    """Why the request went this way, as far as this person may know it (contract, explain/)."""
    records = list(recorded.read(reading.instance.pk))
    return explain(records, reader_of(reading, records))


def reader_of(reading: Reading, records: list[Recorded]) -> Reader:
    """What the words for these records need: the names of whom and what they mention."""
    mentioned = timeline.mentioned(records, reading.definition.form)
    # An operator of the installation, of another tenant, may have acted here too.
    names = {person.id: person.name for person in people_by_id(mentioned.people)}
    titles = titles_of(reading.instance.tenant_id, mentioned)
    return Reader(reading.definition, names, reading.shows, titles)


_TITLED: dict[str, type[Department | Role | Group | Post]] = {
    "department": Department,
    "role": Role,
    "group": Group,
    "post": Post,
}


def titles_of(tenant_id: int, mentioned: timeline.Mentioned) -> Titles:
    """The names of what is mentioned of a tenant: departments, roles …, and people by login."""
    logins = mentioned.codes("user")
    people = people_by_login(tenant_id, logins) if logins else ()
    titles: Titles = {("user", person.login): person.name for person in people}
    for kind, model in _TITLED.items():
        codes = mentioned.codes(kind)
        if codes:
            rows = model.objects.filter(tenant_id=tenant_id, code__in=codes)
            titles |= {(kind, code): name for code, name in rows.values_list("code", "name")}
    return titles
