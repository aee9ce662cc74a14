"""A request as one person may read it: their rights in it, the fields and the timeline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flowadmin.directory import permissions
from flowadmin.directory.models import Department, Role, User
from flowadmin.directory.queries import people_by_id
from workflow import queries, recorded
from workflow.engine.state import InstanceState, State
from workflow.models import Instance, Task
from workflow.pages.answers import language_of_page
from workflow.pages.forms import read_rows
from workflow.published import definition_of
from workflow.wording import timeline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workflow.engine.decision import Definition
    from workflow.forms.rights import Right
    from workflow.wording.reasons import Titles

# word of an entry -> tone and icon of its mark
MARKS: dict[str, tuple[str, str]] = {
    "started": ("info", "send"),
    "approved": ("success", "circle-check"),
    "rejected": ("danger", "circle-x"),
    "closed": ("neutral", "square-x"),
    "copied": ("neutral", "copy"),
    "assigned": ("neutral", "user"),
    "reassigned": ("purple", "user-share"),
    "held": ("warning", "hand-stop"),
    "automatic": ("purple", "git-branch"),
    "comment": ("neutral", "message"),
    "changed": ("neutral", "pencil"),
    "finished": ("neutral", "flag"),
}
_ENDED: dict[InstanceState, tuple[str, str]] = {
    InstanceState.APPROVED: ("success", "flag"),
    InstanceState.REJECTED: ("danger", "flag"),
}


@dataclass(frozen=True, slots=True)
class Reading:
    """One person reading one request. ``rights`` are ``read`` or ``hide`` for each field."""

    instance: Instance
    user: User
    definition: Definition
    state: State
    tasks: tuple[Task, ...]
    rights: Mapping[str, Right]

    def rows(self, rights: Mapping[str, Right] | None = None) -> list[tuple[str, str]]:
        """Label and text of each field to read; ``rights`` when some are edited instead."""
        form = self.definition.form
        if form is None:
            return []
        shown = self.rights if rights is None else rights
        return read_rows(form, shown, self.state.values, language_of_page())

    def shows(self, field: str) -> bool:
        """Whether this person may know of a field at all."""
        return self.rights.get(field, "hide") != "hide"


def reading_of(user: User, instance: Instance) -> Reading:
    """What this person may read of a request that `access` has given them."""
    definition = definition_of(instance.version_id)
    tasks = tuple(
        Task.objects.filter(instance=instance)
        .select_related("holder", "decided_by")
        .order_by("id")
    )
    return Reading(
        instance=instance,
        user=user,
        definition=definition,
        state=queries.state_of(instance),
        tasks=tasks,
        rights=_rights(user, instance, definition, tasks),
    )


def _rights(
    user: User, instance: Instance, definition: Definition, tasks: tuple[Task, ...]
) -> Mapping[str, Right]:
    """A field may be read when any part of this person in the request shows it (2.10)."""
    if definition.form is None:
        return {}
    parts = [queries.start_rights(definition)] if instance.initiator_id == user.pk else []
    steps = {task.step for task in tasks if task.holder_id == user.pk}
    parts += [queries.rights_at(definition, step) for step in steps]
    everything = permissions.has(user, permissions.FLOW_MANAGE) or permissions.has(
        user, permissions.AUDIT_READ
    )
    return {
        field.id: "read"
        if everything or any(part.get(field.id, "hide") != "hide" for part in parts)
        else "hide"
        for field in definition.form.fields
    }


def timeline_of(reading: Reading) -> list[dict[str, Any]]:
    """The entries of `components/timeline.html`, oldest first."""
    records = list(recorded.read(reading.instance.pk))
    mentioned = timeline.mentioned(records)
    # An operator of the installation, of another tenant, may have acted here too.
    people = people_by_id(mentioned.people)
    entries = timeline.build(
        records,
        reading.definition,
        {person.id: person.name for person in people},
        shows=reading.shows,
        state=reading.state,
        titles=_titles(reading.instance.tenant_id, mentioned),
    )
    return [_entry(entry, reading.state.status) for entry in entries]


def _entry(entry: timeline.Entry, status: InstanceState) -> dict[str, Any]:
    tone, icon = MARKS[entry.state]
    if entry.state == "finished":
        tone, icon = _ENDED.get(status, (tone, icon))
    return {
        "title": entry.text,
        "tone": "info" if entry.current else tone,
        "icon": icon,
        "at": entry.at,
        "comment": entry.comment,
        "reasons": entry.why,
        "current": entry.current,
    }


def _titles(tenant_id: int, mentioned: timeline.Mentioned) -> Titles:
    titles: Titles = {}
    if mentioned.departments:
        units = Department.objects.filter(tenant_id=tenant_id, code__in=mentioned.departments)
        titles |= {("department", code): name for code, name in units.values_list("code", "name")}
    if mentioned.roles:
        roles = Role.objects.filter(tenant_id=tenant_id, code__in=mentioned.roles)
        titles |= {("role", code): name for code, name in roles.values_list("code", "name")}
    return titles
