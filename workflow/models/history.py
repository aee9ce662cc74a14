"""The history of requests: the truth that every other row of a request is made from."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class Event(models.Model):
    """One event. (instance, position) is unique: a history can never fork.

    ``payload`` is the event as JSON text in the bytes in which it was written.
    """

    id = models.BigIntegerField(primary_key=True)
    tenant = models.ForeignKey("directory.Tenant", on_delete=models.PROTECT, db_index=False)
    instance = models.ForeignKey(
        "Instance", on_delete=models.PROTECT, related_name="events", db_index=False
    )
    position = models.PositiveIntegerField(_("position"))
    kind = models.CharField(_("event"), max_length=24)
    at = models.DateTimeField(_("time"))
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        db_index=False,
        related_name="+",
        verbose_name=_("actor"),
    )
    payload = models.TextField(_("content"))

    class Meta:
        db_table = "flow_event"
        verbose_name = _("event")
        verbose_name_plural = _("events")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["instance", "position"], name="flow_event_position"),
        ]

    def __str__(self) -> str:
        return f"{self.position}. {self.kind}"
