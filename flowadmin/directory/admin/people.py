"""The administration of tenants, people and tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group as DjangoGroup
from django.utils.translation import gettext_lazy as _

from flowadmin.directory.admin.limited import TenantLimited, manager, operator
from flowadmin.directory.forms import NewUserForm, UserForm
from flowadmin.directory.models import ApiToken, RoleMember, Tenant, User

if TYPE_CHECKING:
    from django.http import HttpRequest

# Roles with grants say who may do what; Django's groups would be a second, silent way.
if admin.site.is_registered(DjangoGroup):
    admin.site.unregister(DjangoGroup)


@admin.register(Tenant)
class TenantAdmin(TenantLimited):
    """Operators add tenants; a tenant is never deleted."""

    tenant_path = "pk"
    list_display = ("code", "name", "time_zone")
    search_fields = ("code", "name")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return operator(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del obj
        return operator(request)

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
        return manager(request)

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
    autocomplete_fields = ("department", "manager")
    inlines = (MembershipsOfUser,)
    fieldsets = (
        (None, {"fields": ("tenant", "login", "password")}),
        (_("Person"), {"fields": ("name", "email", "department", "manager", "language", "theme")}),
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
        return fixed if operator(request) else (*fixed, "is_superuser")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A tenant's staff must not take over the account of an operator."""
        if isinstance(obj, User) and obj.is_superuser and not operator(request):
            return False
        return super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del request, obj
        return False


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
