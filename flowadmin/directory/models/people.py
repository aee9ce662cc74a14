"""The people of a tenant and the tokens by which their machines sign in."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from flowadmin.directory.models.fixed import Code, FixedRow, refuse_other_tenant
from flowadmin.directory.models.organisation import Department, Tenant


class UserRows(models.QuerySet["User"]):
    """People, narrowed by tenant."""

    def for_tenant(self, tenant_id: int) -> Self:
        return self.filter(tenant_id=tenant_id)


class UserManager(BaseUserManager["User"]):
    """Makes people with a hashed password."""

    def get_queryset(self) -> UserRows:
        return UserRows(self.model, using=self._db)

    def for_tenant(self, tenant_id: int) -> UserRows:
        return self.get_queryset().for_tenant(tenant_id)

    def create_user(self, login: str, password: str | None = None, **fields: Any) -> User:
        """Make one person; without a password nobody can sign in as them.

        Raises:
            ValidationError: the login is badly spelt or a link leads to another tenant.
        """
        user = self.model(login=login, **fields)
        user.set_password(password)
        user.clean_fields(exclude=["password"])
        user.save(using=self._db)
        return user

    def create_superuser(self, login: str, password: str | None = None, **fields: Any) -> User:
        """Make an operator of the platform (`manage.py createsuperuser`).

        Without a tenant it is the only one there is; an empty installation gets ``main``.
        """
        if "tenant" not in fields and "tenant_id" not in fields:
            fields["tenant"] = _only_tenant()
        fields |= {"is_staff": True, "is_superuser": True}
        return self.create_user(login, password, **fields)


def _only_tenant() -> Tenant:
    tenants = list(Tenant.objects.all()[:2])
    if len(tenants) > 1:
        raise ValidationError(_("There are several tenants: name one."), code="which_tenant")
    return tenants[0] if tenants else Tenant.objects.create(code="main", name="Main")


class User(FixedRow, AbstractBaseUser):
    """One person of one tenant. People are deactivated, never deleted: histories name them."""

    class Theme(models.TextChoices):
        """How pages look."""

        SYSTEM = "system", _("As the device")
        LIGHT = "light", _("Light")
        DARK = "dark", _("Dark")

    FIXED = ("tenant_id", "login")
    USERNAME_FIELD = "login"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = ["name"]

    tenant = models.ForeignKey(
        Tenant, models.PROTECT, related_name="users", verbose_name=_("tenant")
    )
    login = Code(
        _("login name"),
        unique=True,
        help_text=_("Unique on this installation; never changed afterwards."),
        error_messages={"unique": _("This login name is taken.")},
    )
    name = models.CharField(_("name"), max_length=150)
    email = models.EmailField(_("e-mail address"), blank=True)
    department = models.ForeignKey(
        Department,
        models.PROTECT,
        null=True,
        blank=True,
        related_name="members",
        verbose_name=_("department"),
    )
    manager = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="reports",
        verbose_name=_("line manager"),
        help_text=_("To whom they report; need not be the head of their department."),
    )
    language = models.CharField(_("language"), max_length=16, blank=True)
    theme = models.CharField(_("theme"), max_length=8, choices=Theme.choices, default=Theme.SYSTEM)
    is_active = models.BooleanField(
        _("active"),
        default=True,
        help_text=_("Switch off instead of deleting: they can no longer sign in."),
    )
    is_staff = models.BooleanField(
        _("may open the administration"),
        default=False,
    )
    is_superuser = models.BooleanField(
        _("operator of the platform"),
        default=False,
        help_text=_("Has every permission; sees all tenants in the administration."),
    )

    objects: ClassVar[UserManager] = UserManager()

    class Meta:
        db_table = "org_user"
        ordering = ("login",)
        verbose_name = _("user")
        verbose_name_plural = _("users")

    def __str__(self) -> str:
        return self.name or self.login

    def check_links(self, written: frozenset[str] | None) -> None:
        """Department and manager are of the person's own tenant; nobody reports to themselves.

        Two changes at the same moment may still close a circle between them (neither sees the
        other); the readers of the line stop at it.
        """
        if written is None or "department" in written:
            refuse_other_tenant(self.tenant_id, self.department, "department")
        if self.manager_id is not None and (written is None or "manager" in written):
            refuse_other_tenant(self.tenant_id, self.manager, "manager")
            self._check_line()

    def _check_line(self) -> None:
        seen: set[int] = set()
        above = self.manager_id
        while above is not None and above not in seen:
            if above == self.pk:
                message = _("Nobody can report to themselves, directly or through others.")
                raise ValidationError({"manager": ValidationError(message, code="circle")})
            seen.add(above)
            row = User.objects.filter(pk=above).values_list("manager_id", flat=True)
            above = row.first()

    def get_short_name(self) -> str:
        return self.name or self.login

    def get_full_name(self) -> str:
        return self.name or self.login

    def has_perm(self, perm: str, obj: object = None) -> bool:
        """Django's own permission names: only operators have them.

        What everybody else may do is decided by `flowadmin.directory.permissions`, which each
        page, REST view and admin class asks.
        """
        return self.is_active and self.is_superuser

    def has_perms(self, perm_list: list[str], obj: object = None) -> bool:
        return all(self.has_perm(perm, obj) for perm in perm_list)

    def has_module_perms(self, app_label: str) -> bool:
        return self.has_perm(app_label)


class ApiToken(models.Model):
    """One machine's right to act as a person until a date; only the digest is stored."""

    user = models.ForeignKey(
        User, models.CASCADE, related_name="api_tokens", verbose_name=_("user")
    )
    digest = models.CharField(_("digest"), max_length=64, unique=True)
    label = models.CharField(_("label"), max_length=100, blank=True)
    created_at = models.DateTimeField(_("created at"))
    expires_at = models.DateTimeField(_("expires at"))
    last_used_at = models.DateTimeField(_("last used at"), null=True, blank=True)

    class Meta:
        db_table = "org_api_token"
        ordering = ("-id",)
        verbose_name = _("API token")
        verbose_name_plural = _("API tokens")

    def __str__(self) -> str:
        return self.label or f"#{self.pk}"
