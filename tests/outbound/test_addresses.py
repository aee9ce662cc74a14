"""The table of addresses: each given case, the edges of each range, and Python's own opinion."""

from __future__ import annotations

from ipaddress import ip_address, ip_network

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flowadmin.outbound.addresses import TABLE, Kind, addresses_of, canonical, embedded, kind_of
from tests.outbound.cases import ALLOW, DENY

RANGES = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
    "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3", "::/96", "64:ff9b::/96", "64:ff9b:1::/48",
    "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10",
    "fec0::/10", "ff00::/8", "100::/64", "168.63.129.16/32",
]  # fmt: skip


@pytest.mark.parametrize("text", DENY)
def test_is_not_public(text):
    assert kind_of(ip_address(text)) is not Kind.PUBLIC


@pytest.mark.parametrize("text", ALLOW)
def test_is_public(text):
    assert kind_of(ip_address(text)) is Kind.PUBLIC
    assert embedded(ip_address(text)) == ()


@pytest.mark.parametrize("text", RANGES)
def test_no_address_of_a_range_is_public(text):
    network = ip_network(text)
    assert kind_of(network[0]) is not Kind.PUBLIC
    assert kind_of(network[-1]) is not Kind.PUBLIC
    assert kind_of(network[network.num_addresses // 2]) is not Kind.PUBLIC


@pytest.mark.parametrize(
    "text",
    [
        "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
        "192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255",
        "198.20.0.0", "223.255.255.255", "168.63.129.15", "168.63.129.17", "2001:200::",
        "2001:db7::", "2001:db9::", "2003::", "2000::", "3ffd::", "::ffff:8.8.8.8",
    ],
)  # fmt: skip
def test_the_neighbours_of_the_ranges_are_public(text):
    assert kind_of(ip_address(text)) is Kind.PUBLIC


@pytest.mark.parametrize(
    "text",
    ["169.254.169.254", "100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254"],
)
def test_metadata_services_are_known_as_such(text):
    assert kind_of(ip_address(text)) is Kind.METADATA


@settings(max_examples=2000)
@given(st.ip_addresses())
def test_what_python_does_not_call_global_is_not_public(address):
    if not canonical(address).is_global or canonical(address).is_multicast:
        assert kind_of(address) is not Kind.PUBLIC


@settings(max_examples=500)
@given(st.ip_addresses(v=4))
def test_a_mapped_address_is_judged_as_the_one_inside(address):
    assert kind_of(ip_address(f"::ffff:{address}")) is kind_of(address)
    assert canonical(ip_address(f"::ffff:{address}")) == address


@settings(max_examples=200)
@given(st.ip_addresses(v=4))
def test_what_a_translator_carries_is_seen(address):
    number = int(address)
    assert embedded(ip_address(int(ip_address("64:ff9b::")) | number)) == (address,)
    assert embedded(ip_address(int(ip_address("2002::")) | number << 80)) == (address,)
    teredo = int(ip_address("2001::")) | 0x08080808 << 64 | number ^ 0xFFFFFFFF
    assert embedded(ip_address(teredo)) == (ip_address("8.8.8.8"), address)


def test_loopback_carries_nothing():
    assert embedded(ip_address("::1")) == embedded(ip_address("::")) == ()


def test_what_a_resolver_gave_becomes_addresses_once_each():
    found = addresses_of(["::ffff:10.0.0.1", "10.0.0.1", "fe80::1%lo", "::1"])
    assert found == (ip_address("10.0.0.1"), ip_address("fe80::1"), ip_address("::1"))
    with pytest.raises(ValueError, match="appear"):
        addresses_of(["good.test"])


def test_the_table_ends_with_what_is_public():
    assert [kind for kind, _ in TABLE] == [Kind.NEVER, Kind.METADATA, Kind.SPECIAL, Kind.PUBLIC]
