"""The app of the JSON front door: it has one table, the stored first answers of commands."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RestConfig(AppConfig):
    """Names the app."""

    name = "flowadmin.rest"
    label = "rest"
    verbose_name = _("REST front door")

    def ready(self) -> None:
        """Load the descriptions of our authentication classes for the OpenAPI document."""
        from flowadmin.rest import openapi  # noqa: F401  # registers by being imported
