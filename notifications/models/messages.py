"""Messages outside the app: which ways a tenant has, what a person wants, what became of each."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from notifications.hours import Hours
from notifications.models.notices import Notice

LONGEST_MEDIUM = 12


class Medium(models.TextChoices):
    """The ways that a message may take. All but e-mail are robots of chats."""

    EMAIL = "email", _("E-mail")
    DINGTALK = "dingtalk", pgettext_lazy("channel", "DingTalk")
    FEISHU = "feishu", pgettext_lazy("channel", "Feishu")
    LARK = "lark", "Lark"
    WECOM = "wecom", pgettext_lazy("channel", "WeCom")
    SLACK = "slack", "Slack"


CHATS = tuple(each for each in Medium.values if each != Medium.EMAIL)


class Channel(models.Model):
    """A way that a tenant's administrator opened. What is not here, or off, takes no message."""

    tenant = models.ForeignKey(
        "directory.Tenant", on_delete=models.PROTECT, db_index=False, verbose_name=_("tenant")
    )
    medium = models.CharField(_("channel"), max_length=LONGEST_MEDIUM, choices=Medium)
    enabled = models.BooleanField(
        pgettext_lazy("channel", "open"),
        default=True,
        help_text=_("What is written while it is off is never sent later."),
    )

    class Meta:
        db_table = "flow_notice_channel"
        verbose_name = _("channel of notices")
        verbose_name_plural = _("channels of notices")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tenant", "medium"], name="flow_notice_channel_one"),
        ]

    def __str__(self) -> str:
        return str(self.get_medium_display())


class Route(models.Model):
    """A person wants notices of one kind by one medium, besides in the app."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+"
    )
    kind = models.CharField(max_length=16, choices=Notice.Kind)
    medium = models.CharField(max_length=LONGEST_MEDIUM, choices=Medium)

    class Meta:
        db_table = "flow_notice_route"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["user", "kind", "medium"], name="flow_notice_route_one"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.medium}"


class ChatAddress(models.Model):
    """A person's own address in a chat: a secret, sealed, and never shown again."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, db_index=False, related_name="+"
    )
    medium = models.CharField(max_length=LONGEST_MEDIUM, choices=Medium)
    sealed = models.TextField(editable=False)
    changed_at = models.DateTimeField(_("changed"))

    class Meta:
        db_table = "flow_notice_address"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "medium"], name="flow_notice_address_one"),
        ]

    def __str__(self) -> str:
        return self.medium

    @property
    def purpose(self) -> str:
        """What it is sealed for: another person's or medium's cannot stand in its place."""
        return f"notice-address:{self.user_id}:{self.medium}"


class OutsideHours(models.Model):
    """When a person lets messages reach him outside the app, by the clock of his tenant."""

    class Digest(models.TextChoices):
        NONE = "none", pgettext_lazy("digest", "Each message by itself")
        HOURLY = "hourly", pgettext_lazy("digest", "Together, once an hour")
        DAILY = "daily", pgettext_lazy("digest", "Together, once a day")

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="+"
    )
    # Minutes of the day; both or neither.
    quiet_from = models.PositiveSmallIntegerField(null=True)
    quiet_to = models.PositiveSmallIntegerField(null=True)
    # Digits of weekdays, Monday is 0.
    quiet_days = models.CharField(max_length=7, blank=True, default="")
    digest = models.CharField(max_length=8, choices=Digest, default=Digest.NONE)
    digest_hour = models.PositiveSmallIntegerField(default=8)

    class Meta:
        db_table = "flow_notice_hours"

    def __str__(self) -> str:
        return self.digest

    def hours(self) -> Hours:
        """The same as a value that can be reckoned with."""
        return Hours(
            quiet_from=self.quiet_from,
            quiet_to=self.quiet_to,
            quiet_days=frozenset(int(digit) for digit in self.quiet_days),
            digest=self.digest,
            digest_hour=self.digest_hour,
        )


class Message(models.Model):
    """One notice that goes out by one medium; written with the notice, or not at all.

    Claimed by a conditional UPDATE and fenced by ``token``, which the rows of one digest share.
    ``by_process``: a step of the process asked for this medium, so the person need not have.
    """

    class Status(models.TextChoices):
        PENDING = "PENDING", pgettext_lazy("message", "waiting")
        SENDING = "SENDING", pgettext_lazy("message", "being sent")
        SENT = "SENT", pgettext_lazy("message", "sent")
        FAILED = "FAILED", pgettext_lazy("message", "failed")
        DROPPED = "DROPPED", pgettext_lazy("message", "not sent")

    tenant = models.ForeignKey(
        "directory.Tenant", on_delete=models.PROTECT, db_index=False, verbose_name=_("tenant")
    )
    notice = models.ForeignKey(
        Notice,
        on_delete=models.PROTECT,
        db_index=False,
        related_name="+",
        verbose_name=_("notice"),
    )
    receiver = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        db_index=False,
        related_name="+",
        verbose_name=_("to"),
    )
    medium = models.CharField(_("channel"), max_length=LONGEST_MEDIUM, choices=Medium)
    by_process = models.BooleanField(_("asked for by the process"), default=False)
    status = models.CharField(_("state"), max_length=10, choices=Status)
    result = models.CharField(_("latest result"), max_length=32, blank=True, default="")
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    # Held back by quiet hours or a digest, so that it goes out together with others.
    together = models.BooleanField(default=False)
    next_at = models.DateTimeField(_("next attempt"))
    lease_until = models.DateTimeField(null=True)
    token = models.CharField(max_length=32, blank=True, default="")
    created_at = models.DateTimeField(_("created"))
    updated_at = models.DateTimeField(_("changed"))

    class Meta:
        db_table = "flow_notice_delivery"
        verbose_name = _("message outside")
        verbose_name_plural = _("messages outside")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["notice", "medium"], name="flow_notice_delivery_one"),
        ]
        indexes: ClassVar = [
            # Not partial: MariaDB has no such indexes, and the scan asks this every few seconds.
            models.Index(fields=["status", "next_at", "id"], name="flow_notice_delivery_due"),
            models.Index(fields=["receiver", "medium", "status"], name="flow_notice_delivery_who"),
        ]

    def __str__(self) -> str:
        return f"{self.medium} #{self.pk}"
