"""Targets that processes post to by their keys: addresses and secrets, never shown again."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from flowadmin.sealing import seal
from workflow.models import Target

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

# Reliability.md 4.2: so long a receiver may take to change over to the new secret.
OVERLAP = timedelta(hours=24)


def keep_target(
    *,
    tenant_id: int,
    key: str,
    now: datetime,
    https_only: bool = True,
    profile: str = "seed",
    fields: Sequence[str] = (),
    url: str = "",
    secret: str = "",
) -> Target:
    """Make a target, or change it; without ``url`` or ``secret`` these stay as they are.

    ``fields`` are those of the form that it may see, ``["*"]`` for all. A new secret signs from
    now on; the one before it signs as well for another 24 hours. What was written before goes
    where it was addressed to (seed 001 P37).
    """
    found = Target.objects.filter(tenant=tenant_id, key=key).first()
    target = found or Target(tenant_id=tenant_id, key=key)
    target.https_only, target.profile, target.fields = https_only, profile, list(fields)
    target.url = url or target.url
    if secret:
        target.previous_sealed = target.sealed
        target.previous_until = now + OVERLAP if target.sealed else None
        target.sealed = seal(secret, target.purpose)
    target.changed_at = now
    target.save()
    return target
