"""Background entrances of workflow: each reads the clock and calls the one thing it is for."""

from __future__ import annotations

import logging
import os
import socket
from concurrent.futures import ThreadPoolExecutor

from celery import shared_task
from django.db import connections

from flowadmin import clock
from flowadmin.rest import idempotency
from workflow.actions import keeping_drafts
from workflow.runtime import asking_outside, calls, family, steps

log = logging.getLogger(__name__)

SENDERS = 4


@shared_task(acks_late=True)
def run_due_steps(**_later: object) -> int:
    """Carry out the automatic steps and deadlines that are due; how many were done."""
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
            log.exception("%s %s failed", claimed.kind, job_id)
            steps.put_back(claimed, getattr(error, "code", type(error).__name__), clock.now())
    return done


@shared_task(acks_late=True)
def ask_outside(**_later: object) -> int:
    """Take up steps that ask outside, give answers to their requests; how many were done."""
    owner = f"{socket.gethostname()}-{os.getpid()}"
    done = family.end_unwanted(clock.now())
    for job_id in steps.due(clock.now(), outside=True):
        claimed = steps.claim(job_id, owner, clock.now(), outside=True)
        if claimed is None:
            continue
        try:
            done += asking_outside.carry_out(claimed, clock.now())
        except Exception as error:
            log.exception("%s %s failed", claimed.kind, job_id)
            steps.put_back(claimed, getattr(error, "code", type(error).__name__), clock.now())
    return done


@shared_task(acks_late=True)
def send_calls(**_later: object) -> int:
    """Send the calls of `http` steps that are due; how many attempts were made.

    A few at a time side by side, so that a receiver that hangs holds up few others.
    """
    owner = f"{socket.gethostname()}-{os.getpid()}"
    waiting = len(calls.due(clock.now()))
    if waiting < 2:
        return asking_outside.send_due(owner, clock.now) if waiting else 0
    with ThreadPoolExecutor(min(waiting, SENDERS)) as pool:
        turns = [pool.submit(_send_and_close, owner) for _ in range(min(waiting, SENDERS))]
        return sum(turn.result() for turn in turns)


def _send_and_close(owner: str) -> int:
    """One thread's share; its connection to the database is its own and ends with it."""
    try:
        return asking_outside.send_due(owner, clock.now)
    finally:
        connections.close_all()


@shared_task(acks_late=True)
def sweep_requests(**_later: object) -> int:
    """Delete stored answers that are older than a day; how many were deleted."""
    return idempotency.sweep(clock.now())


@shared_task(acks_late=True)
def sweep_drafts(**_later: object) -> int:
    """Delete for good the drafts that were deleted a day ago; how many there were."""
    return keeping_drafts.sweep(clock.now())
