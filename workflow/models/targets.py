"""Receivers of callbacks that processes name by a key: address, secrets, what they may see."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

LONGEST_KEY = 200
LONGEST_URL = 2000
EVERY_FIELD = "*"


class Target(models.Model):
    """A receiver of a tenant. Its address goes into each callback when that is written.

    ``fields`` are the ids of the form's fields (``table`` or ``table.column``) that it may see,
    or ``["*"]`` for all; none by default. ``sealed`` is the secret that signs, encrypted; the one
    before it signs as well until ``previous_until``, so that a receiver can change over.
    """

    class Profile(models.TextChoices):
        SEED = "seed", _("5 attempts within 8 minutes")
        LONG = "long", _("8 attempts within 2 days")

    tenant = models.ForeignKey(
        "directory.Tenant", on_delete=models.PROTECT, db_index=False, verbose_name=_("tenant")
    )
    key = models.CharField(_("key"), max_length=LONGEST_KEY)
    url = models.CharField(_("address"), max_length=LONGEST_URL)
    https_only = models.BooleanField(_("https only"), default=True)
    profile = models.CharField(_("retries"), max_length=8, choices=Profile, default=Profile.SEED)
    fields = models.JSONField(_("fields that it may see"), default=list, blank=True)
    sealed = models.TextField(editable=False, blank=True, default="")
    previous_sealed = models.TextField(editable=False, blank=True, default="")
    previous_until = models.DateTimeField(_("former secret valid until"), null=True)
    changed_at = models.DateTimeField(_("changed"))

    class Meta:
        db_table = "flow_target"
        verbose_name = _("callback target")
        verbose_name_plural = _("callback targets")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tenant", "key"], name="flow_target_key"),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def purpose(self) -> str:
        """What its secrets are bound to, so that nobody puts one under another key or tenant."""
        return f"target:{self.tenant_id}:{self.key}"
