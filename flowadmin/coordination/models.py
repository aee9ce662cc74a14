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


class Round(models.Model):
    """Who goes round with a scan at this moment, and when the last round ended: one row a scan.

    ``until`` is the end of the lease of the round that is going on, null between two rounds.
    """

    name = models.CharField(primary_key=True, max_length=40)
    token = models.PositiveBigIntegerField(default=0)
    until = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "coord_round"

    def __str__(self) -> str:
        return self.name


class RunningProcess(models.Model):
    """A process that serves pages or does background work, with the schema that its code knows.

    ``machine`` names the kernel and its space of process numbers, ``born`` the moment at which the
    process ``pid`` began there: with both it is known whether it still runs.
    """

    id = models.CharField(primary_key=True, max_length=24)
    role = models.CharField(max_length=40)
    host = models.CharField(max_length=80)
    machine = models.CharField(max_length=100, blank=True, default="")
    pid = models.PositiveBigIntegerField()
    born = models.CharField(max_length=24, blank=True, default="")
    schema = models.CharField(max_length=300)
    started_at = models.DateTimeField()
    seen_at = models.DateTimeField()

    class Meta:
        db_table = "coord_process"

    def __str__(self) -> str:
        return f"{self.role} {self.pid}"
