"""Background entrances of files: each reads the clock and calls the one thing it is for."""

from __future__ import annotations

from celery import shared_task

from flowadmin import clock
from flowadmin.files import removing


@shared_task(acks_late=True)
def sweep_files(**_later: object) -> int:
    """Delete files that nothing has used for a day; how many were deleted."""
    return removing.sweep(clock.now())


@shared_task(acks_late=True)
def sweep_bytes(**_later: object) -> int:
    """Delete bytes that a crash left without a row; how many were deleted."""
    return removing.sweep_bytes(clock.now())
