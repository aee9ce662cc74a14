"""Reading the operator's words for places that outgoing requests may reach, or must go through."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final
from urllib.parse import unquote

# A name, a dotted IPv4 address or IPv6 in brackets, with or without a port.
PLACE: Final = re.compile(
    r"(?:\[(?P<six>[0-9a-f:.]+)\]"
    r"|(?P<name>(?=[^:]{1,253}(?::|$))"
    r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*))"
    r"(?::(?P<port>[0-9]{1,5}))?"
)
# The system would read such a name as an address.
NUMBER: Final = re.compile(r"(.*\.)?([0-9]+|0x[0-9a-f]*)")

MAPPED: Final = IPv6Network("::ffff:0:0/96")


@dataclass(frozen=True, slots=True)
class Reachable:
    """One entry of FLOWADMIN_CALLBACK_ALLOW: a name or a network, with all its ports or one."""

    host: str = ""
    network: IPv4Network | IPv6Network | None = None
    port: int | None = None

    @property
    def exact(self) -> bool:
        """Whether it names one address and not a range or a name."""
        return self.network is not None and self.network.num_addresses == 1


@dataclass(frozen=True, slots=True)
class Proxy:
    """The proxy of FLOWADMIN_CALLBACK_PROXY, spoken to in plain HTTP with CONNECT."""

    host: str
    port: int
    user: str = field(default="", repr=False)
    password: str = field(default="", repr=False)


def read_reachable(text: str) -> Reachable:
    """One entry of FLOWADMIN_CALLBACK_ALLOW: a host, host:port, address or network.

    Raises ValueError that says what is wrong with it. Source: contract, Environment.
    """
    text = text.lower()
    if "/" in text:
        network = ip_network(text)
        if isinstance(network, IPv6Network) and network.subnet_of(MAPPED):
            raise ValueError("write an IPv4 network as IPv4")
        return Reachable(network=network)
    if text.count(":") > 1 and "[" not in text:
        text = f"[{text}]"
    host, port = _host_and_port(text)
    try:
        address = ip_address(host)
    except ValueError:
        return Reachable(host=host, port=port)
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return Reachable(network=ip_network(address.ipv4_mapped), port=port)
    return Reachable(network=ip_network(address), port=port)


def read_proxy(text: str) -> Proxy:
    """The proxy's address, as in ``http://user:password@proxy:3128``; port 80 without one.

    Raises ValueError in words that repeat nothing of the text: it may hold a password.
    """
    scheme, _, rest = text.partition("://")
    pair, _, place = rest.removesuffix("/").rpartition("@")
    user, _, password = pair.partition(":")
    if scheme.lower() != "http":
        raise ValueError("it does not begin with http://")
    host, port = _host_and_port(place.lower())
    return Proxy(host=host, port=port or 80, user=unquote(user), password=unquote(password))


def _host_and_port(text: str) -> tuple[str, int | None]:
    # One final dot says that the name is whole; targets are compared without it.
    parts = PLACE.fullmatch(re.sub(r"\.(?=$|:[0-9]+$)", "", text, count=1))
    if parts is None:
        raise ValueError("it is neither a name in ASCII nor an address")
    host, port = parts["six"] or parts["name"], parts["port"]
    if parts["six"] or NUMBER.fullmatch(host):
        try:
            host = str(ip_address(host))
        except ValueError:
            raise ValueError("its address is not written in full") from None
    if port is not None and not 0 < int(port) < 65536:
        raise ValueError("its port is not from 1 to 65535")
    return host, None if port is None else int(port)
