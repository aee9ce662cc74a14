"""Processes and their published versions, for reading."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from flowadmin.directory.admin import own_tenant_id
from workflow.admin.reading import ReadOnly, Rows
from workflow.models import Definition, Version

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.contrib.admin.views.main import ChangeList
    from django.db.models import QuerySet
    from django.http import HttpRequest
    from django.utils.safestring import SafeString
    from django_stubs_ext import StrOrPromise


class VersionsOfProcess(Rows):
    """What was published under a key, and by whom."""

    model = Version
    fields = ("number", "published_at", "published_by", "note", "form_number")
    related = ("published_by", "definition")


class CategoryFilter(admin.AllValuesFieldListFilter):
    """Each category in use; processes without one have a name to press too."""

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        for choice in super().choices(changelist):
            yield choice if choice["display"] else {**choice, "display": _("None")}


@admin.register(Definition)
class DefinitionAdmin(ReadOnly):
    """Processes; a new version is published by the pages and REST alone."""

    list_display = ("name", "key", "category", "state", "current", "last_number", "tenant")
    list_filter = ("state", ("category", CategoryFilter), "tenant")
    list_select_related = ("current__definition", "tenant")
    search_fields = ("key", "name")
    fields = (
        "name", "key", "tenant", "category", "position", "state", "current", "last_number",
        "created_at",
    )  # fmt: skip
    readonly_fields = ("last_number",)
    inlines = (VersionsOfProcess,)


@admin.register(Version)
class VersionAdmin(ReadOnly):
    """Published versions with their documents, byte by byte as the digest has them."""

    list_display = ("process", "number", "published_at", "published_by", "note", "tenant")
    list_filter = ("published_at", "tenant")
    list_select_related = ("definition", "published_by", "tenant")
    search_fields = ("definition__key", "definition__name", "note", "digest")
    fields = (
        "definition", "number", "private_to", "tenant", "published_at", "published_by", "note",
        "digest", "form_number", "form_digest", "shown_document", "shown_form",
    )  # fmt: skip
    readonly_fields = ("shown_document", "shown_form")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Version]:
        """A request leads to its own version, which no list of versions has."""
        found = request.resolver_match
        is_one = found is not None and "object_id" in found.kwargs
        if not is_one:
            return super().get_queryset(request)
        tenant_id = own_tenant_id(request)
        rows = Version.with_private.all()
        return rows if tenant_id is None else rows.filter(tenant=tenant_id)

    @admin.display(description=_("process"), ordering="definition__name")
    def process(self, version: Version) -> str:
        return version.definition.name

    @admin.display(description=_("document"))
    def shown_document(self, version: Version) -> SafeString | str:
        return _shown(version.document, _("document"))

    @admin.display(description=_("form"))
    def shown_form(self, version: Version) -> SafeString | str:
        return _shown(version.form, _("form"))


def _shown(document: str, label: StrOrPromise) -> SafeString | str:
    """A document as people read it; a field to scroll in, because a page must not grow with it."""
    if not document:
        return "-"
    try:
        text = json.dumps(json.loads(document), ensure_ascii=False, indent=2)
    except ValueError:
        text = document
    return format_html(
        '<textarea readonly rows="24" cols="80" spellcheck="false" aria-label="{}">{}</textarea>',
        label,
        text,
    )
