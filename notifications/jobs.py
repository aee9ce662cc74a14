"""Background entrances of notifications: each reads the clock and calls one action."""

from __future__ import annotations

import os
import socket

from celery import shared_task
from django.conf import settings

from flowadmin import clock
from notifications.actions import delivering, reminding


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
