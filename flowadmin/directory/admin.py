"""The administration of tenants, people, departments, roles and tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.utils.translation import gettext_lazy as _

from flowadmin.directory import permissions
from flowadmin.directory.forms import NewUserForm, UserForm
from flowadmin.directory.models import (
    ApiToken,
    Department,
    Role,
    RoleGrant,
    RoleMember,
    Tenant,
    User,
)

if TYPE_CHECKING:
    from django.db import models
    from django.db.models import QuerySet
    from django.forms import ModelChoiceField
    from django.http import HttpRequest

# Roles with grants say who may do what; Django's groups would be a second, silent way.
if admin.site.is_registered(Group):
    admin.site.unregister(Group)


def _operator(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_active and request.user.is_superuser


def _manager(request: HttpRequest) -> bool:
    user = request.user
    return bool(
        isinstance(user, User)
        and user.is_staff
        and permissions.has(user, permissions.DIRECTORY_MANAGE)
    )


def own_tenant_id(request: HttpRequest) -> int | None:
    """The tenant that this member of staff is limited to; None for operators."""
    if _operator(request):
        return None
    return request.user.tenant_id if isinstance(request.user, User) else 0


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
        return _manager(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del obj
        return _manager(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return _manager(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del obj
        return _manager(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del obj
        return _manager(request)

    def formfield_for_foreignkey(
        self, db_field: models.ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> ModelChoiceField[Any] | None:
        return super().formfield_for_foreignkey(
            db_field, request, **limit_choices(db_field, request, kwargs)
        )

    def get_list_filter(self, request: HttpRequest) -> Any:
        wanted = super().get_list_filter(request)
        return wanted if _operator(request) else [name for name in wanted if name != "tenant"]


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


@admin.register(Tenant)
class TenantAdmin(TenantLimited):
    """Operators add tenants; a tenant is never deleted."""

    tenant_path = "pk"
    list_display = ("code", "name")
    search_fields = ("code", "name")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return _operator(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del obj
        return _operator(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del request, obj
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        del request
        return ("code",) if obj is not None else ()


class MembershipsOfUser(admin.TabularInline[RoleMember, User]):
    """The roles of a person, for reading; members are changed on the role."""

    model = RoleMember
    fields = ("role",)
    readonly_fields = ("role",)
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del request, obj
        return False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del obj
        return _manager(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del request, obj
        return False


@admin.register(User)
class UserAdmin(TenantLimited, DjangoUserAdmin[User]):
    """People: added, changed, deactivated; never deleted."""

    form = UserForm
    add_form = NewUserForm
    list_display = ("login", "name", "department", "tenant", "is_active", "is_staff")
    list_filter = ("tenant", "is_active", "is_staff")
    list_select_related = ("department", "tenant")
    search_fields = ("login", "name", "email")
    ordering = ("login",)
    filter_horizontal = ()
    autocomplete_fields = ("department",)
    inlines = (MembershipsOfUser,)
    fieldsets = (
        (None, {"fields": ("tenant", "login", "password")}),
        (_("Person"), {"fields": ("name", "email", "department", "language", "theme")}),
        (_("Access"), {"fields": ("is_active", "is_staff", "is_superuser", "last_login")}),
    )
    add_fieldsets = (
        (
            None,
            {
                "classes": ("wide",),
                "fields": (
                    "tenant",
                    "login",
                    "name",
                    "department",
                    "usable_password",
                    "password1",
                    "password2",
                ),
            },
        ),
    )

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        return self.inlines if obj is not None else ()

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        fixed = ("tenant", "login", "last_login") if obj is not None else ()
        return fixed if _operator(request) else (*fixed, "is_superuser")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A tenant's staff must not take over the account of an operator."""
        if isinstance(obj, User) and obj.is_superuser and not _operator(request):
            return False
        return super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del request, obj
        return False


@admin.register(Department)
class DepartmentAdmin(TenantLimited):
    """The tree of departments with their heads."""

    list_display = ("code", "name", "parent", "head", "tenant")
    list_filter = ("tenant",)
    list_select_related = ("parent", "head", "tenant")
    search_fields = ("code", "name")
    autocomplete_fields = ("parent", "head")
    fields = ("tenant", "code", "name", "parent", "head")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        del request
        return ("tenant", "code") if obj is not None else ()


class MembersOfRole(admin.TabularInline[RoleMember, Role]):
    """Who is in the role."""

    model = RoleMember
    autocomplete_fields = ("user",)
    extra = 0

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del obj
        return _manager(request)

    has_add_permission = has_view_permission
    has_change_permission = has_view_permission
    has_delete_permission = has_view_permission

    def formfield_for_foreignkey(
        self, db_field: models.ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> ModelChoiceField[Any] | None:
        return super().formfield_for_foreignkey(
            db_field, request, **limit_choices(db_field, request, kwargs)
        )


class GrantsOfRole(admin.TabularInline[RoleGrant, Role]):
    """What the role permits."""

    model = RoleGrant
    extra = 0

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del obj
        return _manager(request)

    has_add_permission = has_view_permission
    has_change_permission = has_view_permission
    has_delete_permission = has_view_permission


@admin.register(Role)
class RoleAdmin(TenantLimited):
    """Roles with their members and what they permit."""

    list_display = ("code", "name", "tenant")
    list_filter = ("tenant",)
    list_select_related = ("tenant",)
    search_fields = ("code", "name")
    fields = ("tenant", "code", "name")
    inlines = (MembersOfRole, GrantsOfRole)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        del request
        return ("tenant", "code") if obj is not None else ()


@admin.register(ApiToken)
class ApiTokenAdmin(TenantLimited):
    """Tokens are made by `manage.py api_token`, and revoked here by deleting them."""

    tenant_path = "user__tenant_id"
    list_display = ("user", "label", "created_at", "expires_at", "last_used_at")
    list_select_related = ("user",)
    search_fields = ("user__login", "user__name", "label")
    fields = ("user", "label", "created_at", "expires_at", "last_used_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        del request
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del request, obj
        return False
