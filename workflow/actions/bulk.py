"""Many tasks decided at once: each by itself, with a result of its own.

Theory of operation. Every row is a transaction of its own with an idempotency key made of the
request's key, and the list of results is stored last under that key. So a call that was broken
off in the middle may be repeated: what took effect answers as it did the first time, and the
rest is done now. Nothing but the rows given is touched (approvals.md 4, test 53).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from flowadmin.rest.idempotency import Stored, recall, remember
from flowadmin.rest.problems import Problem, json_bytes
from workflow import access
from workflow.actions.approvals import on_task
from workflow.engine.commands import Approve, Complete, Reject
from workflow.models import SPAN, Task
from workflow.offering import bulk_obstacle
from workflow.published import definition_of
from workflow.runtime.execute import Once

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from django_stubs_ext import StrOrPromise

    from flowadmin.directory.models import User
    from flowadmin.rest.idempotency import Receipt
    from workflow.runtime.execute import Outcome

MOST_TOGETHER = 100
ACTIONS: Mapping[str, type[Approve | Reject | Complete]] = {
    "approve": Approve,
    "reject": Reject,
    "complete": Complete,
}
# Why a row has to be opened and decided by itself.
OBSTACLES: Mapping[str, StrOrPromise] = {
    "bulk.evidence_needed": _("This one needs a signature or files; open it."),
    "bulk.form_needed": _("This one has fields to fill in; open it."),
    "bulk.people_needed": _("Here people have to be picked for a later step; open it."),
    "bulk.target_needed": _("Here a step to go back to has to be chosen; open it."),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One task as the caller saw it; ``task`` is any text that stands where an id should."""

    task: str
    version: int
    comment: str


Result = dict[str, Any]


def decide_together(
    *, user: User, action: str, rows: Sequence[Row], now: datetime, receipt: Receipt
) -> Stored | list[Result]:
    """Decide each of these tasks; what became of each, in the order given.

    Args:
        user: who decides; only tasks of his own.
        action: a key of ``ACTIONS``.
        rows: at most ``MOST_TOGETHER``, each task once.
        now: the database's clock.
        receipt: of the whole request.

    A result is ``{task, ok, status, code, message, problem}``: the status and the problem that
    the task's own address would have answered. Returns the stored first answer to a repeated key.

    Raises Problem: 422 idempotency.other_body.
    """
    stored = recall(receipt, now)
    if stored is not None:
        return stored
    results = [_decide(user, action, row, now, receipt) for row in rows]
    try:
        with transaction.atomic():
            remember(receipt, 200, json_bytes({"results": results}), now)
    except IntegrityError:
        # The race: the same key twice at once. The rows were decided once, by their own keys;
        # the answer is that of whoever stored his first.
        stored = recall(receipt, now)
        if stored is not None:
            return stored
    return results


def _decide(user: User, action: str, row: Row, now: datetime, receipt: Receipt) -> Result:
    code = ""

    def answer(_outcome: Outcome) -> tuple[int, Result]:
        # Behind everything that the command itself refuses, and still inside its transaction.
        if code:
            raise _obstacle(code)
        return 200, _done(row.task)

    try:
        task = access.own_task(user, access.row_id(row.task))
        code = bulk_obstacle(definition_of(task.instance.version_id), task.step, action)
        once = Once(_receipt_of(receipt, row), answer)
        on_task(
            task=task, user=user, command=_command(action, task, user, row), now=now, once=once
        )
    except Problem as problem:
        return _refused(row.task, _obstacle(code) if code and problem.status == 422 else problem)
    return _done(row.task)


def _obstacle(code: str) -> Problem:
    return Problem(422, code, OBSTACLES[code])


def _refused(task: str, problem: Problem) -> Result:
    return {
        "task": task,
        "ok": False,
        "status": problem.status,
        "code": problem.code,
        "message": str(problem.detail),
        "problem": problem.document(),
    }


def _done(task: str) -> Result:
    return {"task": task, "ok": True, "status": 200, "code": "", "message": "", "problem": None}


def _command(action: str, task: Task, user: User, row: Row) -> Approve | Reject | Complete:
    return ACTIONS[action](
        seat=task.pk % SPAN, by=user.pk, version=row.version, comment=row.comment
    )


def _receipt_of(whole: Receipt, row: Row) -> Receipt:
    """The receipt of one row: its key is short whatever the request's is."""
    key = hashlib.sha256(f"{whole.key}\n{row.task}".encode()).hexdigest()
    return replace(whole, route=f"{whole.route}.one", key=key)
