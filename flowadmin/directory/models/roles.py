"""Roles of a tenant: who is in them and what they permit."""

from __future__ import annotations

from typing import ClassVar, Self

from django.core.exceptions import ObjectDoesNotExist
from django.db import models
from django.utils.translation import gettext_lazy as _

from flowadmin.directory.models.fixed import Code, FixedRow, refuse_other_tenant
from flowadmin.directory.models.organisation import Tenant
from flowadmin.directory.models.people import User


class Permission(models.TextChoices):
    """What a role may permit (contract, Permissions)."""

    FLOW_DESIGN = "flow.design", _("Design processes")
    FLOW_PUBLISH = "flow.publish", _("Publish processes")
    FLOW_MANAGE = "flow.manage", _("Manage running requests")
    RULE_EDIT = "rule.edit", _("Edit rules")
    RULE_PUBLISH = "rule.publish", _("Publish rules")
    OPS_VIEW = "ops.view", _("See the state of the installation")
    OPS_ACT = "ops.act", _("Operate the installation")
    DIRECTORY_MANAGE = "directory.manage", _("Manage people, departments and roles")
    AUDIT_READ = "audit.read", _("Read the audit log")


class RoleRows(models.QuerySet["Role"]):
    """Roles, narrowed by tenant."""

    def for_tenant(self, tenant_id: int) -> Self:
        return self.filter(tenant_id=tenant_id)


class Role(FixedRow):
    """A named group of people of one tenant, with what it permits them."""

    tenant = models.ForeignKey(
        Tenant, models.PROTECT, related_name="roles", verbose_name=_("tenant")
    )
    code = Code(_("code"))
    name = models.CharField(_("name"), max_length=150)

    objects: ClassVar[models.Manager[Role]] = RoleRows.as_manager()

    class Meta:
        db_table = "org_role"
        ordering = ("code",)
        verbose_name = _("role")
        verbose_name_plural = _("roles")
        constraints = [
            models.UniqueConstraint(fields=("tenant", "code"), name="org_role_code"),
        ]

    def __str__(self) -> str:
        return self.name


class RoleMember(FixedRow):
    """A person in a role of their own tenant."""

    FIXED = ()

    role = models.ForeignKey(Role, models.CASCADE, related_name="members", verbose_name=_("role"))
    user = models.ForeignKey(
        User, models.PROTECT, related_name="memberships", verbose_name=_("user")
    )

    class Meta:
        db_table = "org_role_member"
        verbose_name = _("member")
        verbose_name_plural = _("members")
        constraints = [
            models.UniqueConstraint(fields=("role", "user"), name="org_role_member_once"),
        ]

    def __str__(self) -> str:
        return f"{self.role_id}: {self.user_id}"

    def check_links(self, written: frozenset[str] | None) -> None:
        """Role and person are of one tenant."""
        del written
        try:
            role, user = self.role, self.user
        except ObjectDoesNotExist:
            return  # incomplete: the form or the database says what is missing
        refuse_other_tenant(role.tenant_id, user, "user")


class RoleGrant(models.Model):
    """One permission that a role gives to its members."""

    role = models.ForeignKey(Role, models.CASCADE, related_name="grants", verbose_name=_("role"))
    permission = models.CharField(_("permission"), max_length=40, choices=Permission.choices)

    class Meta:
        db_table = "org_role_grant"
        verbose_name = _("permission of a role")
        verbose_name_plural = _("permissions of a role")
        constraints = [
            models.UniqueConstraint(fields=("role", "permission"), name="org_role_grant_once"),
        ]

    def __str__(self) -> str:
        return self.get_permission_display()
