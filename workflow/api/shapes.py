"""The shapes of the contract as plain values: requests, tasks, people, the fields of a form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.translation import get_language

from workflow.engine.state import InstanceState, SeatState
from workflow.forms.formdoc import label_in, text_in
from workflow.models import SPAN, Task

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from flowadmin.directory.models import User
    from flowadmin.directory.queries import Person
    from workflow.forms.formdoc import Field, FormDoc
    from workflow.forms.rights import Right
    from workflow.models import Instance
    from workflow.queries import TaskLine
    from workflow.runtime.execute import Outcome

WRITABLE = frozenset({"edit", "must"})
INSTANCE_FIELDS = (
    "id", "definition__key", "version__number", "number", "title", "state", "held",
    "initiator__login", "initiator__name", "started_at", "ended_at",
)  # fmt: skip


def person(somebody: User | Person) -> dict[str, str]:
    """A person by login name, with the name to show."""
    return {"login": somebody.login, "name": somebody.name}


def instance_row(row: tuple[Any, ...]) -> dict[str, Any]:
    """A request from the columns of `INSTANCE_FIELDS` (contract, Shapes).

    ``held`` and ``paused`` lie over the state; nothing pauses a request in this version.
    """
    pk, flow, version, number, title, state, held, login, name, started_at, ended_at = row
    return {
        "id": str(pk),
        "flow": flow,
        "version": version,
        "number": number,
        "title": title,
        "state": state,
        "held": held is not None and state == InstanceState.RUNNING,
        "paused": False,
        "initiator": {"login": login, "name": name},
        "started_at": started_at,
        "ended_at": ended_at,
    }


def instance_of_row(instance: Instance) -> dict[str, Any]:
    """A request that was read with its process, version and initiator."""
    return instance_row(
        (
            instance.pk,
            instance.definition.key,
            instance.version.number,
            instance.number,
            instance.title,
            instance.state,
            instance.held,
            instance.initiator.login,
            instance.initiator.name,
            instance.started_at,
            instance.ended_at,
        )
    )


def instance_after(outcome: Outcome, version: int, initiator: User) -> dict[str, Any]:
    """A request as a command has just left it; ``version`` is the process version's number."""
    return instance_row(
        (
            outcome.instance_id,
            outcome.definition.plan.doc.key,
            version,
            outcome.number,
            outcome.title,
            outcome.state.status.value,
            outcome.state.held,
            initiator.login,
            initiator.name,
            outcome.started_at,
            outcome.projection.ended_at,
        )
    )


def verbs(*, state: str, running: bool, is_holder: bool) -> list[str]:
    """The actions of a task that the API accepts from this person now (contract, `tasks/` rows).

    Whoever may read a running request may comment; the holder of an open task decides it.
    """
    if not running:
        return []
    decides = is_holder and state == SeatState.OPEN
    return [*(("approve", "reject") if decides else ()), "comment"]


def task_line(line: TaskLine) -> dict[str, Any]:
    """One row of a person's own task list."""
    return _task(
        pk=line.id,
        version=line.version,
        of=(line.instance_id, line.title, line.flow),
        step=(line.step, line.step_name),
        state=line.state,
        due_at=line.due_at,
        created_at=line.created_at,
        actions=verbs(
            state=line.state,
            running=line.instance_state == InstanceState.RUNNING,
            is_holder=True,
        ),
    )


def task_of_row(task: Task, instance: Instance, user: User) -> dict[str, Any]:
    """A task of a request that was read with its process, as this person may act on it."""
    return _task(
        pk=task.pk,
        version=task.version,
        of=(instance.pk, instance.title, instance.definition.key),
        step=(task.step, task.step_name),
        state=task.state,
        due_at=task.due_at,
        created_at=task.created_at,
        actions=verbs(
            state=task.state,
            running=instance.state == InstanceState.RUNNING,
            is_holder=task.holder_id == user.pk,
        ),
    )


def task_after(outcome: Outcome, task: Task, user: User) -> dict[str, Any]:
    """The task that a command spoke of, as it has just left it.

    Must be called inside the command's transaction: a task that it did not touch is read there.
    """
    moved = outcome.projection.tasks.get(task.pk % SPAN)
    if moved is None:
        row = Task.objects.get(pk=task.pk)
        version, state, holder = row.version, row.state, row.holder_id
    else:
        version, state, holder = moved.version, moved.state.value, moved.holder
    return _task(
        pk=task.pk,
        version=version,
        of=(outcome.instance_id, outcome.title, outcome.definition.plan.doc.key),
        step=(task.step, task.step_name),
        state=state,
        due_at=outcome.task_due_at,
        created_at=outcome.task_created_at or task.created_at,
        actions=verbs(
            state=state,
            running=outcome.state.status is InstanceState.RUNNING,
            is_holder=holder == user.pk,
        ),
    )


def _task(
    *,
    pk: int,
    version: int,
    of: tuple[int, str, str],
    step: tuple[str, str],
    state: str,
    due_at: datetime | None,
    created_at: datetime,
    actions: list[str],
) -> dict[str, Any]:
    instance, title, flow = of
    return {
        "id": str(pk),
        "version": version,
        "instance": {"id": str(instance), "title": title},
        "flow": flow,
        "step": {"id": step[0], "name": step[1]},
        "state": state,
        "due_at": due_at,
        "created_at": created_at,
        "actions": actions,
    }


def fields(form: FormDoc | None, rights: Mapping[str, Right]) -> list[dict[str, Any]]:
    """The fields of a form that may be seen, in order; of the others not even the id is told."""
    return list(_fields(form, rights))


def _fields(form: FormDoc | None, rights: Mapping[str, Right]) -> Iterable[dict[str, Any]]:
    language = get_language() or "en"
    for field in form.fields if form is not None else ():
        right = rights.get(field.id, "hide")
        if right != "hide":
            yield _field(field, "read" if field.sum_of else right, language)


def _field(field: Field, right: Right, language: str) -> dict[str, Any]:
    limits = field.limits
    return {
        "id": field.id,
        "type": field.type,
        "label": label_in(field, language),
        "help": text_in(field.help, language),
        "required": right in WRITABLE and (field.required or right == "must"),
        "right": right,
        "default": field.default if right in WRITABLE else None,
        "limits": {}
        if limits is None
        else {
            name: value
            for name in limits.__struct_fields__
            if (value := getattr(limits, name)) is not None
        },
        "options": [
            {"id": option.id, "label": text_in(option.label, language) or option.id}
            for option in field.options
        ],
    }
