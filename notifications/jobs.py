"""Background entrances of notifications: each reads the clock and calls one action."""

from __future__ import annotations

import os
import socket
from datetime import timedelta

from celery import shared_task
from django.conf import settings

from flowadmin import clock
from notifications.actions import delivering, reminding, sending


@shared_task(acks_late=True)
def scan_reminders(**_later: object) -> int:
    """Go round once with the reminders that are due, if it is time; how many were sent."""
    return reminding.go_round(clock.now, settings.ENVIRONMENT.delivery_scan_delay)


@shared_task(acks_late=True)
def scan_callbacks(**_later: object) -> int:
    """Go round once with the callbacks that are due, if it is time; how many were attempted."""
    return delivering.go_round(
        clock.now,
        settings.ENVIRONMENT.delivery_scan_delay,
        f"{socket.gethostname()}-{os.getpid()}",
        before_each=scan_reminders,
    )


@shared_task(acks_late=True)
def scan_messages(**_later: object) -> int:
    """Go round once with the messages to the outside that are due; how many were attempted.

    Without a pause between two rounds: its rows hold themselves back.
    """
    return sending.go_round(clock.now, timedelta(0))


@shared_task(acks_late=True)
def sweep_messages(**_later: object) -> int:
    """Take away messages that ended long ago; how many rows."""
    return sending.sweep(clock.now())
