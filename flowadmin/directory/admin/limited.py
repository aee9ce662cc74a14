"""What every class of the directory's administration keeps to: its tenant and who may."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelect
from django.forms import BaseInlineFormSet

from flowadmin.directory import permissions
from flowadmin.directory.models import Tenant, User

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db import models
    from django.db.models import QuerySet
    from django.forms import ModelChoiceField
    from django.http import HttpRequest

_ID = re.compile(r"\A[0-9]{1,18}\Z")


def operator(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_active and request.user.is_superuser


def manager(request: HttpRequest) -> bool:
    user = request.user
    return bool(
        isinstance(user, User)
        and user.is_staff
        and permissions.has(user, permissions.DIRECTORY_MANAGE)
    )


def own_tenant_id(request: HttpRequest) -> int | None:
    """The tenant that this member of staff is limited to; None for operators."""
    if operator(request):
        return None
    return request.user.tenant_id if isinstance(request.user, User) else 0


class NumberedSelect(AutocompleteSelect):
    """Django's look-up while typing, of which a value that is no id breaks the error page."""

    def optgroups(self, name: str, value: Sequence[str], attr: Any = None) -> Any:
        return super().optgroups(name, [each for each in value if _ID.match(each)], attr)


class TenantLimited(admin.ModelAdmin[Any]):
    """Staff with `directory.manage` see and change their own tenant only; operators all.

    `tenant_path` is the look-up from the row to its tenant.
    """

    tenant_path = "tenant_id"
    show_full_result_count = False
    list_per_page = 50

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        tenant_id = own_tenant_id(request)
        return rows if tenant_id is None else rows.filter(**{self.tenant_path: tenant_id})

    def has_module_permission(self, request: HttpRequest) -> bool:
        return manager(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del obj
        return manager(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return manager(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del obj
        return manager(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del obj
        return manager(request)

    def formfield_for_foreignkey(
        self, db_field: models.ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> ModelChoiceField[Any] | None:
        kwargs = limit_choices(db_field, request, kwargs)
        if db_field.name in self.get_autocomplete_fields(request):
            kwargs.setdefault("widget", NumberedSelect(db_field, self.admin_site))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def get_list_filter(self, request: HttpRequest) -> Any:
        wanted = super().get_list_filter(request)
        return wanted if operator(request) else [name for name in wanted if name != "tenant"]


def limit_choices(
    db_field: models.ForeignKey[Any, Any], request: HttpRequest, kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Offer, and accept, only rows of the tenant that this member of staff is limited to."""
    tenant_id = own_tenant_id(request)
    if tenant_id is None:
        return kwargs
    target = db_field.remote_field.model
    if target is Tenant:
        return kwargs | {
            "queryset": Tenant.objects.filter(pk=tenant_id),
            "initial": tenant_id,
            "empty_label": None,
        }
    return kwargs | {"queryset": target._default_manager.filter(tenant_id=tenant_id)}  # noqa: SLF001


class NamedCells(BaseInlineFormSet[Any, Any, Any]):
    """A table of inputs, each of which says its name: the head of a column is no label."""

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        for field in form.fields.values():
            field.widget.attrs.setdefault("aria-label", str(field.label or ""))


class RowsOf(admin.TabularInline[Any, Any]):
    """Lines of a row of the tenant that whoever manages the directory changes with it."""

    extra = 0
    formset = NamedCells

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del obj
        return manager(request)

    has_add_permission = has_view_permission
    has_change_permission = has_view_permission
    has_delete_permission = has_view_permission

    def formfield_for_foreignkey(
        self, db_field: models.ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> ModelChoiceField[Any] | None:
        kwargs = limit_choices(db_field, request, kwargs)
        if db_field.name in self.get_autocomplete_fields(request):
            kwargs.setdefault("widget", NumberedSelect(db_field, self.admin_site))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)
