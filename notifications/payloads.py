"""What a callback says: one event of a task, as canonical JSON whose bytes never change again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from workflow.forms.rights import readable, visible
from workflow.forms.scalars import moment_text

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime

    from workflow.forms.formdoc import FormDoc
    from workflow.forms.rights import Right
    from workflow.forms.scalars import Value

EVERY_FIELD: Final = "*"
# The transport takes 256 KiB (reliability.md 4.3).
MOST_BYTES: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class Told:
    """An event and the request as it was at that moment; ``task_id`` is 0 without a task.

    ``tenant`` is the tenant's code, ``decided_by`` a login or None, ``at`` aware.
    """

    event_id: str
    event: str
    at: datetime
    tenant: str
    flow: str
    version: int
    instance_id: int
    number: str
    title: str
    state: str
    step: str
    step_name: str
    task_id: int = 0
    decision: str = ""
    decided_by: str | None = None
    comment: str = ""


def payload(told: Told, shown: Mapping[str, Value]) -> str:
    """The JSON text of a callback (contract, Callback request; docs/reference/callback.md).

    ``shown`` are the values that the receiver may see. What would be too long for the transport
    is sent without them: ``form`` is null then, so that the event itself is never lost.
    """
    whole = _text(told, dict(shown))
    return whole if len(whole.encode()) <= MOST_BYTES else _text(told, None)


def shown_values(
    form: FormDoc | None, values: Mapping[str, Value], names: Collection[str]
) -> dict[str, Value]:
    """The values of these fields: ids, ``table.column``, or ``*`` for all of the form."""
    if form is None or not names:
        return {}
    every = EVERY_FIELD in names
    rights: dict[str, Right] = dict.fromkeys(names, "read")
    for field in form.fields:
        columns = [f"{field.id}.{column.id}" for column in field.columns]
        if field.id in names:
            rights.update(dict.fromkeys(columns, "read"))
        elif any(column in names for column in columns):
            rights[field.id] = "read"
    return visible(values, readable(form, [rights], everything=every))


def _text(told: Told, form: Mapping[str, Value] | None) -> str:
    task: dict[str, Any] | None = None
    if told.task_id:
        task = {
            "id": str(told.task_id),
            "decision": told.decision,
            "decided_by": told.decided_by,
            "comment": told.comment,
        }
    said = {
        "event_id": told.event_id,
        "event": told.event,
        "occurred_at": moment_text(told.at),
        "tenant": told.tenant,
        "flow": {"key": told.flow, "version": told.version},
        "instance": {
            "id": str(told.instance_id),
            "number": told.number,
            "title": told.title,
            "state": told.state,
        },
        "step": {"id": told.step, "name": told.step_name},
        "task": task,
        "form": form,
    }
    return json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
