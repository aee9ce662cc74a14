"""Drafts: processes that are being designed, and requests that are being filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_NAME = 128


class Draft(models.Model):
    """What one person has saved and nobody else sees: a process, or the form of a request.

    One table with a kind (contract, Tables). Its columns carry the names and meanings of the
    older script's ``flow_draft``, whose rows a merge brings here as they are (decision 0027);
    that is why some may be NULL. ``content`` is JSON text: ``{document, form, view}`` of a
    design, ``{values, picked}`` of a request.

    ``version`` grows by one with each accepted save (reliability.md I11). ``deployment_id`` is
    the digest of the published version that the draft began with, ``based_on`` its number.
    A row with ``deleted_at`` is gone for everybody; it stays a day, so that the deletion can be
    undone and another window can be told of it.
    """

    class Kind(models.TextChoices):
        DESIGN = "DESIGN", _("design draft")
        APPLICATION = "APPLY", _("application draft")

    tenant = models.ForeignKey(
        "directory.Tenant", on_delete=models.PROTECT, db_index=False, verbose_name=_("tenant")
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="+",
        db_index=False,
        verbose_name=_("owner"),
    )
    kind = models.CharField(_("kind"), max_length=16, choices=Kind, db_column="draft_type")
    flow_key = models.CharField(  # noqa: DJ001 - as the table that a merge takes over
        _("process"), max_length=64, null=True, blank=True
    )
    deployment_id = models.CharField(  # noqa: DJ001 - as the table that a merge takes over
        _("digest of the version"), max_length=64, null=True, blank=True
    )
    based_on = models.PositiveIntegerField(_("based on version"), null=True, blank=True)
    name = models.CharField(  # noqa: DJ001 - as the table that a merge takes over
        _("name"), max_length=LONGEST_NAME, null=True, blank=True
    )
    content = models.TextField(_("content"))
    # Ids of the files in the values, with a space around each: unbound files that are kept.
    files = models.TextField(blank=True, default="", editable=False)
    problems = models.PositiveIntegerField(_("problems"), default=0)
    version = models.PositiveIntegerField(_("version of the draft"), default=1)
    created_at = models.DateTimeField(_("created"), db_column="create_time")
    updated_at = models.DateTimeField(_("updated"), db_column="update_time")
    deleted_at = models.DateTimeField(_("deleted"), null=True, blank=True)

    class Meta:
        db_table = "flow_draft"
        verbose_name = _("draft")
        verbose_name_plural = _("drafts")
        indexes: ClassVar = [
            models.Index(fields=["user", "kind", "deleted_at"], name="flow_draft_owner"),
            models.Index(fields=["tenant", "kind", "flow_key"], name="flow_draft_process"),
        ]

    def __str__(self) -> str:
        return self.name or self.flow_key or f"#{self.pk}"

    def parts(self) -> dict[str, Any]:
        """The content as JSON values; nothing when it is no object."""
        value = msgspec.json.decode(self.content)
        return value if isinstance(value, dict) else {}


class DesignDraft(Draft):
    """Design drafts, as the administration lists them."""

    class Meta:
        proxy = True
        verbose_name = _("design draft")
        verbose_name_plural = _("design drafts")


class ApplicationDraft(Draft):
    """Application drafts, as the administration lists them: never what was typed."""

    class Meta:
        proxy = True
        verbose_name = _("application draft")
        verbose_name_plural = _("application drafts")

    def __str__(self) -> str:
        return f"{self.flow_key or ''} #{self.pk}".strip()


def as_content(parts: Mapping[str, Any]) -> str:
    """Parts of a draft as the text that is stored; members keep their order."""
    return msgspec.json.encode(dict(parts)).decode()
