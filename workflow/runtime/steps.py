"""Automatic steps and deadlines as durable work: find what is due, claim one, carry it out.

Theory of operation. A row is claimed by one conditional UPDATE (decision 6), which also takes a
lease and a new token; whoever's token is on the row may finish it, so a worker that was asleep
past its lease writes nothing. Carrying out is a command to the one writer, and the row's own end
is written in that same transaction: killed before the commit, nothing happened and the lease runs
out; killed after, everything is done.

A moment in the future is only a row that is not due yet: the scan finds it within one period of
`flowadmin.periodic`, whichever process is alive then. Work that falls due while its request is
paused is put off by the command itself, which writes it to the history; when the request goes on,
it is asked for as a new row.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import F, Q

from flowadmin.rest.problems import Problem
from workflow.engine.commands import FinishWork, TimeOut
from workflow.engine.deadlines import DEADLINE
from workflow.models import SPAN, Job
from workflow.runtime.execute import execute

if TYPE_CHECKING:
    from collections.abc import Callable

    from workflow.engine.commands import Command

log = logging.getLogger(__name__)

LEASE = timedelta(seconds=60)
ROUND = 100
_LONGEST_WAIT = timedelta(minutes=10)
# What is asked outside, of other systems, rules and requests, has workers of its own, so that
# whoever answers slowly holds up no deadline.
ASKED_OUTSIDE = ("http", "rule", "child")
# Work that waits for somebody else's word is due when that comes, and never by itself.
UNTIL_TOLD = datetime(9999, 1, 1, tzinfo=UTC)
# The work or its request is over, or was never there: trying again would change nothing.
_OVER = frozenset({"work.not_open", "instance.unknown"})


@dataclass(frozen=True, slots=True)
class Claimed:
    """A job that is ours until its lease ends."""

    id: int
    tenant_id: int
    instance_id: int
    activation: int
    token: int
    number: int
    kind: str

    @property
    def command(self) -> FinishWork | TimeOut:
        """What a worker asks of the request when this is due."""
        return TimeOut(self.number) if self.kind == DEADLINE else FinishWork(self.activation)


class LeaseLost(Exception):
    """Another worker has the job, or it was cancelled: do nothing."""


def due(now: datetime, limit: int = ROUND, *, outside: bool = False) -> list[int]:
    """Ids of jobs that are due, or whose worker's lease has run out, oldest first.

    ``outside``: those that are asked outside, instead of all others.
    """
    return list(
        Job.objects.filter(_claimable(now, outside=outside))
        .order_by("due_at", "id")
        .values_list("id", flat=True)[:limit]
    )


def claim(job_id: int, owner: str, now: datetime, *, outside: bool = False) -> Claimed | None:
    """Take one job if it is still to be had. The race: two workers read the same due id."""
    with transaction.atomic():
        taken = Job.objects.filter(_claimable(now, outside=outside), pk=job_id).update(
            state=Job.State.LEASED,
            lease_owner=owner,
            lease_until=now + LEASE,
            token=F("token") + 1,
            attempts=F("attempts") + 1,
        )
        if not taken:
            return None
        row = Job.objects.values_list(
            "tenant_id", "instance_id", "activation", "token", "number", "kind"
        ).get(pk=job_id)
    return Claimed(job_id, *row)


def let_go(claimed: Claimed, *, state: Job.State, due_at: datetime | None = None) -> None:
    """Give a claimed job another state, in the caller's transaction.

    Raises LeaseLost when it is not ours any more: then the caller must not go on.
    """
    changes: dict[str, object] = {"state": state, "lease_until": None}
    if due_at is not None:
        changes["due_at"] = due_at
    mine = Job.objects.filter(pk=claimed.id, token=claimed.token, state=Job.State.LEASED)
    if not mine.update(**changes):
        raise LeaseLost


def hold(claimed: Claimed) -> None:
    """Lock a claimed job for the rest of the caller's transaction. Raises LeaseLost."""
    mine = Job.objects.filter(pk=claimed.id, token=claimed.token, state=Job.State.LEASED)
    if not mine.update(lease_owner=F("lease_owner")):
        raise LeaseLost


def go_on(instance_id: int, now: datetime) -> None:
    """After a pause: what was kept back is due, what waits for somebody's word is not."""
    kept = Job.objects.filter(
        instance=instance_id,
        kind__in=ASKED_OUTSIDE,
        state=Job.State.PENDING,
        due_at__lt=UNTIL_TOLD,
    )
    kept.update(due_at=now)


def row_id(instance_id: int, number: int) -> int:
    """The id of a job's row."""
    return instance_id * SPAN + number


def postpone(claimed: Claimed, until: datetime) -> None:
    """Try again at that moment; nothing went wrong."""
    with suppress(LeaseLost):
        let_go(claimed, state=Job.State.PENDING, due_at=until)


def carry_out(
    claimed: Claimed,
    now: datetime,
    *,
    command: Command | None = None,
    fence: Callable[[], None] | None = None,
) -> bool:
    """Carry out a claimed job; whether it was done, or put off. A lost lease is no error.

    ``command`` is what is asked of the request, if not the usual; ``fence`` moves the row on
    inside the transaction (`let_go`), if it is not simply done with it.

    Raises Problem when the request refuses it for another reason than that it is over.
    """

    def still_mine() -> None:
        let_go(claimed, state=Job.State.DONE)

    try:
        execute(
            tenant_id=claimed.tenant_id,
            instance_id=claimed.instance_id,
            command=command or claimed.command,
            actor_id=None,
            now=now,
            fence=fence or still_mine,
        )
    except LeaseLost:
        return False
    except Problem as problem:
        if problem.code not in _OVER:
            raise
        # The step is over already: nobody has to carry it out, and nobody tries again.
        log.warning("%s %s: %s", claimed.kind, claimed.id, problem.code)
        with suppress(LeaseLost):
            let_go(claimed, state=Job.State.DONE)
        return False
    return True


def put_back(claimed: Claimed, error: str, now: datetime) -> None:
    """After an unexpected error: the job is due again later, each time a little later."""
    row = Job.objects.filter(pk=claimed.id).values("attempts", "details").first()
    if row is None:
        return
    wait = min(timedelta(seconds=5 * 2 ** min(row["attempts"], 7)), _LONGEST_WAIT)
    details = {**row["details"], "retry_count": row["attempts"], "last_error": error[:200]}
    Job.objects.filter(pk=claimed.id, token=claimed.token, state=Job.State.LEASED).update(
        state=Job.State.PENDING, lease_until=None, due_at=now + wait, details=details
    )


def _claimable(now: datetime, *, outside: bool) -> Q:
    waiting = Q(state=Job.State.PENDING, due_at__lte=now)
    abandoned = Q(state=Job.State.LEASED, lease_until__lte=now)
    kind = Q(kind__in=ASKED_OUTSIDE)
    return (waiting | abandoned) & (kind if outside else ~kind)
