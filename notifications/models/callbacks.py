"""Callbacks: what happened to a task, told to a receiver at least once (seed 001, P37 to P46)."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

LONGEST_ID = 64


class Callback(models.Model):
    """One event for one receiver: address, content and identity are fixed when it is written.

    Claimed by a conditional UPDATE, fenced by ``token``; ``attempts`` counts all that were begun,
    and a round ends when it reaches ``max_attempts``, which each retry by hand raises. ``history``
    has an entry for each attempt and each retry by hand and is never cut. ``target_url``,
    ``host`` and ``payload`` are shown to nobody (P46). Columns are called as seed 001 calls them.
    """

    class Status(models.TextChoices):
        PENDING = "PENDING", pgettext_lazy("callback", "Pending")
        LEASED = "LEASED", pgettext_lazy("callback", "Sending")
        SUCCEEDED = "SUCCEEDED", pgettext_lazy("callback", "Delivered")
        FAILED = "FAILED", pgettext_lazy("callback", "Failed")

    tenant = models.ForeignKey(
        "directory.Tenant", on_delete=models.PROTECT, db_index=False, verbose_name=_("tenant")
    )
    # The same with every attempt, for ever: X-Flow-Event-Id, Idempotency-Key, webhook-id.
    event_id = models.CharField(_("event id"), max_length=LONGEST_ID, unique=True)
    # Null only for what was taken over from an installation whose requests are not here.
    instance = models.ForeignKey(
        "workflow.Instance",
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        verbose_name=_("request"),
    )
    # Null for a step that asks nobody.
    task = models.ForeignKey(
        "workflow.Task",
        on_delete=models.PROTECT,
        null=True,
        db_index=False,
        related_name="+",
        verbose_name=_("task"),
    )
    # Whose request it is: the only person who sees the row and may retry it (P7, P43).
    initiator = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        db_index=False,
        related_name="+",
        verbose_name=_("initiator"),
    )
    event = models.CharField(_("event"), max_length=12, blank=True, default="")
    step = models.CharField(_("step"), max_length=48, blank=True, default="")
    step_name = models.CharField(_("name of the step"), max_length=200, blank=True, default="")
    # Whose secrets sign; null when the process names an address and no target.
    target = models.ForeignKey(
        "workflow.Target", on_delete=models.PROTECT, null=True, db_index=False, related_name="+"
    )
    target_url = models.TextField(editable=False)
    # Scheme, host and port, by which receivers are kept apart when it is chosen what goes next.
    host = models.CharField(max_length=300, editable=False)
    profile = models.CharField(max_length=8, default="seed")
    payload = models.TextField(editable=False)
    status = models.CharField(_("state"), max_length=10, choices=Status)
    result = models.CharField(_("latest result"), max_length=32, blank=True, default="")
    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    max_attempts = models.PositiveIntegerField(default=5)
    next_attempt_at = models.DateTimeField(_("next attempt"), null=True)
    lease_until = models.DateTimeField(_("leased until"), null=True)
    lease_owner = models.CharField(_("leased by"), max_length=80, blank=True, default="")
    token = models.PositiveIntegerField(default=0)
    history = models.JSONField(_("attempts so far"), default=list)
    created_at = models.DateTimeField(_("created"))
    updated_at = models.DateTimeField(_("changed"))

    class Meta:
        db_table = "flow_callback"
        verbose_name = _("callback")
        verbose_name_plural = _("callbacks")
        indexes: ClassVar = [
            # Not partial: MariaDB has no such indexes, and the scan asks this every few seconds.
            models.Index(
                fields=["status", "next_attempt_at", "host", "id"], name="flow_callback_due"
            ),
            models.Index(fields=["initiator", "-id"], name="flow_callback_mine"),
        ]

    def __str__(self) -> str:
        return f"#{self.pk}"


class CallbackPurge(models.Model):
    """What one purge of old callbacks took away: all that is left of those rows."""

    tenant = models.ForeignKey(
        "directory.Tenant", on_delete=models.PROTECT, db_index=False, verbose_name=_("tenant")
    )
    status = models.CharField(_("state"), max_length=10, choices=Callback.Status)
    before = models.DateTimeField(_("unchanged since"))
    number = models.PositiveIntegerField(_("how many"), default=0)
    purged_at = models.DateTimeField(_("removed"))

    class Meta:
        db_table = "flow_callback_purge"
        verbose_name = _("removal of callbacks")
        verbose_name_plural = _("removals of callbacks")

    def __str__(self) -> str:
        return f"{self.status} {self.number}"
