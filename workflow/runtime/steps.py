"""Automatic steps as durable work: find what is due, claim one row, carry it out, record it.

Theory of operation. A row is claimed by one conditional UPDATE (decision 6), which also takes a
lease and a new token; whoever's token is on the row may finish it, so a worker that was asleep
past its lease writes nothing. Carrying out is a command to the one writer, and the row's own end
is written in that same transaction: killed before the commit, nothing happened and the lease runs
out; killed after, everything is done.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q

from flowadmin.rest.problems import Problem
from workflow.engine.commands import FinishWork
from workflow.models import Job
from workflow.runtime.execute import execute

log = logging.getLogger(__name__)

LEASE = timedelta(seconds=60)
ROUND = 100
_LONGEST_WAIT = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class Claimed:
    """A job that is ours until its lease ends."""

    id: int
    tenant_id: int
    instance_id: int
    activation: int
    token: int


class LeaseLost(Exception):
    """Another worker has the job, or it was cancelled: do nothing."""


def due(now: datetime, limit: int = ROUND) -> list[int]:
    """Ids of jobs that are due, or whose worker's lease has run out, oldest first."""
    return list(
        Job.objects.filter(_claimable(now))
        .order_by("due_at", "id")
        .values_list("id", flat=True)[:limit]
    )


def claim(job_id: int, owner: str, now: datetime) -> Claimed | None:
    """Take one job if it is still to be had. The race: two workers read the same due id."""
    with transaction.atomic():
        taken = Job.objects.filter(_claimable(now), pk=job_id).update(
            state=Job.State.LEASED,
            lease_owner=owner,
            lease_until=now + LEASE,
            token=F("token") + 1,
            attempts=F("attempts") + 1,
        )
        if not taken:
            return None
        row = Job.objects.values_list("tenant_id", "instance_id", "activation", "token").get(
            pk=job_id
        )
    return Claimed(job_id, *row)


def carry_out(claimed: Claimed, now: datetime) -> bool:
    """Carry out a claimed job; whether it was done. A lost lease is no error."""

    def still_mine() -> None:
        done = Job.objects.filter(
            pk=claimed.id, token=claimed.token, state=Job.State.LEASED
        ).update(state=Job.State.DONE, lease_until=None)
        if not done:
            raise LeaseLost

    try:
        execute(
            tenant_id=claimed.tenant_id,
            instance_id=claimed.instance_id,
            command=FinishWork(claimed.activation),
            actor_id=None,
            now=now,
            fence=still_mine,
        )
    except LeaseLost:
        return False
    except Problem as problem:
        # The step is over already: nobody has to carry it out, and nobody tries again.
        log.warning("automatic step %s: %s", claimed.id, problem.code)
        Job.objects.filter(pk=claimed.id, token=claimed.token, state=Job.State.LEASED).update(
            state=Job.State.CANCELLED, lease_until=None
        )
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


def _claimable(now: datetime) -> Q:
    return Q(state=Job.State.PENDING, due_at__lte=now) | Q(
        state=Job.State.LEASED, lease_until__lte=now
    )
