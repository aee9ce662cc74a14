"""What requests ask of the world outside: secrets, calls, and the requests that requests start."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _


class Secret(models.Model):
    """A secret of a tenant, which processes name by its key. ``sealed`` is encrypted."""

    tenant = models.ForeignKey(
        "directory.Tenant", on_delete=models.PROTECT, db_index=False, verbose_name=_("tenant")
    )
    key = models.CharField(_("key"), max_length=200)
    sealed = models.TextField(editable=False)
    changed_at = models.DateTimeField(_("changed"))

    class Meta:
        db_table = "flow_secret"
        verbose_name = _("secret")
        verbose_name_plural = _("secrets")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tenant", "key"], name="flow_secret_key"),
        ]

    def __str__(self) -> str:
        return self.key


class Call(models.Model):
    """The request of one entry of an `http` step, as it is sent on every attempt.

    It is written once, with the values of that moment; secrets stand in ``headers`` by their
    keys. Claimed by a conditional UPDATE, fenced by ``token``; ``history`` has an entry for each
    attempt. A call that is waited for ends with its job; one that was only to be sent does not.
    """

    class State(models.TextChoices):
        PENDING = "pending", _("pending")
        LEASED = "leased", _("in work")
        # Sent; the other side answers by itself later.
        WAITING = "waiting", _("waiting for the answer")
        # The outcome is known and still has to be carried to the request.
        ANSWERED = "answered", _("answered")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")

    tenant = models.ForeignKey("directory.Tenant", on_delete=models.PROTECT, db_index=False)
    instance = models.ForeignKey("Instance", on_delete=models.PROTECT, related_name="+")
    job = models.OneToOneField("Job", on_delete=models.PROTECT, related_name="call")
    step = models.CharField(_("step"), max_length=48)
    # The same in each attempt: X-Flow-Event-Id and Idempotency-Key.
    event_id = models.CharField(max_length=40, unique=True)
    mode = models.CharField(_("mode"), max_length=16)
    method = models.CharField(_("method"), max_length=8)
    url = models.TextField(_("address"))
    headers = models.JSONField(_("headers"), default=list)
    body = models.TextField(blank=True, default="")
    timeout_seconds = models.PositiveIntegerField()
    retry = models.CharField(max_length=200, blank=True, default="")
    state = models.CharField(_("state"), max_length=10, choices=State)
    result = models.CharField(_("result"), max_length=32, blank=True, default="")
    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    due_at = models.DateTimeField(_("due"))
    lease_until = models.DateTimeField(_("leased until"), null=True)
    lease_owner = models.CharField(_("leased by"), max_length=80, blank=True, default="")
    token = models.PositiveIntegerField(default=0)
    history = models.JSONField(_("attempts so far"), default=list)
    # Where the other side replies to: only the hash of the token is kept, and what makes it.
    reply_salt = models.CharField(max_length=40, blank=True, default="")
    reply_hash = models.CharField(max_length=64, null=True, unique=True)  # noqa: DJ001 - unique
    # The outcome for the request: ok, values, variables, code, about.
    answer = models.JSONField(null=True)
    answer_hash = models.CharField(max_length=64, blank=True, default="")
    created_at = models.DateTimeField(_("created"))

    class Meta:
        db_table = "flow_call"
        verbose_name = _("call")
        verbose_name_plural = _("calls")
        indexes: ClassVar = [
            models.Index(
                fields=["due_at", "id"],
                name="flow_call_due",
                condition=models.Q(state__in=["pending", "leased"]),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.method} #{self.pk}"


class ChildRequest(models.Model):
    """A request that a subflow step started; made in the transaction that filed it.

    (parent, activation, number) is unique, so no child is ever started twice. ``unwanted``: the
    step is over and the child still has to be ended.
    """

    class State(models.TextChoices):
        RUNNING = "running", _("in progress")
        ENDED = "ended", _("ended")

    tenant = models.ForeignKey("directory.Tenant", on_delete=models.PROTECT, db_index=False)
    parent = models.ForeignKey(
        "Instance", on_delete=models.PROTECT, related_name="child_links", db_index=False
    )
    activation = models.PositiveIntegerField()
    number = models.PositiveIntegerField()
    child = models.OneToOneField("Instance", on_delete=models.PROTECT, related_name="parent_link")
    # The parent's work that waits for the child's end.
    job = models.ForeignKey("Job", on_delete=models.PROTECT, related_name="+", db_index=False)
    depth = models.PositiveIntegerField()
    # Whether the parent waits; otherwise the child lives on by itself.
    awaited = models.BooleanField(default=True)
    state = models.CharField(_("state"), max_length=10, choices=State)
    unwanted = models.BooleanField(default=False)

    class Meta:
        db_table = "flow_child"
        verbose_name = _("started request")
        verbose_name_plural = _("started requests")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["parent", "activation", "number"], name="flow_child_number"
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["id"],
                name="flow_child_unwanted",
                condition=models.Q(unwanted=True, state="running"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.parent_id}/{self.activation}/{self.number}"
