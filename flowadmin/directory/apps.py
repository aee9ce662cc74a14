"""The directory application: who there is, where they belong and what they may do."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class DirectoryConfig(AppConfig):
    name = "flowadmin.directory"
    label = "directory"
    verbose_name = _("Organisation")
