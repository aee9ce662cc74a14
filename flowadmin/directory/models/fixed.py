"""Rows of a tenant whose code and tenant are given once and never changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from flowadmin.directory.codes import CODE_LENGTH, CODE_PATTERN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

code_spelling = RegexValidator(
    CODE_PATTERN,
    _("Use lower-case letters, digits, dots, dashes and underscores, a letter or digit first."),
    code="bad_code",
)


class Code(models.CharField[str, str]):
    """A directory code: text, at most 64 characters, lower case."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("max_length", CODE_LENGTH)
        kwargs.setdefault("validators", [code_spelling])
        super().__init__(*args, **kwargs)

    def deconstruct(self) -> tuple[str, str, Sequence[Any], dict[str, Any]]:
        """Written as a plain text column in migrations, which need no spelling rule."""
        name, _path, args, kwargs = super().deconstruct()
        kwargs.pop("validators", None)
        return name, "django.db.models.CharField", args, kwargs


class FixedRow(models.Model):
    """Refuses to save when a column named in `FIXED` differs from what was loaded.

    The outside contract promises that codes are never changed: published documents and histories
    name people, roles and departments by them.
    """

    FIXED: ClassVar[tuple[str, ...]] = ("tenant_id", "code")

    class Meta:
        abstract = True

    def save(self, **kwargs: Any) -> None:
        """Check what the database cannot, then write.

        Raises:
            ValidationError: a fixed column was changed, or a linked row is of another tenant.
        """
        update_fields: Iterable[str] | None = kwargs.get("update_fields")
        self.refuse_change_of_fixed()
        self.check_links(None if update_fields is None else frozenset(update_fields))
        super().save(**kwargs)
        self.__dict__["_as_loaded"] = {
            name: self.__dict__[name] for name in self.FIXED if name in self.__dict__
        }

    @classmethod
    def from_db(cls, *args: Any, **kwargs: Any) -> Self:
        loaded = super().from_db(*args, **kwargs)
        loaded.__dict__["_as_loaded"] = {
            name: loaded.__dict__[name] for name in cls.FIXED if name in loaded.__dict__
        }
        return loaded

    def clean(self) -> None:
        super().clean()
        self.refuse_change_of_fixed()
        self.check_links(None)

    def refuse_change_of_fixed(self) -> None:
        for name, before in self.__dict__.get("_as_loaded", {}).items():
            if self.__dict__.get(name, before) != before:
                raise ValidationError(
                    _("“%(field)s” is fixed and cannot be changed."),
                    code="fixed",
                    params={"field": name.removesuffix("_id")},
                )

    def check_links(self, written: frozenset[str] | None) -> None:
        """Check the rows that this one points to; `written` is None when all columns are."""


def refuse_other_tenant(tenant_id: int | None, linked: models.Model | None, field: str) -> None:
    """Refuse a link to a row of another tenant.

    Raises:
        ValidationError: code ``other_tenant``, at `field`.
    """
    if linked is None or tenant_id is None:
        return
    if linked.__dict__.get("tenant_id") != tenant_id:
        raise ValidationError(
            {field: ValidationError(_("This belongs to another tenant."), code="other_tenant")}
        )
