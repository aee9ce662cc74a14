"""Background entrances of workflow: each reads the clock and calls the one thing it is for."""

from __future__ import annotations

import logging
import os
import socket

from celery import shared_task

from flowadmin import clock
from flowadmin.rest import idempotency
from workflow.runtime import steps

log = logging.getLogger(__name__)


@shared_task(acks_late=True)
def run_due_steps(**_later: object) -> int:
    """Carry out the automatic steps that are due; how many were done."""
    owner = f"{socket.gethostname()}-{os.getpid()}"
    done = 0
    for job_id in steps.due(clock.now()):
        claimed = steps.claim(job_id, owner, clock.now())
        if claimed is None:
            continue
        try:
            done += steps.carry_out(claimed, clock.now())
        except Exception as error:
            # One broken step must not keep the others waiting; it is tried again, and seen.
            log.exception("automatic step %s failed", job_id)
            steps.put_back(claimed, type(error).__name__, clock.now())
    return done


@shared_task(acks_late=True)
def sweep_requests(**_later: object) -> int:
    """Delete stored answers that are older than a day; how many were deleted."""
    return idempotency.sweep(clock.now())
