"""Automatic steps and deadlines as durable rows: what a worker still has to carry out."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast
from django.utils.translation import gettext_lazy as _


class Job(models.Model):
    """One piece of work to carry out: an automatic step, or a deadline.

    Claimed by a conditional UPDATE, fenced by ``token``.
    """

    class State(models.TextChoices):
        PENDING = "pending", _("pending")
        LEASED = "leased", _("in work")
        DONE = "done", _("done")
        CANCELLED = "cancelled", _("cancelled")
        # Fell due while the request was paused; a new row is written when it goes on.
        PUT_OFF = "put_off", _("put off")

    id = models.BigIntegerField(primary_key=True)
    tenant = models.ForeignKey("directory.Tenant", on_delete=models.PROTECT, db_index=False)
    instance = models.ForeignKey(
        "Instance", on_delete=models.PROTECT, related_name="jobs", db_index=False
    )
    # Counted from the history, like the numbers of seats; the id is made of it.
    number = models.PositiveIntegerField()
    activation = models.PositiveIntegerField()
    # 0: the work of the whole step; otherwise the seat whose deadline this is.
    seat = models.PositiveIntegerField(default=0)
    kind = models.CharField(_("kind"), max_length=12)
    state = models.CharField(_("state"), max_length=10, choices=State)
    due_at = models.DateTimeField(_("due"))
    lease_until = models.DateTimeField(_("leased until"), null=True)
    lease_owner = models.CharField(_("leased by"), max_length=80, blank=True, default="")
    token = models.PositiveIntegerField(default=0)
    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    details = models.JSONField(_("details"), default=dict)
    created_at = models.DateTimeField(_("created"))
    # How often it went wrong, read from the details by the database itself (seed 004 S6).
    retry_count = models.GeneratedField(
        expression=Cast(
            KeyTextTransform("retry_count", "details"), models.IntegerField(null=True)
        ),
        output_field=models.IntegerField(_("retries"), null=True),
        db_persist=True,
    )

    class Meta:
        db_table = "flow_job"
        verbose_name = _("automatic step")
        verbose_name_plural = _("automatic steps")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["instance", "number"], name="flow_job_number"),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["due_at", "id"],
                name="flow_job_due",
                condition=models.Q(state__in=["pending", "leased"]),
            ),
            # Almost every job succeeds at once: an index of the others costs next to nothing.
            models.Index(
                fields=["tenant", "-retry_count", "-id"],
                name="flow_job_retried",
                condition=models.Q(retry_count__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} #{self.id}"
