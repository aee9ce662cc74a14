"""App configuration of notifications."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class NotificationsConfig(AppConfig):
    name = "notifications"
    verbose_name = _("Notices")

    def ready(self) -> None:
        """Follow every decision, and describe the problem codes of this app.

        Models can be imported only from here on.
        """
        from notifications import problem_codes, subscriptions  # noqa: F401  # codes describe
        from workflow.runtime import subscribers

        subscribers.subscribe(subscriptions.follow)
