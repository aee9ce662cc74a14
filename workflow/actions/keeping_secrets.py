"""Secrets that processes refer to by their keys: kept sealed, never shown again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flowadmin.sealing import seal
from workflow.models import Secret
from workflow.runtime.calls import secret_purpose

if TYPE_CHECKING:
    from datetime import datetime


def keep_secret(*, tenant_id: int, key: str, text: str, now: datetime) -> Secret:
    """Keep a secret under its key; an earlier one of that key is replaced."""
    sealed = seal(text, secret_purpose(tenant_id, key))
    secret, _created = Secret.objects.update_or_create(
        tenant_id=tenant_id, key=key, defaults={"sealed": sealed, "changed_at": now}
    )
    return secret


def forget_secret(secret: Secret) -> None:
    """Delete it; a call that needs it fails with http.secret_missing."""
    secret.delete()
