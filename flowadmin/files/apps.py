"""The app of uploaded files: one table, and bytes under the folder of the installation's data."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class FilesConfig(AppConfig):
    """Names the app."""

    name = "flowadmin.files"
    label = "files"
    verbose_name = _("Files")

    def ready(self) -> None:
        """Load the descriptions of this app's problem codes."""
        from flowadmin.files import problem_codes  # noqa: F401  # describes by being imported
