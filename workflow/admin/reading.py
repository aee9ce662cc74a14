"""What all lists and pages of this administration share: they read, within the tenant."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import BadRequest
from django.core.paginator import Paginator
from django.forms.models import BaseInlineFormSet
from django.utils.translation import gettext_lazy as _

from flowadmin.directory import permissions
from flowadmin.directory.admin import TenantLimited, own_tenant_id
from flowadmin.directory.models import User
from workflow.access import LARGEST_ID
from workflow.models import Definition

if TYPE_CHECKING:
    from django.db.models import Model, QuerySet
    from django.http import HttpRequest, HttpResponse

MOST_COUNTED = 10_000
MOST_ROWS = 200


def may_manage(request: HttpRequest) -> bool:
    """Whether these pages are open: to operators, and to staff who may manage requests."""
    user = request.user
    return bool(
        isinstance(user, User) and user.is_staff and permissions.has(user, permissions.FLOW_MANAGE)
    )


class CappedPaginator(Paginator[Any]):
    """Counts no further than ten thousand rows; a longer list is to be filtered (7.14)."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows.order_by()[:MOST_COUNTED].count())


class ReadOnly(TenantLimited):
    """Nobody adds, changes or deletes a row here, operators included (interface.md 7.14).

    The methods are what Django's views ask; a POST to an add, change or delete page is 403.
    """

    paginator = CappedPaginator
    # Columns that nobody is shown: Django would let an address filter by them (`?url__contains=`),
    # which tells what stands in them.
    unsearchable: tuple[str, ...] = ()
    # Counts beside every filter would be a count of the whole table each.
    show_facets = admin.ShowFacets.NEVER
    ordering = ("-pk",)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return may_manage(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del obj
        return may_manage(request)

    def has_act_permission(self, request: HttpRequest) -> bool:
        """For the actions: whoever may look may act, and the runtime asks the rest."""
        return may_manage(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        del request
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del request, obj
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del request, obj
        return False

    def lookup_allowed(self, lookup: str, value: Any, request: Any = None) -> bool:
        """Whether the address of the list may filter by this."""
        hidden = lookup.partition("__")[0] in self.unsearchable
        return not hidden and super().lookup_allowed(lookup, value, request)

    def response_action(
        self, request: HttpRequest, queryset: QuerySet[Any], *args: Any, **kwargs: Any
    ) -> HttpResponse | None:
        """Django takes the ids of a POST as they come; what is no number would be a 500."""
        for text in request.POST.getlist(ACTION_CHECKBOX_NAME):
            if not (text.isascii() and text.isdecimal() and int(text[:20]) <= LARGEST_ID):
                raise BadRequest("An id is a number.")
        return super().response_action(request, queryset, *args, **kwargs)


class _FirstRows(BaseInlineFormSet[Any, Any, Any]):
    """A history has thousands of events; its page shows the first ones."""

    def get_queryset(self) -> QuerySet[Any]:
        return super().get_queryset()[:MOST_ROWS]


class Rows(admin.TabularInline[Any, Any]):
    """Rows of another table on an object's page, for reading."""

    formset = _FirstRows
    extra = 0
    max_num = 0
    can_delete = False
    show_change_link = True
    related: tuple[str, ...] = ()
    ordering = ("pk",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        return rows.select_related(*self.related) if self.related else rows

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        del request, obj
        return self.fields or ()

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del obj
        return may_manage(request)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del request, obj
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del request, obj
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del request, obj
        return False


class ByProcess(admin.SimpleListFilter):
    """The processes of the tenant; asked of their own small table and never of the requests."""

    title = _("process")
    parameter_name = "process"
    path = "definition_id"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        del model_admin
        rows = Definition.objects.order_by("name", "id")
        tenant_id = own_tenant_id(request)
        if tenant_id is not None:
            return [(str(pk), name) for pk, name in _names(rows.filter(tenant_id=tenant_id))]
        several = rows.values_list("id", "name", "tenant__code")
        return [(str(pk), f"{name} ({code})") for pk, name, code in several[:MOST_ROWS]]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        del request
        value = self.value()
        if value is None:
            return queryset
        known = {key for key, _name in self.lookup_choices}
        return queryset.filter(**{self.path: int(value)}) if value in known else queryset.none()


class ByProcessOfRequest(ByProcess):
    """The same for rows that hang on a request."""

    path = "instance__definition_id"


def _names(rows: QuerySet[Definition]) -> list[tuple[int, str]]:
    return list(rows.values_list("id", "name")[:MOST_ROWS])


def page_of(row: Model, kind: str = "change") -> str:
    """The name of a row's own page, or of its list (``changelist``), for `reverse`."""
    return f"admin:{row._meta.app_label}_{row._meta.model_name}_{kind}"  # noqa: SLF001 - public
