"""Secrets at rest: sealed with the installation's key, so that a copy of the database tells none.

A purpose belongs to each sealed text and is authenticated with it, so that one cannot be put in
another's place. The leading "1." names the way (AES-GCM of the `cryptography` library, the key
derived from the installation's secret), so that another can follow it.
"""

from __future__ import annotations

import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings

WAY = "1"
_NONCE = 12


class Unreadable(ValueError):
    """A sealed text was made with another key, for another purpose, or was changed."""


def seal(text: str, purpose: str) -> str:
    """Hide a text; ``purpose`` (such as ``secret:<tenant>:<key>``) has to be given to `unseal`."""
    nonce = secrets.token_bytes(_NONCE)
    hidden = AESGCM(derived("seal")).encrypt(nonce, text.encode(), purpose.encode())
    return f"{WAY}.{urlsafe_b64encode(nonce + hidden).decode()}"


def unseal(sealed: str, purpose: str) -> str:
    """The text again. Raises Unreadable, which says nothing of the text."""
    way, _, rest = sealed.partition(".")
    try:
        raw = urlsafe_b64decode(rest.encode())
        if way != WAY or len(raw) <= _NONCE:
            raise Unreadable
        nonce, hidden = raw[:_NONCE], raw[_NONCE:]
        return AESGCM(derived("seal")).decrypt(nonce, hidden, purpose.encode()).decode()
    except (NotBase64, InvalidTag) as error:
        raise Unreadable from error


def derived(purpose: str) -> bytes:
    """32 bytes that only this installation can make, others for each purpose."""
    info = f"flowadmin.sealing:{purpose}".encode()
    return HKDF(SHA256(), length=32, salt=None, info=info).derive(settings.SECRET_KEY.encode())
