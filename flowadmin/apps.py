"""The installation as a Django application: it brings the start-up checks."""

from __future__ import annotations

from django.apps import AppConfig


class FlowAdminConfig(AppConfig):
    name = "flowadmin"
    verbose_name = "FlowAdmin"

    def ready(self) -> None:
        """Register the checks; nothing else may happen here, every command passes by."""
        from flowadmin import checks

        checks.register()
