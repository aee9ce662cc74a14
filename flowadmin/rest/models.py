"""The first answer of each command, kept for a day so that a repetition gets the same."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class StoredRequest(models.Model):
    """One idempotency key of one person on one route, with the answer it was given.

    The row is written in the transaction of its command: it exists exactly when the command
    took effect. ``status`` 0 exists only inside a running transaction (a reservation).
    The workflow's hot path inserts this row with a statement of its own; the columns here are
    the truth it follows.

    Source: contract, Idempotency-Key.
    """

    # Neither foreign key has an index of its own: the unique constraint begins with the user,
    # nothing is ever looked up by tenant, and each index costs the hot path a page.
    tenant = models.ForeignKey(
        "directory.Tenant", models.CASCADE, related_name="+", db_index=False
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="+", db_index=False
    )
    route = models.CharField(max_length=120)
    key = models.CharField(max_length=128)
    body_hash = models.CharField(max_length=64)
    status = models.SmallIntegerField()
    body = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        db_table = "flow_request"
        constraints = [
            models.UniqueConstraint(fields=["user", "route", "key"], name="flow_request_key"),
        ]
        indexes = [models.Index(fields=["created_at"], name="flow_request_created")]

    def __str__(self) -> str:
        return f"{self.route} {self.key}"
