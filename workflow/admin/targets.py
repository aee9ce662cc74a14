"""Targets of callbacks: entered here; neither address nor secret is shown again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from flowadmin import clock
from flowadmin.directory.admin import TenantLimited
from workflow.actions.keeping_targets import keep_target
from workflow.admin.kept_secrets import may_keep
from workflow.models import Target
from workflow.models.targets import EVERY_FIELD, LONGEST_URL
from workflow.runtime.calls import objection_to

if TYPE_CHECKING:
    from django.http import HttpRequest

# Standard Webhooks: 24 to 64 bytes in base64 (reliability.md 4.2).
_SECRET = re.compile(r"whsec_[A-Za-z0-9+/]{32,86}={0,2}")
_FIELD = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)?|\*")
_KEPT = _("Leave it empty to keep what is there.")


class TargetForm(forms.ModelForm[Target]):
    """A key, and to set or replace them the address and the secret."""

    address = forms.CharField(
        label=_("address"),
        max_length=LONGEST_URL,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "class": "vTextField"}),
        help_text=_KEPT,
    )
    secret = forms.CharField(
        label=_("secret"),
        max_length=100,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "class": "vTextField"}),
        help_text=_(
            "“whsec_” and base64 of 24 to 64 bytes. A former one stays valid for 24 hours. Leave "
            "it empty to keep what is there."
        ),
    )
    shown = forms.CharField(
        label=_("fields that it may see"),
        max_length=4000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "cols": 40}),
        help_text=_("Ids of fields of the form, one on each line; “*” for all. None by default."),
    )

    class Meta:
        model = Target
        fields = ("tenant", "key", "https_only", "profile")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            self.initial.setdefault("shown", "\n".join(self.instance.fields))

    def clean_secret(self) -> str:
        value: str = self.cleaned_data["secret"].strip()
        if value and not (_SECRET.fullmatch(value) and _length(value) in range(24, 65)):
            raise ValidationError(
                _("A secret is “whsec_” and base64 of 24 to 64 bytes."), code="target.secret"
            )
        return value

    def clean_shown(self) -> list[str]:
        words: list[str] = self.cleaned_data["shown"].replace(",", " ").split()
        for word in words:
            if not _FIELD.fullmatch(word):
                raise ValidationError(
                    _("“%(word)s” is no id of a field."),
                    code="target.field",
                    params={"word": word},
                )
        return [EVERY_FIELD] if EVERY_FIELD in words else list(dict.fromkeys(words))

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        url = str(cleaned.get("address", "")).strip()
        if not url and not self.instance.pk:
            self.add_error("address", ValidationError(_("Say where to send."), code="required"))
        https_only = bool(cleaned.get("https_only"))
        code = objection_to(url or self.instance.url, https_only=https_only)
        if code and (url or self.instance.pk):
            self.add_error(
                "address",
                ValidationError(
                    _("Nothing may be sent to this address (%(code)s)."),
                    code="target.address",
                    params={"code": code},
                ),
            )
        return cleaned


def _length(secret: str) -> int:
    digits = secret.removeprefix("whsec_")
    return len(digits) * 3 // 4 - digits.count("=") if len(digits) % 4 == 0 else 0


@admin.register(Target)
class TargetAdmin(TenantLimited):
    """Whoever may publish processes may set where they post to. A target stays: steps name it."""

    form = TargetForm
    fields = ("tenant", "key", "address", "https_only", "secret", "shown", "profile")
    list_display = ("key", "https_only", "signed", "profile", "changed_at", "tenant")
    list_filter = ("tenant",)
    list_select_related = ("tenant",)
    search_fields = ("key",)
    ordering = ("key",)

    @admin.display(description=_("signed"), boolean=True)
    def signed(self, target: Target) -> bool:
        return bool(target.sealed)

    def get_readonly_fields(
        self, request: HttpRequest, obj: Target | None = None
    ) -> tuple[str, ...]:
        """The key is part of how the secrets are sealed: another key is another target."""
        del request
        return () if obj is None else ("tenant", "key")

    def lookup_allowed(self, lookup: str, value: Any, request: Any = None) -> bool:
        """No filter tells what stands in the address."""
        open_ = lookup.partition("__")[0] in {"tenant", "key", "https_only", "profile"}
        return open_ and super().lookup_allowed(lookup, value, request)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return may_keep(request)

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del obj
        return may_keep(request)

    has_add_permission = has_module_permission
    has_change_permission = has_view_permission

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        del request, obj
        return False

    def save_model(
        self,
        request: HttpRequest,
        obj: Target,
        form: forms.ModelForm[Target],
        change: bool,  # noqa: FBT001 - Django's
    ) -> None:
        del request, change
        given = form.cleaned_data
        kept = keep_target(
            tenant_id=obj.tenant_id,
            key=obj.key,
            https_only=obj.https_only,
            profile=obj.profile,
            fields=given["shown"],
            url=given["address"].strip(),
            secret=given["secret"],
            now=clock.now(),
        )
        obj.pk, obj.changed_at = kept.pk, kept.changed_at
