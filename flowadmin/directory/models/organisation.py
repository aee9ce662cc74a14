"""Tenants and their tree of departments."""

from __future__ import annotations

from typing import ClassVar, Self

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from flowadmin.directory.models.fixed import Code, FixedRow, refuse_other_tenant
from flowadmin.directory.time_zones import ZONE_LENGTH, check_zone

TREE_DEPTH = 32  # levels of departments, the top one included


class Tenant(FixedRow):
    """One organisation on this installation; each row of the product belongs to exactly one."""

    FIXED = ("code",)

    code = Code(_("code"), unique=True)
    name = models.CharField(_("name"), max_length=150)
    time_zone = models.CharField(
        _("time zone"),
        max_length=ZONE_LENGTH,
        default="UTC",
        help_text=_("An IANA name such as Asia/Shanghai; absences are entered in it."),
    )

    class Meta:
        db_table = "org_tenant"
        ordering = ("code",)
        verbose_name = _("tenant")
        verbose_name_plural = _("tenants")

    def __str__(self) -> str:
        return self.name

    def check_links(self, written: frozenset[str] | None) -> None:
        """The time zone is one that the product knows."""
        if written is None or "time_zone" in written:
            check_zone(self.time_zone)


class DepartmentRows(models.QuerySet["Department"]):
    """Departments, narrowed by tenant."""

    def for_tenant(self, tenant_id: int) -> Self:
        return self.filter(tenant_id=tenant_id)


class Department(FixedRow):
    """A unit of one tenant; `head` decides for it, `parent` is the unit above."""

    tenant = models.ForeignKey(
        Tenant, models.PROTECT, related_name="departments", verbose_name=_("tenant")
    )
    code = Code(_("code"))
    name = models.CharField(_("name"), max_length=150)
    parent = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="children",
        verbose_name=_("parent department"),
    )
    head = models.ForeignKey(
        "directory.User",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="heads",
        verbose_name=_("head"),
    )

    objects: ClassVar[models.Manager[Department]] = DepartmentRows.as_manager()

    class Meta:
        db_table = "org_department"
        ordering = ("code",)
        verbose_name = _("department")
        verbose_name_plural = _("departments")
        constraints = [
            models.UniqueConstraint(fields=("tenant", "code"), name="org_department_code"),
        ]

    def __str__(self) -> str:
        return self.name

    def check_links(self, written: frozenset[str] | None) -> None:
        """Head and parent are of the same tenant, and the tree stays a tree.

        Two moves at the same moment may still close a circle between them (neither sees the
        other); the readers of the tree therefore stop at its greatest depth, and the next save
        of either department is refused.
        """
        if written is None or "head" in written:
            refuse_other_tenant(self.tenant_id, self.head, "head")
        if written is None or "parent" in written:
            refuse_other_tenant(self.tenant_id, self.parent, "parent")
            self._check_place()

    def _check_place(self) -> None:
        above: Department | None = self.parent
        depth = 1
        while above is not None and depth <= TREE_DEPTH:
            if not self._state.adding and above.pk == self.pk:
                raise ValidationError(
                    {
                        "parent": ValidationError(
                            _("A department cannot lie below itself."), code="circle"
                        )
                    }
                )
            above = above.parent
            depth += 1
        if self.parent_id is not None and depth - 1 + self._height() > TREE_DEPTH:
            raise ValidationError(
                {
                    "parent": ValidationError(
                        _("The tree of departments has at most %(limit)s levels."),
                        code="too_deep",
                        params={"limit": TREE_DEPTH},
                    )
                }
            )

    def _height(self) -> int:
        """Levels of the tree that begins here, this department included."""
        if self._state.adding:
            return 1
        height = 1
        level = {self.pk}
        while height <= TREE_DEPTH:
            level = set(
                Department.objects.filter(parent_id__in=level).values_list("pk", flat=True)
            )
            if not level:
                break
            height += 1
        return height
