"""Files that a command brings along are bound to its request, in the command's transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flowadmin.files import storing
from flowadmin.files.binding import NotUnbound, NotYours, bind
from flowadmin.rest.problems import Problem
from workflow.engine.events import (
    FormChanged,
    GroupAdded,
    InstanceStarted,
    OpinionGiven,
    PeopleAdded,
    TaskApproved,
    TaskCompleted,
    TaskHandedOn,
    TaskReassigned,
    TaskRejected,
    TaskReturned,
)
from workflow.forms.scalars import rows_of
from workflow.models import SPAN
from workflow.wording.rejections import rejection_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from workflow.engine.events import AnyEvent
    from workflow.forms.formdoc import Field, FormDoc
    from workflow.forms.scalars import Value

SIGNATURE = "/signature"
_SIGNED = TaskApproved | TaskRejected | TaskCompleted | TaskReturned | OpinionGiven
_WITH_FILES = _SIGNED | GroupAdded | PeopleAdded | TaskHandedOn | TaskReassigned


def bind_files(
    *,
    tenant_id: int,
    instance_id: int,
    form: FormDoc | None,
    events: Sequence[AnyEvent],
    owner_id: int | None,
    now: datetime,
) -> None:
    """Bind every file that the events name (contract, Files).

    To ``instance:<id>:task:<task id>`` what came with a task, to ``instance:<id>:field:<id>``
    what stands in a field: whoever may read that may read the file. Raises the Problem of
    `flowadmin.files`: 422 file.unknown, 409 file.bound, with the place that named the file.
    """
    if owner_id is None:
        return
    for bound_to, at, ids in _named(instance_id, form, events):
        try:
            bind(
                tenant_id=tenant_id,
                file_ids=ids,
                owner_id=owner_id,
                bound_to=bound_to,
                now=now,
            )
        except (NotYours, NotUnbound) as refusal:
            for error in refusal.errors or ():
                error["at"] = at
            raise
        if at == SIGNATURE:
            _require_picture(tenant_id, ids)


def _require_picture(tenant_id: int, ids: Sequence[str]) -> None:
    """A signature is seen or it is none. Raises Problem 422 signature.no_picture."""
    for shape in storing.described(tenant_id, ids).values():
        if not shape["type"].startswith("image/"):
            text = rejection_text("signature.no_picture")
            error = {"code": "signature.no_picture", "at": SIGNATURE, "args": {}, "message": text}
            raise Problem(422, "signature.no_picture", text, errors=[error])


def _named(
    instance_id: int, form: FormDoc | None, events: Iterable[AnyEvent]
) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Where to bind, the pointer that named it, and the ids."""
    for event in events:
        if isinstance(event, _WITH_FILES):
            place = f"instance:{instance_id}:task:{instance_id * SPAN + event.seat}"
            if event.files:
                yield place, "/attachments", event.files
            if isinstance(event, _SIGNED) and event.signature:
                yield place, SIGNATURE, (event.signature,)
        elif isinstance(event, FormChanged | InstanceStarted) and form is not None:
            values = event.values if isinstance(event, InstanceStarted) else event.changes
            for field in form.fields:
                ids = _ids(field, values.get(field.id))
                if ids:
                    yield f"instance:{instance_id}:field:{field.id}", f"/form/{field.id}", ids


def _ids(field: Field, value: Value) -> tuple[str, ...]:
    if field.type == "file":
        return _texts(value)
    if field.type != "table":
        return ()
    columns = [column.id for column in field.columns if column.type == "file"]
    return tuple(
        each for row in rows_of(value) for column in columns for each in _texts(row.get(column))
    )


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, list | tuple):
        return tuple(each for each in value if isinstance(each, str))
    return ()
