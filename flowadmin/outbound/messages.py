"""What is sent and what came of it: the typed values of an outgoing request, and its failures.

The exceptions of this package, each with a ``code``::

    NotAllowed   the request may not be sent (an Objection and its position); before any packet
    Failed       the attempt ended without a status line (a Result)

`flowadmin.outbound.send` raises neither: it answers with a Result.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

# Source: reliability 4.3.
BODY_BYTES: Final = 256 * 1024
ANSWER_BYTES: Final = 64 * 1024
ANSWER_HEADER_BYTES: Final = 100 * 1024

METHODS: Final = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"})
TOKEN: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
VALUE: Final = re.compile(r"(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?")
# The transport's own, or of use only for smuggling a second request or another's identity.
OURS: Final = frozenset(
    {
        "accept-encoding", "connection", "content-length", "cookie", "expect", "host",
        "keep-alive", "proxy-authorization", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    }
)  # fmt: skip


class Result(StrEnum):
    """How an attempt ended without a status code; with one the result is ``HTTP_<code>``.

    Source: contract, Callback request. UNKNOWN is never given by `send`: it is the word of a
    caller whose process died between asking and noting the answer.
    """

    TIMEOUT = "TIMEOUT"
    CONNECTION = "CONNECTION"
    TLS = "TLS"
    PROTOCOL = "PROTOCOL"
    NOT_ALLOWED = "NOT_ALLOWED"
    UNKNOWN = "UNKNOWN"


class Objection(StrEnum):
    """Why a request may not be sent. The words are for pages and logs: no address stands in them.

    The first seven speak of the target's text and are known when it is written; the others
    of the request, of this installation's rules, or of where the name leads today.
    """

    LENGTH = "url.length"
    CHARACTER = "url.character"
    SCHEME = "url.scheme"
    USERINFO = "url.userinfo"
    HOST = "url.host"
    SPELLING = "url.spelling"
    PORT_NUMBER = "url.port_number"
    METHOD = "request.method"
    HEADER = "request.header"
    BODY = "request.body"
    HTTPS_ONLY = "policy.https_only"
    PORT = "policy.port"
    ADDRESS = "policy.address"
    OWN_PORT = "policy.own_port"


class NotAllowed(ValueError):
    """The request may not be sent.

    ``position`` is the offset of the first wrong character in the target's text, or of the part
    that is objected to; for a header its place in the list.
    """

    def __init__(self, code: Objection, position: int = 0) -> None:
        self.code = code
        self.position = position
        super().__init__(f"{code} at {position}")


class Failed(Exception):
    """The attempt ended without a status line; ``detail`` is for the operators' log alone."""

    def __init__(self, code: Result, detail: str) -> None:
        self.code = code
        self.detail = detail
        super().__init__(f"{code}: {detail}")


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One request. Target, headers and body go out as they are given, byte for byte.

    The transport itself adds Host, Content-Length, ``Connection: close`` and
    ``Accept-Encoding: identity``, and takes none of these from the caller.
    """

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""


class Note(StrEnum):
    """What happened to the answer's body after its status line had decided the result."""

    WHOLE = ""
    TRUNCATED = "body_truncated"
    TIMEOUT = "body_timeout"
    BROKEN = "body_broken"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of an attempt.

    ``result`` is the class that may be shown to people. ``detail`` names addresses and libraries'
    words: it is for the operators' log, on a page it would be a port scanner. Header names are in
    lower case, ``set-cookie`` is left out. The body is raw (never inflated), at most ANSWER_BYTES.
    """

    result: str
    status: int | None = None
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    note: Note = Note.WHOLE
    detail: str = ""
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether it is a success: a status of 2xx and nothing else (seed 001, P38)."""
        return self.status is not None and 200 <= self.status < 300

    def header(self, name: str) -> str | None:
        """The first value of a header, by its name in lower case."""
        return next((value for key, value in self.headers if key == name), None)


def check_shape(request: Outgoing) -> None:
    """Raise NotAllowed for a method, header or body that must not go out; the target apart.

    Source: reliability 4.2 and 4.3. A value with a line break could add headers or a request.
    """
    if request.method not in METHODS:
        raise NotAllowed(Objection.METHOD)
    for place, (name, value) in enumerate(request.headers):
        if not TOKEN.fullmatch(name) or name.lower() in OURS or not VALUE.fullmatch(value):
            raise NotAllowed(Objection.HEADER, place)
    if len(request.body) > BODY_BYTES:
        raise NotAllowed(Objection.BODY)
