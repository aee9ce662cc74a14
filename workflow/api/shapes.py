"""The shapes of the contract as plain values: requests, tasks, people, the fields of a form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from workflow import access, offering, queries
from workflow.engine.state import InstanceState
from workflow.forms.formdoc import label_in, text_in
from workflow.forms.rights import WRITABLE, RowRight, may_rows
from workflow.models import SPAN, Task
from workflow.published import definition_of
from workflow.wording.states import step_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from flowadmin.directory.models import User
    from flowadmin.directory.queries import Person
    from workflow.engine.decision import Definition
    from workflow.forms.formdoc import Field, FormDoc
    from workflow.forms.rights import Right
    from workflow.models import Instance
    from workflow.queries import TaskLine
    from workflow.runtime.execute import Outcome

ROW_RIGHTS: tuple[RowRight, ...] = ("add", "edit", "delete")
INSTANCE_FIELDS = (
    "id", "definition__key", "version__number", "number", "title", "state", "held",
    "snapshot__paused", "initiator__login", "initiator__name", "started_at", "ended_at",
)  # fmt: skip


def person(somebody: User | Person) -> dict[str, str]:
    """A person by login name, with the name to show."""
    return {"login": somebody.login, "name": somebody.name}


def instance_row(row: tuple[Any, ...]) -> dict[str, Any]:
    """A request from the columns of `INSTANCE_FIELDS` (contract, Shapes).

    ``held`` and ``paused`` lie over the state of a request that runs.
    """
    pk, flow, version, number, title, state, held, paused, login, name, started_at, ended_at = row
    running = state == InstanceState.RUNNING
    return {
        "id": str(pk),
        "flow": flow,
        "version": version,
        "number": number,
        "title": title,
        "state": state,
        "held": held is not None and running,
        "paused": bool(paused) and running,
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
            instance.snapshot.get("paused"),
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
            outcome.state.paused,
            initiator.login,
            initiator.name,
            outcome.started_at,
            outcome.projection.ended_at,
        )
    )


def task_line(line: TaskLine, actions: list[str]) -> dict[str, Any]:
    """One row of a person's own task list; ``actions`` are the verbs that would be accepted."""
    return _task(
        pk=line.id,
        version=line.version,
        of=(line.instance_id, line.title, line.flow),
        step=step(definition_of(line.version_id), line.step, line.step_name),
        state=line.state,
        due_at=line.due_at,
        created_at=line.created_at,
        actions=actions,
    )


def task_of_row(task: Task, instance: Instance, actions: list[str]) -> dict[str, Any]:
    """A task of a request that was read with its process; ``actions`` as in `task_line`."""
    return _task(
        pk=task.pk,
        version=task.version,
        of=(instance.pk, instance.title, instance.definition.key),
        step=step(definition_of(instance.version_id), task.step, task.step_name),
        state=task.state,
        due_at=task.due_at,
        created_at=task.created_at,
        actions=actions,
    )


def task_after(outcome: Outcome, task: Task, user: User) -> dict[str, Any]:
    """The task that a command spoke of, as it has just left it, and what may be done with it now.

    Must be called inside the command's transaction: a task that it did not touch is read there.
    """
    moved = outcome.projection.tasks.get(task.pk % SPAN)
    if moved is None:
        row = Task.objects.get(pk=task.pk)
        held, version, due_at = offering.Held.of(row), row.version, row.due_at
    else:
        held = offering.Held(
            task.pk, moved.holder, moved.state.value, moved.decided_at, copy=moved.kind == "copy"
        )
        version, due_at = moved.version, moved.due_at
    at = offering.Situation(
        user,
        outcome.definition,
        outcome.state,
        outcome.decision.now,
        lambda: queries.histories_of([outcome.instance_id])[outcome.instance_id],
    )
    # Whoever has handed his only task on may not know of the request any more.
    left = task.holder_id == user.pk != held.holder
    reads = not left or access.may_read(user, outcome.instance_id)
    return _task(
        pk=task.pk,
        version=version,
        of=(outcome.instance_id, outcome.title, outcome.definition.plan.doc.key),
        step=step(outcome.definition, task.step, task.step_name),
        state=held.state,
        due_at=due_at,
        created_at=outcome.task_created_at or task.created_at,
        actions=offering.verbs(offering.task_offers(at, held)) if reads else [],
    )


def step(definition: Definition, step_id: str, called: str = "") -> dict[str, str]:
    """A step by its id, with the name to show; the start and the end have words of their own.

    ``called`` is its name in the version by which the task came to be: what a step is called that
    the request's present version does not have.
    """
    name = _("End") if step_id == "end" else step_name(definition, step_id)
    gone = called and step_id not in definition.plan.steps
    return {"id": step_id, "name": called if gone else name}


def _task(
    *,
    pk: int,
    version: int,
    of: tuple[int, str, str],
    step: dict[str, str],
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
        "step": step,
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
            shown = _field(field, "read" if field.sum_of else right, language)
            yield shown | {
                "columns": list(_columns(field, rights, language)),
                "rows": [what for what in ROW_RIGHTS if may_rows(rights, field.id, what)],
            }


def _columns(table: Field, rights: Mapping[str, Right], language: str) -> Iterable[dict[str, Any]]:
    for column in table.columns:
        right = rights.get(f"{table.id}.{column.id}", "hide")
        if right != "hide":
            yield _field(column, "read" if column.sum_of else right, language)


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
