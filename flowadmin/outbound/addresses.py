"""The table of IP addresses that are not the public internet, and what stands inside an address.

Theory: Python's ``is_private`` and ``is_global`` let through about half of the addresses that
matter (carrier NAT, NAT64 and 6to4 forms of loopback, multicast, providers' metadata services),
and their answers change with Python's version. So the table is ours, and IPv6 is judged the other
way round: what lies outside 2000::/3 has never been given to anybody and is no target.

Source: reliability 2.6 and 4.6; the ranges are those of IANA's special-purpose registries.
"""

from __future__ import annotations

from enum import StrEnum
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


class Kind(StrEnum):
    """How an address is guarded."""

    PUBLIC = "public"
    # Reachable only when the allow-list names the host or a network around the address.
    SPECIAL = "special"
    # Services of clouds that hand out credentials: only when named by the exact address.
    METADATA = "metadata"
    # No server can be there; the unspecified address would reach this machine.
    NEVER = "never"


def _networks(texts: str) -> tuple[Network, ...]:
    return tuple(ip_network(text) for text in texts.split())


# The order decides: an address has the kind of the first line that contains it.
TABLE: Final[tuple[tuple[Kind, tuple[Network, ...]], ...]] = (
    (Kind.NEVER, _networks("0.0.0.0/8 224.0.0.0/4 255.255.255.255/32 ::/128 ff00::/8")),
    (
        Kind.METADATA,
        _networks(
            "169.254.0.0/16 100.100.100.200/32 168.63.129.16/32 192.0.0.192/32"
            " fd00:ec2::/32 fd20:ce::254/128 fe80::a9fe:a9fe/128"
        ),
    ),
    (
        Kind.SPECIAL,
        _networks(
            # private, carrier NAT, loopback
            "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 100.64.0.0/10 127.0.0.0/8"
            # protocol assignments, 6to4 relays, benchmarks, documentation, reserved
            " 192.0.0.0/24 192.88.99.0/24 198.18.0.0/15"
            " 192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4"
            # inside 2000::/3: protocol assignments with Teredo, 6to4, documentation, the old 6bone
            " 2001::/23 2001:db8::/32 2002::/16 3fff::/20 3ffe::/16"
        ),
    ),
    # Everything else of IPv6: loopback, ::/96, NAT64, 100::/64, 5f00::/16, fc00::/7, fe80::/10 …
    (Kind.PUBLIC, _networks("0.0.0.0/0 2000::/3")),
)

MAPPED: Final = IPv6Network("::ffff:0:0/96")
# Prefix → how many bits from the right the embedded IPv4 address begins.
CARRIERS: Final[tuple[tuple[IPv6Network, int], ...]] = (
    (IPv6Network("::/96"), 0),
    (IPv6Network("::ffff:0:0:0/96"), 0),
    (IPv6Network("64:ff9b::/96"), 0),
    (IPv6Network("64:ff9b:1::/48"), 0),
    (IPv6Network("2002::/16"), 80),
)
# ::/96 is no carrier for these two.
OWN: Final = IPv6Network("::/127")
TEREDO: Final = IPv6Network("2001::/32")


def canonical(address: Address) -> Address:
    """The address that the system would connect to: ::ffff:a.b.c.d is the IPv4 address in it."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return address.ipv4_mapped
        return IPv6Address(int(address))  # without a zone
    return address


def kind_of(address: Address) -> Kind:
    """How this one address is guarded, without regard to what it may carry inside."""
    address = canonical(address)
    for kind, networks in TABLE:
        if any(address in network for network in networks):
            return kind
    return Kind.SPECIAL


def embedded(address: Address) -> tuple[IPv4Address, ...]:
    """The IPv4 addresses to which a translator or tunnel would carry packets for this address.

    A gateway turns 64:ff9b::7f00:1 or 2002:7f00:1:: into 127.0.0.1, so whoever allows the outer
    range must not thereby allow every inner one.
    """
    if isinstance(address, IPv4Address) or address in MAPPED or address in OWN:
        return ()
    number = int(address)
    if address in TEREDO:
        server, client = number >> 64 & 0xFFFF_FFFF, ~number & 0xFFFF_FFFF
        return IPv4Address(server), IPv4Address(client)
    return tuple(
        IPv4Address(number >> shift & 0xFFFF_FFFF)
        for carrier, shift in CARRIERS
        if address in carrier
    )


def addresses_of(texts: Iterable[str]) -> tuple[Address, ...]:
    """Canonical addresses of what a resolver gave, each once, in its order, zones dropped.

    Raises ValueError when a text is no address.
    """
    found = [canonical(ip_address(text.partition("%")[0])) for text in texts]
    return tuple(dict.fromkeys(found))
