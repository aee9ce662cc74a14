"""Out of office: who is away from when until when, and who acts in their place."""

from __future__ import annotations

import re
from typing import ClassVar, Self

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from flowadmin.directory.models.fixed import FixedRow, refuse_other_tenant
from flowadmin.directory.models.organisation import Tenant
from flowadmin.directory.models.people import User

_PROCESS_KEY = re.compile(r"\A[a-z][a-z0-9_]{0,47}\Z")


class SubstituteRows(models.QuerySet["Substitute"]):
    """Substitutes, narrowed by tenant or moment."""

    def for_tenant(self, tenant_id: int) -> Self:
        return self.filter(tenant_id=tenant_id)


class Substitute(FixedRow):
    """One absence ``[starts_at, ends_at)``; without a substitute, nobody acts for the person.

    The two moments are in UTC; people write them in the time zone of the tenant
    (approvals.md 2.7). A chain of substitutes, and a circle, may exist: whoever asks follows it
    only so far, because who is away changes from day to day.
    """

    FIXED = ("tenant_id",)

    tenant = models.ForeignKey(
        Tenant, models.PROTECT, related_name="substitutes", verbose_name=_("tenant")
    )
    person = models.ForeignKey(
        User, models.PROTECT, related_name="absences", verbose_name=_("who is away")
    )
    substitute = models.ForeignKey(
        User,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="stands_in",
        verbose_name=_("substitute"),
        help_text=_("Empty: away, and nobody acts in their place."),
    )
    starts_at = models.DateTimeField(_("from"))
    ends_at = models.DateTimeField(_("until"))
    process = models.CharField(
        _("process"),
        max_length=48,
        blank=True,
        default="",
        help_text=_("The key of one process; empty: all of them."),
    )
    created_by = models.ForeignKey(
        User,
        models.PROTECT,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        verbose_name=_("entered by"),
    )

    objects: ClassVar[models.Manager[Substitute]] = SubstituteRows.as_manager()

    class Meta:
        db_table = "org_substitute"
        ordering = ("-starts_at", "-id")
        verbose_name = _("absence")
        verbose_name_plural = _("absences")
        constraints = [
            models.CheckConstraint(
                condition=Q(ends_at__gt=F("starts_at")), name="org_substitute_window"
            ),
            models.CheckConstraint(
                condition=Q(substitute__isnull=True) | ~Q(substitute=F("person")),
                name="org_substitute_other",
            ),
        ]
        indexes = [
            models.Index(fields=("person", "ends_at"), name="org_substitute_person"),
        ]

    def __str__(self) -> str:
        return f"{self.person_id} → {self.substitute_id or '-'}"

    def check_links(self, written: frozenset[str] | None) -> None:
        """Both are of the tenant and two people; the window is one, and the only one then.

        Two overlapping windows of one person and process can still be entered at the same
        moment; the reader then takes the earlier row.
        """
        del written
        row = self.__dict__  # an incomplete form leaves things out, whatever the types say
        if row.get("person_id") is not None:
            refuse_other_tenant(self.tenant_id, self.person, "person")
        refuse_other_tenant(self.tenant_id, self.substitute, "substitute")
        if self.substitute_id is not None and row.get("person_id") == self.substitute_id:
            message = _("Nobody can be their own substitute.")
            raise ValidationError({"substitute": ValidationError(message, code="self")})
        if self.process and not _PROCESS_KEY.match(self.process):
            message = _("A key has lower-case letters, digits and underscores, a letter first.")
            raise ValidationError({"process": ValidationError(message, code="bad_process")})
        if row.get("starts_at") is not None and row.get("ends_at") is not None:
            self._check_window()

    def _check_window(self) -> None:
        if self.ends_at <= self.starts_at:
            message = _("The end must be after the beginning.")
            raise ValidationError({"ends_at": ValidationError(message, code="window")})
        others = Substitute.objects.filter(
            person_id=self.__dict__.get("person_id"),
            process=self.process,
            starts_at__lt=self.ends_at,
            ends_at__gt=self.starts_at,
        )
        if others.exclude(pk=self.pk).exists():
            raise ValidationError(
                _("This person already has an absence in this time."), code="overlap"
            )
