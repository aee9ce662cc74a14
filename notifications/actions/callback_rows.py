"""Callbacks written in the transaction of the decision that they tell of (seed 001, P29)."""

from __future__ import annotations

import secrets
from base64 import b32encode
from typing import TYPE_CHECKING

from flowadmin.coordination.wake import wake
from notifications.models import Callback

if TYPE_CHECKING:
    from collections.abc import Sequence

TOPIC = "callbacks"


def fresh_event_id() -> str:
    """`evt_` and 26 letters and digits, never with a full stop (reliability.md 4.2)."""
    return "evt_" + b32encode(secrets.token_bytes(16)).decode().rstrip("=").lower()


def write(rows: Sequence[Callback]) -> None:
    """Write these rows in one statement, in the caller's transaction."""
    if rows:
        Callback.objects.bulk_create(rows)
        wake(TOPIC)
