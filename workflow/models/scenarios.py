"""Scenarios stored with a version of a process, and what they came to when last played."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from workflow.models.definitions import Version


class ScenarioSet(models.Model):
    """The scenarios of one version. The version never changes; its scenarios may.

    ``scenarios`` are as they were sent, ``results`` one object for each: ``{name, green, path,
    ends}`` and, when it is red, ``code``, ``at`` and ``args``. ``require_green``: a later version
    is only published when all of its scenarios are green.
    """

    tenant = models.ForeignKey(
        "directory.Tenant", on_delete=models.PROTECT, db_index=False, verbose_name=_("tenant")
    )
    version = models.OneToOneField(
        Version,
        on_delete=models.PROTECT,
        related_name="scenario_set",
        verbose_name=_("process version"),
    )
    scenarios = models.JSONField(_("scenarios"), default=list)
    results = models.JSONField(_("results"), default=list)
    require_green = models.BooleanField(_("all of them must be green"), default=False)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        db_index=False,
        related_name="+",
        verbose_name=_("changed by"),
    )
    changed_at = models.DateTimeField(_("changed"))

    class Meta:
        db_table = "flow_scenarios"
        verbose_name = _("scenarios")
        verbose_name_plural = _("scenarios")

    def __str__(self) -> str:
        return f"{self.version}: {len(self.scenarios)}"
