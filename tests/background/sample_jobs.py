"""Celery tasks that only the tests of the work loop know."""

from __future__ import annotations

from celery import shared_task

SEEN: list[str] = []


@shared_task
def works() -> int:
    SEEN.append("works")
    return 0


@shared_task
def fails() -> int:
    SEEN.append("fails")
    raise ValueError("planted")


@shared_task
def leaves() -> int:
    SEEN.append("leaves")
    raise SystemExit(3)
