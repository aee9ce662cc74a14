"""Signatures of callbacks by the Standard Webhooks rules: HMAC-SHA256 over id, time and body."""

from __future__ import annotations

import binascii
import hashlib
import hmac
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

PREFIX: Final = "whsec_"
# Bytes of a secret (reliability.md 4.2).
SHORTEST: Final = 24
LONGEST: Final = 64


class BadSecret(ValueError):
    """A secret is not `whsec_` and base64 of 24 to 64 bytes."""


def key_of(secret: str) -> bytes:
    """The bytes that sign, of a secret's text. Raises BadSecret, which says nothing of it."""
    if not secret.startswith(PREFIX):
        raise BadSecret
    try:
        key = b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        raise BadSecret from None
    if not SHORTEST <= len(key) <= LONGEST:
        raise BadSecret
    return key


def signature(secrets: Iterable[str], event_id: str, timestamp: int, body: bytes) -> str:
    """The value of `webhook-signature`: one `v1,…` for each secret, separated by a space.

    ``timestamp`` is in whole seconds since 1970. During a rotation two secrets sign, and a
    receiver is content with either. Raises BadSecret.
    """
    signed = f"{event_id}.{timestamp}.".encode() + body
    return " ".join(
        "v1," + b64encode(hmac.digest(key_of(each), signed, hashlib.sha256)).decode()
        for each in secrets
    )
