"""Notices to people, and reminders that wait for their moment: one table (seed 001, P31)."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

LONGEST_TITLE = 200
LONGEST_KEY = 64


class Notice(models.Model):
    """One message to one person, or a reminder of a task whose receiver is found when it is due.

    Only SENT rows are anybody's; ``sent_at`` is when they became so. ``reminder_key`` is the bare
    id of the task that a reminder watches, and null for every other row (P32). ``recipients`` and
    ``later`` belong to reminders: whom to tell, and what comes after this one, as
    ``[[moment, recipients], …]``. Columns are called as seed 001 calls them.
    """

    class Kind(models.TextChoices):
        ASSIGNED = "assigned", pgettext_lazy("notice", "New task")
        URGE = "urge", pgettext_lazy("notice", "Urge")
        TIMEOUT = "timeout", pgettext_lazy("notice", "Reminder")
        NOTICE = "notice", pgettext_lazy("notice", "Message")

    class Status(models.TextChoices):
        PENDING = "PENDING", pgettext_lazy("notice", "waiting")
        SENT = "SENT", pgettext_lazy("notice", "sent")
        CANCELLED = "CANCELLED", pgettext_lazy("notice", "cancelled")
        DISABLED = "DISABLED", pgettext_lazy("notice", "off")

    tenant = models.ForeignKey(
        "directory.Tenant", on_delete=models.PROTECT, db_index=False, verbose_name=_("tenant")
    )
    kind = models.CharField(_("kind"), max_length=16, choices=Kind)
    status = models.CharField(_("state"), max_length=12, choices=Status)
    receiver = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        db_index=False,
        related_name="+",
        verbose_name=_("to"),
    )
    # Whoever caused it: the initiator who urged, the person who transferred; null: a worker.
    sender = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        db_index=False,
        related_name="+",
        verbose_name=_("from"),
    )
    # Null only for what was taken over from an installation whose requests are not here.
    instance = models.ForeignKey(
        "workflow.Instance",
        on_delete=models.PROTECT,
        null=True,
        db_index=False,
        related_name="+",
        verbose_name=_("request"),
    )
    task = models.ForeignKey(
        "workflow.Task",
        on_delete=models.PROTECT,
        null=True,
        db_index=False,
        related_name="+",
        verbose_name=_("task"),
    )
    title = models.CharField(_("title"), max_length=LONGEST_TITLE, blank=True, default="")
    text = models.TextField(_("text"), blank=True, default="")
    # Null and not empty, so that the unique index speaks of reminders alone.
    reminder_key = models.CharField(  # noqa: DJ001
        _("task of the reminder"), max_length=LONGEST_KEY, null=True, default=None
    )
    scheduled_at = models.DateTimeField(_("due"), null=True)
    recipients = models.CharField(max_length=40, blank=True, default="")
    later = models.JSONField(null=True)
    created_at = models.DateTimeField(_("created"))
    sent_at = models.DateTimeField(_("sent"), null=True)
    read_at = models.DateTimeField(_("read"), null=True)

    class Meta:
        db_table = "flow_notice"
        verbose_name = _("notice")
        verbose_name_plural = _("notices and reminders")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["tenant", "reminder_key"], name="flow_notice_reminder"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["receiver", "-sent_at", "-id"], name="flow_notice_list"),
            models.Index(
                fields=["receiver"],
                name="flow_notice_unread",
                condition=models.Q(status="SENT", read_at__isnull=True),
            ),
            # Not partial: MariaDB has no such indexes, and the scan asks this every few seconds.
            models.Index(fields=["status", "scheduled_at", "id"], name="flow_notice_due"),
            models.Index(
                fields=["instance", "-created_at"],
                name="flow_notice_urges",
                condition=models.Q(kind="urge"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} #{self.pk}"


class Urge(Notice):
    """The same rows, seen as urges alone: who asked whom to see to which request."""

    class Meta:
        proxy = True
        verbose_name = _("urge")
        verbose_name_plural = _("urges")
