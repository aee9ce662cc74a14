"""Saved views: filters of a list that a person comes back to, by a name of his own."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

LONGEST_VIEW_NAME = 60
LONGEST_QUERY = 1_000


class SavedView(models.Model):
    """One view: ``query`` is the part of the address that filters the list of ``box``."""

    tenant = models.ForeignKey(
        "directory.Tenant", on_delete=models.PROTECT, db_index=False, verbose_name=_("tenant")
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        verbose_name=_("owner"),
    )
    box = models.CharField(_("list"), max_length=16)
    name = models.CharField(_("name"), max_length=LONGEST_VIEW_NAME)
    query = models.CharField(_("filter"), max_length=LONGEST_QUERY)
    changed_at = models.DateTimeField(_("changed"))

    class Meta:
        db_table = "flow_saved_view"
        verbose_name = _("saved view")
        verbose_name_plural = _("saved views")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "box", "name"], name="flow_saved_view_name"),
        ]

    def __str__(self) -> str:
        return self.name
