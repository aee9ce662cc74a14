"""App configuration of workflow."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class WorkflowConfig(AppConfig):
    name = "workflow"
    verbose_name = _("Requests and processes")

    def ready(self) -> None:
        """Say who reads and who keeps files, and who is told of decisions.

        Models can be imported only from here on.
        """
        from flowadmin.files.access import register_reader
        from flowadmin.files.removing import keep_while
        from workflow.attached import PLACE, may_read
        from workflow.drafted import held_by_a_draft
        from workflow.runtime import asking_outside, subscribers

        register_reader(PLACE, may_read)
        keep_while(held_by_a_draft)
        subscribers.subscribe(asking_outside.follow)
