"""The sign-in form and the administration's forms for people."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.forms import AdminUserCreationForm, AuthenticationForm, UserChangeForm
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from flowadmin.directory.codes import CODE_LENGTH
from flowadmin.directory.lockout import minutes_of_wait, tries_left
from flowadmin.directory.models import User


class SignInForm(AuthenticationForm):
    """Login name and password, with one neutral answer to whatever is wrong."""

    username = forms.CharField(
        label=_("Login name"),
        max_length=CODE_LENGTH,
        widget=forms.TextInput(
            attrs={
                "autocomplete": "username",
                "autocapitalize": "none",
                "spellcheck": "false",
                "autofocus": True,
            }
        ),
    )
    password = forms.CharField(
        label=_("Password"),
        max_length=1024,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def clean_username(self) -> str:
        """Login names are lower case; how somebody types theirs does not matter."""
        return str(self.cleaned_data["username"]).strip().lower()

    def get_invalid_login_error(self) -> ValidationError:
        """The same text for an unknown name, a wrong password and a deactivated person."""
        wrong = ValidationError(
            _("The login name or the password is not right."), code="invalid_login"
        )
        if self.request is None:
            return wrong
        left = tries_left(self.request, self.cleaned_data["username"])
        minutes = minutes_of_wait()
        more = ngettext(
            "You can try %(left)s more time before a wait of %(minutes)s minutes.",
            "You can try %(left)s more times before a wait of %(minutes)s minutes.",
            left,
        ) % {"left": left, "minutes": minutes}
        return ValidationError([wrong, ValidationError(more, code="tries_left")])


class NewUserForm(AdminUserCreationForm[User]):
    """A new person: tenant, login name, name and password."""

    class Meta:
        model = User
        fields = ("tenant", "login", "name", "department")
        field_classes: dict[str, Any] = {}


class UserForm(UserChangeForm[User]):
    """A person as the administration changes them."""

    class Meta:
        model = User
        fields = "__all__"
        field_classes: dict[str, Any] = {}
