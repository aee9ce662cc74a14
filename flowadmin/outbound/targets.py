"""Reading the target's URL strictly: one spelling of each host, nothing that parsers read apart.

Theory: between a lenient parser that checks and another that connects lies the hole. So this
parser refuses what the libraries repair (backslashes, tabs, line breaks, user names, short and
octal IPv4, zones, full-width digits), and everything later (check, Host, SNI, connection) uses
the value that it gives and never the text again.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from flowadmin.outbound.addresses import canonical
from flowadmin.outbound.messages import NotAllowed, Objection

if TYPE_CHECKING:
    from flowadmin.outbound.addresses import Address

LONGEST: Final = 2048
SCHEMES: Final = {"http": 80, "https": 443}
URL: Final = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)"
    r"(?P<path>/[^?#]*)?(?P<query>\?[^#]*)?(?:#.*)?",
    re.DOTALL,
)
AUTHORITY: Final = re.compile(
    r"(?:\[(?P<six>[^\]]*)\]|(?P<name>[^:\[\]]*))(?P<rest>.*)", re.DOTALL
)
LABEL: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
# A name whose last label looks like a number is read as an IPv4 address by the system.
NUMERIC: Final = re.compile(r"[0-9]+|0x[0-9a-f]*")
IDEOGRAPHIC_STOP: Final = "\u3002"
# Left as they are in path and query; "%" too, since the text may already be escaped.
KEPT: Final = "%/:@!$&'()*+,;=~-._?[]"


@dataclass(frozen=True, slots=True)
class Target:
    """Where a request goes, in one spelling only.

    ``host`` is in lower case ASCII without a final dot, or the text of ``literal``;
    ``path`` is what stands in the request line.
    """

    scheme: str
    host: str
    port: int
    path: str
    literal: Address | None = None

    @property
    def https(self) -> bool:
        """Whether the connection is secured by TLS."""
        return self.scheme == "https"

    @property
    def authority(self) -> str:
        """The value of the Host header: the port stands in it unless it is the scheme's own."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == SCHEMES[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The canonical text."""
        return f"{self.scheme}://{self.authority}{self.path}"


def read_target(url: str) -> Target:
    """Read a target.

    Raises NotAllowed with one of the ``url.`` codes and the position of what is wrong.
    Source: reliability 2.6 (spellings) and 4.6. Non-ASCII names are turned into their ASCII form,
    non-ASCII characters of path and query into percent escapes; a fragment is never sent.
    """
    if len(url) > LONGEST:
        raise NotAllowed(Objection.LENGTH, LONGEST)
    for place, character in enumerate(url):
        if _never(character):
            raise NotAllowed(Objection.CHARACTER, place)
    parts = URL.fullmatch(url)
    if parts is None or parts["scheme"].lower() not in SCHEMES:
        raise NotAllowed(Objection.SCHEME)
    scheme = parts["scheme"].lower()
    host, literal, port = _authority(parts["authority"], parts.start("authority"))
    return Target(
        scheme=scheme,
        host=host,
        port=SCHEMES[scheme] if port is None else port,
        path=quote((parts["path"] or "/") + (parts["query"] or ""), safe=KEPT),
        literal=literal,
    )


def _never(character: str) -> bool:
    """Backslashes, blanks, control, invisible, unassigned and broken characters."""
    return character == "\\" or unicodedata.category(character)[0] in "CZ"


def _authority(text: str, at: int) -> tuple[str, Address | None, int | None]:
    if "@" in text:
        raise NotAllowed(Objection.USERINFO, at)
    parts = AUTHORITY.fullmatch(text)
    if parts is None:
        raise NotAllowed(Objection.HOST, at)
    port = _port(parts["rest"], at + parts.start("rest"))
    if parts["six"] is not None:
        literal = _six(parts["six"], at)
        return str(literal), literal, port
    name = _name(parts["name"], at)
    if NUMERIC.fullmatch(name.rpartition(".")[2]):
        four = _four(name, at)
        return str(four), four, port
    return name, None, port


def _port(text: str, at: int) -> int | None:
    if not text:
        return None
    if text[0] != ":":
        raise NotAllowed(Objection.HOST, at)
    digits = text[1:]
    if not re.fullmatch(r"[0-9]{1,5}", digits) or not 0 < int(digits) < 65536:
        raise NotAllowed(Objection.PORT_NUMBER, at)
    return int(digits)


def _six(text: str, at: int) -> Address:
    try:
        # A zone names an interface of this machine; it is no part of a target.
        if "%" in text:
            raise NotAllowed(Objection.SPELLING, at)
        return canonical(IPv6Address(text))
    except AddressValueError:
        raise NotAllowed(Objection.HOST, at) from None


def _four(text: str, at: int) -> IPv4Address:
    try:
        return IPv4Address(text)
    except AddressValueError:
        # 2130706433, 0x7f000001, 0177.0.0.1, 127.1, 0: the system reads them all.
        raise NotAllowed(Objection.SPELLING, at) from None


def _name(text: str, at: int) -> str:
    """The name in lower case ASCII, without the one final dot that means "from the root"."""
    name = _ascii(text.lower(), at).removesuffix(".")
    labels = name.split(".")
    if len(name) > 253 or not all(LABEL.fullmatch(label) for label in labels):
        raise NotAllowed(Objection.HOST, at)
    return name


def _ascii(name: str, at: int) -> str:
    if name.isascii():
        return name
    # Full-width digits, ligatures, ß, other full stops: one resolver folds them, another does not.
    if unicodedata.normalize("NFKC", name).casefold() != name or IDEOGRAPHIC_STOP in name:
        raise NotAllowed(Objection.SPELLING, at)
    try:
        return name.encode("idna").decode("ascii")
    except UnicodeError:
        raise NotAllowed(Objection.HOST, at) from None
