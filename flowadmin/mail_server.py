"""Where e-mail leaves and what it points to, read from the text of the environment."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

# Scheme → how the connection is protected, and its usual port.
SCHEMES = {
    "smtp": ("", 25),
    "smtp+tls": ("starttls", 587),
    "smtp+ssl": ("tls", 465),
    "smtps": ("tls", 465),
}


@dataclass(frozen=True, slots=True)
class MailServer:
    """The server that takes our e-mail. ``security`` is ``starttls``, ``tls`` or empty."""

    host: str
    port: int
    user: str
    password: str
    security: str


def read_mail_server(text: str) -> MailServer:
    """An address such as ``smtp+tls://user:password@mail.example.com:587``.

    Raises ValueError, whose words never repeat the address: it may hold a password.
    """
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise ValueError("it cannot be read") from None
    if parts.scheme not in SCHEMES:
        raise ValueError(f"it must begin with {', '.join(SCHEMES)} and ://")
    if not parts.hostname or parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError("it must name a host and nothing after the port")
    security, usual = SCHEMES[parts.scheme]
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if bool(user) != bool(password):
        raise ValueError("it must have both a user and a password, or neither")
    return MailServer(parts.hostname, port or usual, user, password, security)


def read_public_url(text: str) -> str:
    """The address at which people open this installation, without a slash at its end.

    Raises ValueError.
    """
    try:
        parts = urlsplit(text)
        _port = parts.port
    except ValueError:
        raise ValueError("it cannot be read") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("it must begin with http:// or https:// and name a host")
    if parts.username or parts.query or parts.fragment or not text.isascii() or " " in text:
        raise ValueError("it must be an address without a user, a query or a fragment")
    return text.rstrip("/")
