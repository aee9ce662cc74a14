"""The app of the coordination between processes; so far it has one table, beat's sign of life."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class CoordinationConfig(AppConfig):
    """Names the app."""

    name = "flowadmin.coordination"
    label = "coordination"
    verbose_name = _("coordination")
