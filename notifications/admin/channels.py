"""Which channels a tenant has, and what became of each message; addresses are nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from flowadmin.directory.admin import TenantLimited
from notifications.actions import handing_out
from notifications.admin.notices import OfRequests
from notifications.channels import media_here
from notifications.models import Channel, Message
from notifications.wording import message_result_text

if TYPE_CHECKING:
    from django.http import HttpRequest


@admin.register(Channel)
class ChannelAdmin(TenantLimited):
    """Opened and closed by whoever manages the directory: it decides what leaves the house."""

    fields = ("tenant", "medium", "enabled")
    list_display = ("medium", "enabled", "works", "tenant")
    list_filter = ("enabled", "tenant")
    list_select_related = ("tenant",)
    ordering = ("tenant", "medium")

    @admin.display(description=_("set up by the operator"), boolean=True)
    def works(self, channel: Channel) -> bool:
        return channel.medium in media_here()

    def get_readonly_fields(
        self, request: HttpRequest, obj: Channel | None = None
    ) -> tuple[str, ...]:
        del request
        return () if obj is None else ("tenant", "medium")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Switched off instead: what people chose for it stays."""
        del request, obj
        return False

    def save_model(self, request: HttpRequest, obj: Channel, form: Any, change: Any) -> None:
        super().save_model(request, obj, form, change)
        handing_out.forget()


@admin.register(Message)
class MessageAdmin(OfRequests):
    """What became of each message to the outside; nobody sends one by hand."""

    list_select_related = ("notice__instance", "receiver", "tenant")
    list_display = (
        "about", "receiver", "medium", "status", "attempts", "shown_result", "updated_at",
    )  # fmt: skip
    list_display_links = ("medium",)
    list_filter = ("status", "medium", "updated_at", "tenant")
    search_fields = ("receiver__login", "receiver__name")
    search_help_text = _("Name or login of a person")
    fields = (
        "about", "receiver", "medium", "by_process", "status", "attempts", "shown_result",
        "next_at", "created_at", "updated_at", "tenant",
    )  # fmt: skip
    readonly_fields = ("about", "shown_result")
    # A notice's text is not to be found letter by letter from here.
    unsearchable = ("notice", "token")

    @admin.display(description=_("request"))
    def about(self, row: Message) -> str:
        return self.request_title(row.notice)

    @admin.display(description=_("latest result"))
    def shown_result(self, row: Message) -> str:
        return str(message_result_text(row.result)) or "-"
