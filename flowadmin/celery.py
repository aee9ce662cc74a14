"""The Celery application of the cluster: `celery -A flowadmin worker`, `celery -A flowadmin beat`.

Messages are wake-ups that may be lost (decision 5): what is to be done stands in rows. Late
acknowledgement and the three Redis options make a killed worker's message come back within
seconds instead of an hour; that is comfort, correctness comes from the leases.
"""

from __future__ import annotations

import os
import sys

import django
from celery import Celery
from celery.loaders.app import AppLoader
from django.conf import settings
from django.db import connections

from flowadmin.checks import UnsafeStart, refuse_unsafe_start
from flowadmin.periodic import ORDINARY, THREADS, beat_schedule

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flowadmin.settings")


class Loader(AppLoader):  # type: ignore[misc]  # Celery ships no types
    """Celery's loader, which lets neither a worker nor a beat begin in an unsafe state."""

    def init_worker(self) -> None:
        """Raises SystemExit (1) with every reason; source: contract, Set-up."""
        if not self.worker_initialized:
            refuse_to_begin()
        super().init_worker()


def refuse_to_begin() -> None:
    """End this process with exit code 1 unless it is one of a cluster whose services answer."""
    if not settings.CLUSTER:
        raise SystemExit(
            "Celery works for a cluster: set FLOWADMIN_MODE=cluster with DATABASE_URL and "
            "REDIS_URL. On one machine `manage.py work` does all the work without it."
        )
    django.setup()
    from flowadmin.coordination import presence  # noqa: PLC0415 - models need Django's set-up

    role = "celery beat" if "beat" in sys.argv else "celery worker"
    try:
        refuse_unsafe_start()
        presence.Presence(role).begin()
    except (UnsafeStart, presence.MixedVersions) as refusal:
        raise SystemExit(str(refusal)) from refusal
    finally:
        # A connection that is open now would be shared by the processes that a worker forks.
        connections.close_all()
    settings.ENVIRONMENT.data.mkdir(mode=0o700, parents=True, exist_ok=True)


app = Celery(
    "flowadmin", broker=settings.CELERY_BROKER_URL or None, loader="flowadmin.celery:Loader"
)
app.conf.update(
    accept_content=["json"],
    task_serializer="json",
    result_serializer="json",
    enable_utc=True,
    timezone="UTC",
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_ignore_result=True,
    worker_prefetch_multiplier=1,
    worker_hijack_root_logger=False,
    # A bare worker takes every queue; `-Q delivery --concurrency 2` gives that one its own.
    task_queues={name: {"exchange": name, "routing_key": name} for name in THREADS},
    task_default_queue=ORDINARY,
    broker_connection_retry_on_startup=True,
    broker_connection_timeout=2,
    beat_schedule=beat_schedule(),
    beat_scheduler="flowadmin.coordination.beat:MarkingScheduler",
    beat_schedule_filename=str(settings.ENVIRONMENT.data / "beat-schedule"),
)
if settings.CELERY_BROKER_URL.startswith(("redis:", "rediss:")):
    app.conf.broker_transport_options = {
        # Longer than any job runs; kombu looks every interval times throttle seconds.
        "visibility_timeout": 120,
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
    }
app.autodiscover_tasks(related_name="jobs")
