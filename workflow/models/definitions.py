"""Processes and their published versions."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

LONGEST_CATEGORY = 40


class Definition(models.Model):
    """A process of a tenant under its key. New requests begin with its ``current`` version.

    Publishing moves the pointer; it never changes a version (approvals.md 3.2, invariant 13).
    Its category and its position there are of the process and not of a version: they say where it
    stands in the catalogue, and nothing of what it does (interface.md 7.10).
    """

    class State(models.TextChoices):
        ACTIVE = "active", _("active")
        SUSPENDED = "suspended", _("suspended")

    tenant = models.ForeignKey(
        "directory.Tenant", on_delete=models.PROTECT, verbose_name=_("tenant")
    )
    key = models.CharField(_("key"), max_length=48)
    name = models.CharField(_("name"), max_length=64)
    state = models.CharField(_("state"), max_length=12, choices=State, default=State.ACTIVE)
    category = models.CharField(_("category"), max_length=LONGEST_CATEGORY, blank=True, default="")
    # From 1 in each category; 0 until somebody arranges it. Two may be equal: the name decides.
    position = models.PositiveIntegerField(_("position"), default=0)
    current = models.ForeignKey(
        "Version",
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        verbose_name=_("current version"),
    )
    # Counts the requests started; a series that begins anew each year or day is a NumberSeries.
    last_number = models.PositiveBigIntegerField(default=0, editable=False)
    created_at = models.DateTimeField(_("created"))

    class Meta:
        db_table = "flow_definition"
        verbose_name = _("process")
        verbose_name_plural = _("processes")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tenant", "key"], name="flow_definition_key"),
        ]

    def __str__(self) -> str:
        return self.name


class Favourite(models.Model):
    """A process that one person wants to find first (interface.md 7.5)."""

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
    definition = models.ForeignKey(
        Definition, on_delete=models.PROTECT, related_name="+", verbose_name=_("process")
    )

    class Meta:
        db_table = "flow_favourite"
        verbose_name = _("favourite")
        verbose_name_plural = _("favourites")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "definition"], name="flow_favourite_one"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id}: {self.definition_id}"


class Published(models.Manager["Version"]):
    """Versions that were published: every list, count, digest and number is of these alone."""

    def get_queryset(self) -> models.QuerySet[Version]:
        return super().get_queryset().filter(private_to__isnull=True)


class Version(models.Model):
    """A published version, immutable. ``document`` and ``form`` are canonical JSON text.

    They are text and not a JSON column, because the digest is over these very bytes.

    One that is ``private_to`` a request was never published: only that request goes by it, since
    what comes next was edited there. It bears the number of the version that was edited, and is
    found by ``with_private`` alone.
    """

    class Visibility(models.TextChoices):
        PARTICIPANTS = "participants", _("participants")
        MANAGERS = "managers", _("managers of the process")
        STARTERS_DEPARTMENT = "starters_department", _("department of whoever files it")

    tenant = models.ForeignKey(
        "directory.Tenant", on_delete=models.PROTECT, verbose_name=_("tenant")
    )
    definition = models.ForeignKey(
        Definition, on_delete=models.PROTECT, related_name="versions", verbose_name=_("process")
    )
    number = models.PositiveIntegerField(_("version"))
    document = models.TextField(_("document"))
    digest = models.CharField(_("digest"), max_length=64)
    form = models.TextField(_("form"), blank=True, default="")
    form_number = models.PositiveIntegerField(_("form version"), default=0)
    form_digest = models.CharField(_("form digest"), max_length=64, blank=True, default="")
    note = models.CharField(_("note"), max_length=500, blank=True, default="")
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        related_name="+",
        verbose_name=_("published by"),
    )
    published_at = models.DateTimeField(_("published"))
    private_to = models.ForeignKey(
        "Instance",
        on_delete=models.PROTECT,
        null=True,
        related_name="own_versions",
        verbose_name=_("request"),
    )
    # 0 for a published one. Otherwise the id of the last event before the edit, which no other
    # edit can follow: a plain unique works on all databases, a conditional one does not.
    edition = models.PositiveBigIntegerField(default=0, editable=False)
    # Read from the document, for the lists that ask who may see a request.
    visibility = models.CharField(
        _("visibility"), max_length=20, choices=Visibility, default=Visibility.PARTICIPANTS
    )

    objects: ClassVar[Published] = Published()
    with_private: ClassVar[models.Manager[Version]] = models.Manager()

    class Meta:
        db_table = "flow_version"
        verbose_name = _("process version")
        verbose_name_plural = _("process versions")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["definition", "number", "edition"], name="flow_version_edition"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.definition.key} v{self.number}"


class Publication(models.Model):
    """One thing that was done to a process as a whole: its pointer was moved, or it was halted.

    ``before`` is the version that new requests began with, ``after`` the one that they begin with
    from then on. Together these rows are a stack: publishing puts a version on it, undoing takes
    the topmost one off (approvals.md 5, idea 18).
    """

    class Kind(models.TextChoices):
        PUBLISHED = "published", _("version published")
        UNDONE = "undone", _("publication undone")
        SUSPENDED = "suspended", _("suspended")
        RESUMED = "resumed", _("resumed")

    tenant = models.ForeignKey(
        "directory.Tenant", on_delete=models.PROTECT, db_index=False, verbose_name=_("tenant")
    )
    definition = models.ForeignKey(
        Definition,
        on_delete=models.PROTECT,
        related_name="publications",
        verbose_name=_("process"),
    )
    kind = models.CharField(_("what was done"), max_length=10, choices=Kind)
    before = models.ForeignKey(
        Version,
        on_delete=models.PROTECT,
        null=True,
        db_index=False,
        related_name="+",
        verbose_name=_("version before"),
    )
    after = models.ForeignKey(
        Version,
        on_delete=models.PROTECT,
        null=True,
        db_index=False,
        related_name="+",
        verbose_name=_("version after"),
    )
    reason = models.CharField(_("reason"), max_length=2000, blank=True, default="")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        db_index=False,
        related_name="+",
        verbose_name=_("done by"),
    )
    at = models.DateTimeField(_("moment"))

    class Meta:
        db_table = "flow_publication"
        verbose_name = _("publication")
        verbose_name_plural = _("publications")

    def __str__(self) -> str:
        return f"{self.definition.key}: {self.kind}"


class NumberSeries(models.Model):
    """The last number given to a request of a process in one period (year, month, day or all)."""

    definition = models.ForeignKey(Definition, on_delete=models.PROTECT, db_index=False)
    period = models.CharField(max_length=10, blank=True)
    last = models.PositiveBigIntegerField()

    class Meta:
        db_table = "flow_number"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["definition", "period"], name="flow_number_period"),
        ]

    def __str__(self) -> str:
        return f"{self.period}: {self.last}"
