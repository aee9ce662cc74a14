"""App configuration of workflow."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class WorkflowConfig(AppConfig):
    name = "workflow"
    verbose_name = _("Requests and processes")

    def ready(self) -> None:
        """Say who may read the files of requests, and who is told of decisions.

        Models can be imported only from here on.
        """
        from flowadmin.files.access import register_reader
        from workflow.attached import PLACE, may_read
        from workflow.runtime import asking_outside, subscribers

        register_reader(PLACE, may_read)
        subscribers.subscribe(asking_outside.follow)
