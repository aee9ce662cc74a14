"""Requests, their tasks and their steps: projections of the history.

Only `workflow.runtime` writes these rows. A task's id is its request's id times `SPAN` plus the
seat's number, and in the same way a step's and an event's: the numbers are counted from the
history, so that a replay finds the same ids and no statement has to ask the database for one.
"""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models.fields.json import KeyTextTransform
from django.utils.translation import gettext_lazy as _

SPAN = 100_000


class Instance(models.Model):
    """A request. ``snapshot`` is the folded state; ``position`` the number of events behind it."""

    class State(models.TextChoices):
        RUNNING = "running", _("in progress")
        APPROVED = "approved", _("approved")
        REJECTED = "rejected", _("rejected")
        CANCELLED = "cancelled", _("withdrawn")
        TERMINATED = "terminated", _("terminated")

    tenant = models.ForeignKey(
        "directory.Tenant", on_delete=models.PROTECT, db_index=False, verbose_name=_("tenant")
    )
    definition = models.ForeignKey(
        "Definition", on_delete=models.PROTECT, db_index=False, verbose_name=_("process")
    )
    version = models.ForeignKey(
        "Version", on_delete=models.PROTECT, db_index=False, verbose_name=_("process version")
    )
    number = models.CharField(_("number"), max_length=40)
    title = models.CharField(_("title"), max_length=200)
    initiator = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        db_index=False,
        related_name="+",
        verbose_name=_("initiator"),
    )
    state = models.CharField(_("state"), max_length=10, choices=State)
    position = models.PositiveIntegerField(_("events"))
    snapshot = models.JSONField(_("snapshot"))
    started_at = models.DateTimeField(_("started"))
    ended_at = models.DateTimeField(_("ended"), null=True)
    # Read from the snapshot by the database itself, so that the list of held requests can never
    # differ from what the engine believes (seed 004: a generated column with an index).
    held = models.GeneratedField(
        expression=KeyTextTransform("held", "snapshot"),
        output_field=models.CharField(max_length=40, null=True),
        db_persist=True,
    )

    class Meta:
        db_table = "flow_instance"
        verbose_name = _("request")
        verbose_name_plural = _("requests")
        indexes: ClassVar = [
            models.Index(fields=["initiator", "-id"], name="flow_instance_mine"),
            models.Index(fields=["tenant", "-id"], name="flow_instance_all"),
            models.Index(fields=["tenant", "number"], name="flow_instance_number"),
            models.Index(
                fields=["tenant", "held"],
                name="flow_instance_held",
                condition=models.Q(held__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.title}"


class Step(models.Model):
    """One activation: a step entered once, with its round."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        OPEN = "open", _("open")
        PASSED = "passed", _("passed")
        REFUSED = "refused", _("refused")
        RETURNED = "returned", _("returned")
        CLOSED = "closed", _("closed")
        TIMED_OUT = "timed_out", _("timed out")
        SKIPPED = "skipped", _("skipped")

    id = models.BigIntegerField(primary_key=True)
    tenant = models.ForeignKey("directory.Tenant", on_delete=models.PROTECT, db_index=False)
    instance = models.ForeignKey(
        Instance, on_delete=models.PROTECT, related_name="steps", db_index=False
    )
    number = models.PositiveIntegerField()
    step = models.CharField(max_length=48)
    kind = models.CharField(max_length=12)
    round = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=State)
    entered_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "flow_step"
        verbose_name = _("step")
        verbose_name_plural = _("steps")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["instance", "number"], name="flow_step_number"),
        ]

    def __str__(self) -> str:
        return f"{self.step} ({self.round})"


class Task(models.Model):
    """One seat: one person in one activation. Its version guards a decision (contract)."""

    class Kind(models.TextChoices):
        DECIDE = "decide", _("decision")
        COPY = "copy", _("copy")

    class State(models.TextChoices):
        BLOCKED = "blocked", _("waiting for its turn")
        OPEN = "open", _("to do")
        APPROVED = "approved", _("approved")
        REJECTED = "rejected", _("rejected")
        DONE = "done", _("done")
        OPINION_GIVEN = "opinion_given", _("opinion given")
        HANDED_ON = "handed_on", _("handed on")
        CLOSED = "closed", _("closed")
        TAKEN_BACK = "taken_back", _("taken back")

    id = models.BigIntegerField(primary_key=True)
    tenant = models.ForeignKey("directory.Tenant", on_delete=models.PROTECT, db_index=False)
    instance = models.ForeignKey(
        Instance, on_delete=models.PROTECT, related_name="tasks", db_index=False
    )
    number = models.PositiveIntegerField()
    activation = models.PositiveIntegerField()
    step = models.CharField(max_length=48)
    step_name = models.CharField(_("step"), max_length=48)
    kind = models.CharField(_("kind"), max_length=8, choices=Kind)
    holder = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        db_index=False,
        related_name="+",
        verbose_name=_("holder"),
    )
    state = models.CharField(_("state"), max_length=14, choices=State)
    version = models.PositiveIntegerField()
    created_at = models.DateTimeField(_("received"))
    due_at = models.DateTimeField(_("due"), null=True)
    snoozed_until = models.DateTimeField(_("snoozed until"), null=True)
    decided_at = models.DateTimeField(_("ended"), null=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        db_index=False,
        related_name="+",
        verbose_name=_("ended by"),
    )
    reason = models.CharField(_("reason"), max_length=16, blank=True, default="")
    # The seat whose decision ended this one (any one approves; the request was rejected).
    closed_by = models.BigIntegerField(null=True)

    class Meta:
        db_table = "flow_task"
        verbose_name = _("task")
        verbose_name_plural = _("tasks")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["instance", "number"], name="flow_task_number"),
        ]
        indexes: ClassVar = [
            models.Index(
                # Both counts of the inbox are answered from the index alone.
                fields=["holder", "-id", "snoozed_until", "due_at"],
                name="flow_task_todo",
                condition=models.Q(state="open"),
            ),
            models.Index(
                fields=["holder", "-decided_at", "-id"],
                name="flow_task_past",
                condition=~models.Q(state__in=["open", "blocked", "handed_on"]),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.step_name} #{self.id}"
