"""Notices, reminders and urges in the administration: read, and urged by whoever filed it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin, messages
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from flowadmin import clock
from flowadmin.directory.models import User
from flowadmin.rest.problems import Problem
from notifications.actions.urging import urge
from notifications.models import Notice
from notifications.models import Urge as UrgeRow
from workflow.admin.reading import ReadOnly
from workflow.wording.states import listed

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest
    from django.utils.safestring import SafeString

MOST_AT_ONCE = 100


class OfRequests(ReadOnly):
    """What the lists of notices share: the request that a row is about."""

    list_select_related: ClassVar[Any] = ("instance", "receiver", "sender", "tenant")
    search_fields: ClassVar[Any] = (
        "instance__number", "instance__title", "receiver__login", "receiver__name",
    )  # fmt: skip
    search_help_text = gettext_lazy("Number or title of the request, name or login of a person")

    @admin.display(description=gettext_lazy("request"))
    def request_title(self, row: Notice) -> SafeString | str:
        if row.instance is None:
            return "-"
        address = reverse("admin:workflow_instance_change", args=[row.instance_id])
        text = f"{row.instance.number} {row.instance.title}"
        return format_html('<a href="{}">{}</a>', address, text)


@admin.register(Notice)
class NoticeAdmin(OfRequests):
    """Notices and waiting reminders by state; no reminder is ever sent by hand."""

    list_display = (
        "request_title", "kind", "status", "receiver", "scheduled_at", "sent_at", "read_at",
    )  # fmt: skip
    list_display_links = ("kind",)  # the title leads to the request: no link within a link
    list_filter = ("status", "kind", "created_at", "tenant")
    fields = (
        "instance", "task", "kind", "status", "receiver", "sender", "title", "text",
        "scheduled_at", "created_at", "sent_at", "read_at", "tenant",
    )  # fmt: skip


@admin.register(UrgeRow)
class UrgeAdmin(OfRequests):
    """Who urged whom, and when. Urging again takes the same gate as on the pages."""

    actions = ("urge_again",)
    list_display = ("request_title", "sender", "receiver", "sent_at", "read_at")
    list_display_links = ("sent_at",)
    list_filter = ("sent_at", "tenant")
    fields = ("instance", "task", "sender", "receiver", "sent_at", "read_at", "tenant")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(kind=Notice.Kind.URGE)

    @admin.action(
        description=gettext_lazy("Urge again (only requests that you filed)"),
        permissions=["act"],
    )
    def urge_again(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        """Once for each request among the rows; what is refused is told beside what was done."""
        user = request.user
        if not isinstance(user, User):
            return
        found = {row.instance_id: row.instance for row in rows[:MOST_AT_ONCE] if row.instance}
        for instance in found.values():
            try:
                urged = urge(instance=instance, user=user, now=clock.now())
            except Problem as problem:
                text = _("%(number)s: %(reason)s")
                args = {"number": instance.number, "reason": str(problem.detail)}
                messages.warning(request, text % args)
            else:
                text = _("%(number)s: you urged %(people)s")
                args = {"number": instance.number, "people": listed(urged.people)}
                messages.success(request, text % args)
