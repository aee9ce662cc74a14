"""From the engine's rejections to the problems that pages and REST answer."""

from __future__ import annotations

from typing import Any

import msgspec

from flowadmin.directory.queries import people_by_id
from flowadmin.rest.problems import Problem
from workflow.engine.events import TaskOpened, TaskReassigned
from workflow.engine.rejections import Invalid, NotAllowed, NotOpen, Rejection, VersionMoved
from workflow.engine.state import State
from workflow.models import Event, Instance, Task
from workflow.wording import not_yet
from workflow.wording.findings import worded
from workflow.wording.rejections import rejection_text
from workflow.wording.states import listed


def problem_of(rejection: Rejection, task_id: int = 0) -> Problem:
    """The problem of a rejection (contract, A task is one seat).

    A task that is no longer open says who ended it, when and how; one whose version moved says
    who moved it and when. ``task_id`` is the task that was meant, 0 when none was.
    """
    code, text = rejection.code, rejection_text(rejection.code)
    if isinstance(rejection, NotAllowed):
        return Problem(403, code, text)
    if isinstance(rejection, NotOpen):
        handled = _handled(task_id)
        if code == "task.not_open" and handled.get("decision") in not_yet.STATES:
            text = not_yet.text(handled["decision"], handled["handled_by"])
        return Problem(409, code, text, **handled)
    if isinstance(rejection, VersionMoved):
        about: dict[str, Any] = dict(rejection.about)
        return Problem(412, code, text, **about, **_moved(task_id))
    findings = rejection.findings if isinstance(rejection, Invalid) else ()
    return Problem(422, code, text, errors=worded(findings) if findings else None)


def _handled(task_id: int) -> dict[str, Any]:
    """Who ended a task, when, and what the decision was; a sibling's when that closed it.

    Of a task that waits for others: for whom (`handled_by`), and that nobody has ended it yet.
    """
    row = (
        Task.objects.filter(pk=task_id)
        .select_related("decided_by")
        .only("decided_by__name", "decided_at", "state", "closed_by", "instance_id", "number")
        .first()
    )
    if row is None:
        return {}
    if row.state in not_yet.STATES:
        waited_for = listed(_waited_for(row)) or None
        return {"handled_by": waited_for, "handled_at": None, "decision": row.state}
    if row.decided_at is None:
        return {}
    decision: str = row.state
    if row.closed_by:
        decision = Task.objects.filter(pk=row.closed_by).values_list("state", flat=True)[0]
    return {
        "handled_by": row.decided_by.name if row.decided_by else None,
        "handled_at": row.decided_at,
        "decision": decision,
    }


def _waited_for(row: Task) -> list[str]:
    """The names of those whose turn it is before a task: people added to it, or those in front."""
    snapshot = Instance.objects.filter(pk=row.instance_id).values_list("snapshot", flat=True)[0]
    found = _decode_state(msgspec.json.encode(snapshot)).seat(row.number)
    if found is None:
        return []
    activation, seat = found
    own = {each.number for each in activation.groups if each.seat == seat.number}
    open_now = [each for each in activation.seats if each.is_open]
    first = [each for each in open_now if each.group in own]
    holders = first or [each for each in open_now if each.group == seat.group]
    names = {each.id: each.name for each in people_by_id(each.holder for each in holders)}
    return [names[each.holder] for each in holders if each.holder in names]


_decode_state = msgspec.json.Decoder(State).decode
_decoder = msgspec.json.Decoder(TaskReassigned | TaskOpened)


def _moved(task_id: int) -> dict[str, Any]:
    """Who last moved an open task's version, and when, by the history."""
    row = Task.objects.filter(pk=task_id).only("instance_id", "number").first()
    if row is None:
        return {}
    moves = (
        Event.objects.filter(
            instance_id=row.instance_id, kind__in=["task_reassigned", "task_opened"]
        )
        .select_related("actor")
        .order_by("-position")
    )
    for move in moves:
        if _decoder.decode(move.payload).seat == row.number:
            return {
                "changed_by": move.actor.name if move.actor else None,
                "changed_at": move.at,
            }
    return {}
