"""Beat's sign of life: each tick leaves its moment in a row, and its silence is judged there.

Theory: beat may be killed, or its clock set back, and then it sends nothing for as long. Nobody
can ask it, so each job that the broker took from it moves one row. `manage.py work --scan`
looks at that row and hands over the jobs itself while the row stands still. Both use the
database's clock (decision 5): beat's own is exactly what may be wrong.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from celery.beat import PersistentScheduler
from django.db import DatabaseError, close_old_connections

from flowadmin import clock
from flowadmin.coordination.models import Heartbeat
from flowadmin.periodic import PERIODIC

if TYPE_CHECKING:
    from datetime import datetime

log = logging.getLogger(__name__)

THE_ROW = 1
# Beat as a whole is alive or silent; the job that ticks most often tells it soonest.
SILENT_AFTER = timedelta(seconds=3 * min(job.every_seconds for job in PERIODIC))


def mark(now: datetime) -> None:
    """Record that beat has just handed over a job. ``now`` is the database's clock."""
    if not Heartbeat.objects.filter(pk=THE_ROW).update(ticked_at=now):
        # Two beats at their very first tick: one of them inserts, both are right.
        Heartbeat.objects.get_or_create(pk=THE_ROW, defaults={"ticked_at": now})


def is_silent(now: datetime) -> bool:
    """Whether beat has not ticked for three periods, or never (decision 12).

    ``now`` is the database's clock. A mark from the future was left before that clock was set
    back and says nothing, so it counts as none.
    """
    ticked_at = Heartbeat.objects.filter(pk=THE_ROW).values_list("ticked_at", flat=True).first()
    return ticked_at is None or abs(now - ticked_at) > SILENT_AFTER


class MarkingScheduler(PersistentScheduler):  # type: ignore[misc]  # Celery ships no types
    """Celery's own scheduler, which leaves a mark whenever the broker took a job from it."""

    def apply_async(self, entry: Any, *arguments: Any, **options: Any) -> Any:
        """Send the job, then mark; a database that is away must not hold back the ticks."""
        sent = super().apply_async(entry, *arguments, **options)
        close_old_connections()
        try:
            mark(clock.now())
        except DatabaseError as error:
            log.warning("beat's tick could not be marked (%s)", type(error).__name__)
        finally:
            close_old_connections()
        return sent
