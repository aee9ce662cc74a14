"""Callbacks in the administration: state, attempts, class of the latest result; only read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from notifications.admin.notices import OfRequests
from notifications.models import Callback, CallbackPurge
from notifications.wording import result_text
from workflow.admin.reading import ReadOnly

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest

# Nobody is ever shown these, nor told by a filter what stands in them (seed 001 P46).
HIDDEN = ("payload", "target_url", "host")


@admin.register(Callback)
class CallbackAdmin(OfRequests):
    """What became of each event. Only the initiator sends one again, on his own pages (P43)."""

    list_select_related = ("instance", "tenant")
    list_display = (
        "request_title", "event", "step", "status", "attempts", "shown_result", "updated_at",
    )  # fmt: skip
    list_display_links = ("event",)
    list_filter = ("status", "event", "updated_at", "tenant")
    search_fields = ("event_id", "instance__number", "instance__title")
    search_help_text = _("Event id, or number or title of the request")
    fields = (
        "instance", "task", "event", "step", "event_id", "status", "attempts", "shown_result",
        "next_attempt_at", "created_at", "updated_at", "tenant",
    )  # fmt: skip
    readonly_fields = ("shown_result",)
    unsearchable = (*HIDDEN, "history", "target")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).defer(*HIDDEN)

    @admin.display(description=_("latest result"))
    def shown_result(self, row: Callback) -> str:
        return str(result_text(row.result)) or "-"


@admin.register(CallbackPurge)
class CallbackPurgeAdmin(ReadOnly):
    """What `manage.py purge --callbacks` took away, and when."""

    list_display = ("purged_at", "status", "before", "number", "tenant")
    list_filter = ("status", "tenant")
    list_select_related = ("tenant",)
    fields = list_display
