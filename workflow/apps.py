"""App configuration of workflow."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class WorkflowConfig(AppConfig):
    name = "workflow"
    verbose_name = _("Requests and processes")
