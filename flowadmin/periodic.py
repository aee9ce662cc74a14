"""The one table of periodic jobs, read by Celery beat, by `manage.py work` and by wake-up hints.

Jobs stand here by name, so the table knows no app and every layer may read it; a test imports
each name. Seconds are counted from the end of a run in `manage.py work`, and between ticks by
beat; that a round is not done twice is decided by each job's own conditional UPDATE.
"""

from __future__ import annotations

from dataclasses import dataclass

ORDINARY = "ordinary"
DELIVERY = "delivery"
OUTSIDE = "outside"
MESSAGES = "messages"

# Threads of `manage.py work` per queue (seed_requirements P35: delivery has two of its own); in a
# cluster the queue of a worker started with `-Q`.
THREADS = {ORDINARY: 1, DELIVERY: 2, OUTSIDE: 2, MESSAGES: 1}


@dataclass(frozen=True, slots=True)
class Periodic:
    """One job that runs again and again.

    Attributes:
        name: entry in Celery's ``beat_schedule``; never renamed, beat remembers it.
        task: dotted name of a ``@shared_task`` without required arguments that returns the
            number of rows it has done.
        every_seconds: pause between two runs.
        queue: key of THREADS.
        topic: what ``wake(topic)`` calls it by; None when nothing wakes it.
        drains: run again at once while it reports rows done (work loop only).
    """

    name: str
    task: str
    every_seconds: float
    queue: str = ORDINARY
    topic: str | None = None
    drains: bool = False


PERIODIC = (
    Periodic("run-steps", "workflow.jobs.run_due_steps", 5, topic="steps", drains=True),
    Periodic("ask-outside", "workflow.jobs.ask_outside", 5, OUTSIDE, topic="outside", drains=True),
    Periodic("send-calls", "workflow.jobs.send_calls", 5, OUTSIDE, topic="outside", drains=True),
    # A tick asks whether it is time for a round; the round keeps its own distance (P34).
    Periodic("scan-reminders", "notifications.jobs.scan_reminders", 5, DELIVERY),
    Periodic("scan-callbacks", "notifications.jobs.scan_callbacks", 5, DELIVERY, "callbacks"),
    Periodic("scan-messages", "notifications.jobs.scan_messages", 5, MESSAGES, "messages"),
    Periodic("sweep-messages", "notifications.jobs.sweep_messages", 3600, drains=True),
    Periodic("sweep-requests", "workflow.jobs.sweep_requests", 3600, drains=True),
    Periodic("sweep-drafts", "workflow.jobs.sweep_drafts", 3600, drains=True),
    Periodic("sweep-files", "flowadmin.files.jobs.sweep_files", 3600, drains=True),
    Periodic("sweep-bytes", "flowadmin.files.jobs.sweep_bytes", 24 * 3600),
)


def of_topic(topic: str) -> tuple[Periodic, ...]:
    """The jobs that a hint about `topic` wakes; none for an unknown topic."""
    return tuple(job for job in PERIODIC if job.topic == topic)


def beat_schedule() -> dict[str, dict[str, object]]:
    """The table as Celery's ``beat_schedule``: a tick that was not taken in time is dropped."""
    return {
        job.name: {
            "task": job.task,
            "schedule": float(job.every_seconds),
            "options": {"queue": job.queue, "expires": float(job.every_seconds)},
        }
        for job in PERIODIC
    }
