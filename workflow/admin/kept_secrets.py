"""Secrets that processes name by their keys: entered here, and never shown again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from flowadmin import clock
from flowadmin.directory import permissions
from flowadmin.directory.admin import TenantLimited
from flowadmin.directory.models import User
from workflow.actions.keeping_secrets import forget_secret, keep_secret
from workflow.models import Secret

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest

# What the value of a header may be: visible ASCII, with blanks inside.
_HEADER_VALUE = re.compile(r"[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?")
LONGEST = 4000


class SecretForm(forms.ModelForm[Secret]):
    """A key and, to set or replace it, the secret itself."""

    value = forms.CharField(
        label=_("secret"),
        max_length=LONGEST,
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "class": "vTextField"}),
        help_text=_("The whole value of a header, such as “Bearer …”. It is not shown again."),
    )

    class Meta:
        model = Secret
        fields = ("tenant", "key")

    def clean_value(self) -> str:
        value: str = self.cleaned_data["value"].strip()
        if not _HEADER_VALUE.fullmatch(value):
            raise ValidationError(
                _("Only letters, digits and signs of ASCII can stand in a header."),
                code="secret.characters",
            )
        return value


@admin.register(Secret)
class SecretAdmin(TenantLimited):
    """Whoever may publish processes may set the secrets that they name."""

    form = SecretForm
    fields = ("tenant", "key", "value")
    list_display = ("key", "changed_at", "tenant")
    list_filter = ("tenant",)
    list_select_related = ("tenant",)
    search_fields = ("key",)
    ordering = ("key",)

    def get_readonly_fields(
        self, request: HttpRequest, obj: Secret | None = None
    ) -> tuple[str, ...]:
        """The key of a secret is part of how it is sealed: another key is another secret."""
        del request
        return () if obj is None else ("tenant", "key")

    def has_module_permission(self, request: HttpRequest) -> bool:
        return may_keep(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del obj
        return may_keep(request)

    has_add_permission = has_module_permission
    has_change_permission = has_view_permission
    has_delete_permission = has_view_permission

    def save_model(
        self,
        request: HttpRequest,
        obj: Secret,
        form: forms.ModelForm[Secret],
        change: bool,  # noqa: FBT001 - Django's
    ) -> None:
        del request, change
        kept = keep_secret(
            tenant_id=obj.tenant_id,
            key=obj.key,
            text=form.cleaned_data["value"],
            now=clock.now(),
        )
        obj.pk, obj.changed_at = kept.pk, kept.changed_at

    def delete_model(self, request: HttpRequest, obj: Secret) -> None:
        del request
        forget_secret(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Secret]) -> None:
        del request
        for secret in queryset:
            forget_secret(secret)


def may_keep(request: HttpRequest) -> bool:
    """Operators, and staff who may publish processes."""
    user = request.user
    return bool(
        isinstance(user, User)
        and user.is_staff
        and permissions.has(user, permissions.FLOW_PUBLISH)
    )
