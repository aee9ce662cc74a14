"""What processes on several machines must know of each other."""

from __future__ import annotations

from typing import ClassVar

from django.db import models


class Heartbeat(models.Model):
    """When a Celery beat last handed over a periodic job: one row for the installation.

    It stands in the database and not in Redis, so that it is judged by the clock that also decides
    what is due, and so that a broker that lost its data does not look like a dead beat.
    """

    id = models.PositiveSmallIntegerField(primary_key=True)
    ticked_at = models.DateTimeField()

    class Meta:
        db_table = "coord_beat"
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(id=1), name="coord_beat_one_row"),
        ]

    def __str__(self) -> str:
        return f"beat at {self.ticked_at}"
