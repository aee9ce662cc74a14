"""A request as one person may read it: the rights of his parts in it, its values, its timeline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flowadmin.directory import permissions
from flowadmin.directory.models import Department, Role
from flowadmin.directory.queries import people_by_id
from workflow import queries, recorded
from workflow.forms.rights import Right, visible
from workflow.models import Task
from workflow.published import definition_of
from workflow.wording import timeline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flowadmin.directory.models import User
    from workflow.engine.decision import Definition
    from workflow.engine.state import State
    from workflow.forms.scalars import Value
    from workflow.models import Instance
    from workflow.wording.reasons import Titles


@dataclass(frozen=True, slots=True)
class Reading:
    """One person reading one request.

    ``rights`` are ``read`` or ``hide`` for each field; ``tasks`` are all of the request, oldest
    first; ``sees_all`` is true for a manager or an auditor.
    """

    instance: Instance
    user: User
    definition: Definition
    state: State
    tasks: tuple[Task, ...]
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
        at_step = self.definition.rights_at(task.step)
        return rights | {name: right for name, right in at_step.items() if right != "hide"}


def reading_of(user: User, instance: Instance) -> Reading:
    """What this person may read of a request that `access` has given him.

    A field may be read when any part of this person in the request shows it: filing it, or a task
    of it, present or past; managers and auditors read all (approvals.md 2.10).
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
    parts = [definition.rights_at(step) for step in steps]
    if instance.initiator_id == user.pk:
        parts.append(definition.start_rights())
    fields = () if definition.form is None else definition.form.fields
    rights: dict[str, Right] = {
        field.id: "read"
        if sees_all or any(part.get(field.id, "hide") != "hide" for part in parts)
        else "hide"
        for field in fields
    }
    state = queries.state_of(instance)
    return Reading(instance, user, definition, state, tasks, rights, sees_all)


def entries_of(reading: Reading) -> list[timeline.Entry]:
    """The history in sentences of the active language, oldest first (interface.md 7.4)."""
    records = list(recorded.read(reading.instance.pk))
    mentioned = timeline.mentioned(records)
    return timeline.build(
        records,
        reading.definition,
        # An operator of the installation, of another tenant, may have acted here too.
        {person.id: person.name for person in people_by_id(mentioned.people)},
        shows=reading.shows,
        state=reading.state,
        titles=_titles(reading.instance.tenant_id, mentioned),
    )


def _titles(tenant_id: int, mentioned: timeline.Mentioned) -> Titles:
    titles: Titles = {}
    if mentioned.departments:
        units = Department.objects.filter(tenant_id=tenant_id, code__in=mentioned.departments)
        titles |= {("department", code): name for code, name in units.values_list("code", "name")}
    if mentioned.roles:
        roles = Role.objects.filter(tenant_id=tenant_id, code__in=mentioned.roles)
        titles |= {("role", code): name for code, name in roles.values_list("code", "name")}
    return titles
