"""Calls of `http` steps with their attempts, for reading; neither address nor content is shown."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from workflow.admin.reading import ReadOnly
from workflow.models import Call


@admin.register(Call)
class CallAdmin(ReadOnly):
    """What became of each call: how often it was tried, with which result, when next."""

    list_display = ("instance", "step", "mode", "state", "result", "attempts", "due_at", "tenant")
    list_filter = ("state", "mode", "tenant")
    list_select_related = ("instance", "tenant")
    search_fields = ("event_id", "instance__number")
    fields = (
        "instance", "step", "mode", "event_id", "state", "result", "attempts", "due_at",
        "shown_history", "created_at", "tenant",
    )  # fmt: skip
    readonly_fields = ("shown_history",)
    unsearchable = ("url", "headers", "body", "answer", "reply_salt", "reply_hash")

    @admin.display(description=_("attempts so far"))
    def shown_history(self, call: Call) -> str:
        lines = (
            f"{each['attempt']}. {each['at']}: {each['result']}"
            + (f" ({each['late']})" if "late" in each else "")
            for each in call.history
        )
        return "; ".join(lines) or "-"
