"""Drafts of both kinds for operators: whose, of what, how old; content only with a trace."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin
from django.http import Http404, HttpResponseNotAllowed
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from flowadmin import clock
from flowadmin.directory import permissions
from flowadmin.directory.models import User
from workflow.actions import keeping_drafts
from workflow.admin import acting
from workflow.admin.reading import ReadOnly, page_of
from workflow.models import ApplicationDraft, DesignDraft, Draft

if TYPE_CHECKING:
    from datetime import datetime

    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse
    from django.http.response import HttpResponseBase
    from django.urls import URLPattern
    from django.utils.safestring import SafeString


def _expire(row: Draft, _answers: dict[str, Any], _user: User, now: datetime) -> None:
    keeping_drafts.expire(row, now)


EXPIRE = acting.Act(
    name="expire",
    offer=gettext_lazy("Delete those that nobody has saved for a year…"),
    title=gettext_lazy("Delete expired drafts"),
    button=gettext_lazy("Delete with this reason"),
    done=gettext_lazy("%(row)s: deleted."),
    form=acting.ReasonForm,
    carry_out=_expire,
    applies=lambda row: keeping_drafts.has_expired(row, clock.now()),
)


class DraftAdmin(ReadOnly):
    """What both lists share: one kind, read-only, and deleting what has expired."""

    kind: Draft.Kind
    actions = ("expire",)
    list_filter = ("updated_at", "tenant")
    list_select_related = ("user", "tenant")
    search_fields: ClassVar[tuple[str, ...]] = ("flow_key", "user__login", "user__name")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request).filter(kind=self.kind)
        return rows.defer("content") if self.kind == Draft.Kind.APPLICATION else rows

    @admin.action(description=EXPIRE.offer, permissions=["act"])
    def expire(self, request: HttpRequest, rows: QuerySet[Draft]) -> HttpResponse | None:
        """Ask why; or, when it was answered, delete those that have expired."""
        return acting.ask(self, request, rows, EXPIRE)


@admin.register(DesignDraft)
class DesignDraftAdmin(DraftAdmin):
    """Designs in progress. What stands in one needs `audit.read`, and each look is logged."""

    kind = Draft.Kind.DESIGN
    list_display = ("name", "user", "flow_key", "based_on", "problems", "updated_at", "tenant")
    search_fields = (*DraftAdmin.search_fields, "name")
    fields = (
        "name", "user", "flow_key", "based_on", "problems", "version", "created_at", "updated_at",
        "deleted_at", "tenant", "opened",
    )  # fmt: skip
    readonly_fields = ("opened",)

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.content_view)
        name = f"{self.opts.app_label}_{self.opts.model_name}_content"
        return [path("<int:pk>/content/", view, name=name), *super().get_urls()]

    @admin.display(description=gettext_lazy("open"))
    def opened(self, draft: Draft) -> SafeString:
        """Its owner opens it in the designer; others may look at its content, with a trace."""
        return format_html(
            '<a href="{}">{}</a> · <a href="{}">{}</a>',
            reverse("designer", args=[draft.pk]),
            _("In the designer (its owner only)"),
            reverse(page_of(draft, "content"), args=[draft.pk]),
            _("Show the content…"),
        )

    def content_view(self, request: HttpRequest, pk: int) -> HttpResponseBase:
        """Says that looking is logged; then, on a POST, logs it and shows the content."""
        if request.method not in {"GET", "HEAD", "POST"}:
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
        draft = self.get_queryset(request).filter(pk=pk).first()
        if draft is None or not self.has_view_permission(request) or not _may_look(request):
            raise Http404
        content = ""
        if request.method == "POST":
            self.log_change(request, draft, _("The content was looked at."))
            content = json.dumps(draft.parts(), ensure_ascii=False, indent=2)
        context = {
            **self.admin_site.each_context(request),
            "title": str(draft),
            "opts": self.opts,
            "content": content,
            "list_page": reverse(page_of(draft, "changelist")),
        }
        return TemplateResponse(request, "admin/workflow/draft_content.html", context)


@admin.register(ApplicationDraft)
class ApplicationDraftAdmin(DraftAdmin):
    """Requests that somebody fills in: metadata only, neither what was typed nor its title."""

    kind = Draft.Kind.APPLICATION
    list_display = ("pk", "user", "flow_key", "based_on", "updated_at", "tenant")
    fields = (
        "user", "flow_key", "based_on", "version", "created_at", "updated_at", "deleted_at",
        "tenant",
    )  # fmt: skip


def _may_look(request: HttpRequest) -> bool:
    user = request.user
    return isinstance(user, User) and permissions.has(user, permissions.AUDIT_READ)
