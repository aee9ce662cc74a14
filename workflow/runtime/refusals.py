"""From the engine's rejections to the problems that pages and REST answer."""

from __future__ import annotations

from typing import Any

import msgspec

from flowadmin.rest.problems import Problem
from workflow.engine.events import TaskOpened, TaskReassigned
from workflow.engine.rejections import Invalid, NotAllowed, NotOpen, Rejection, VersionMoved
from workflow.models import Event, Task
from workflow.wording.findings import worded
from workflow.wording.rejections import rejection_text


def problem_of(rejection: Rejection, task_id: int = 0) -> Problem:
    """The problem of a rejection (contract, A task is one seat).

    A task that is no longer open says who ended it, when and how; one whose version moved says
    who moved it and when. ``task_id`` is the task that was meant, 0 when none was.
    """
    code, text = rejection.code, rejection_text(rejection.code)
    if isinstance(rejection, NotAllowed):
        return Problem(403, code, text)
    if isinstance(rejection, NotOpen):
        return Problem(409, code, text, **_handled(task_id))
    if isinstance(rejection, VersionMoved):
        about: dict[str, Any] = dict(rejection.about)
        return Problem(412, code, text, **about, **_moved(task_id))
    findings = rejection.findings if isinstance(rejection, Invalid) else ()
    return Problem(422, code, text, errors=worded(findings) if findings else None)


def _handled(task_id: int) -> dict[str, Any]:
    """Who ended a task, when, and what the decision was; a sibling's when that closed it."""
    row = (
        Task.objects.filter(pk=task_id)
        .select_related("decided_by")
        .only("decided_by__name", "decided_at", "state", "closed_by")
        .first()
    )
    if row is None or row.decided_at is None:
        return {}
    decision: str = row.state
    if row.closed_by:
        decision = Task.objects.filter(pk=row.closed_by).values_list("state", flat=True)[0]
    return {
        "handled_by": row.decided_by.name if row.decided_by else None,
        "handled_at": row.decided_at,
        "decision": decision,
    }


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
