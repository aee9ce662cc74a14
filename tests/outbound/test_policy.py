"""The installation's rules: ports, allow-list, own ports, metadata, and what each entry lifts."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import ip_address

import pytest

from flowadmin import environment, outbound
from flowadmin.outbound import NotAllowed, Objection
from flowadmin.outbound.targets import read_target
from flowadmin.reachable import Proxy
from tests.outbound.receivers import EVERYTHING, allowing, post

ANY = "0.0.0.0"  # noqa: S104 - a target, nothing is bound


def objection(policy, url, *addresses):
    """What a policy says to a target, or to these addresses of its name; None when nothing."""
    target = read_target(url)
    try:
        policy.check_target(target)
        for address in addresses:
            policy.check_address(target, ip_address(address))
    except NotAllowed as refused:
        return refused.code
    return None


@pytest.mark.parametrize("port", [80, 443, 8000, 8080, 9999])
def test_usual_ports_need_no_entry(port):
    assert objection(outbound.CLOSED, f"http://good.test:{port}/", "8.8.8.8") is None


@pytest.mark.parametrize("port", [1, 22, 25, 81, 6379, 7999, 10000, 65535])
def test_other_ports_do(port):
    assert objection(outbound.CLOSED, f"http://good.test:{port}/") is Objection.PORT
    assert objection(outbound.CLOSED, f"http://8.8.8.8:{port}/") is Objection.PORT
    assert objection(allowing("good.test"), f"http://good.test:{port}/", "8.8.8.8") is None
    assert objection(allowing(f"good.test:{port}"), f"http://good.test:{port}/", "8.8.8.8") is None
    assert objection(allowing("8.8.8.0/24"), f"http://good.test:{port}/", "8.8.8.8") is None


def test_a_network_lifts_the_port_rule_only_inside():
    policy = allowing("8.8.8.0/24")
    assert objection(policy, "http://good.test:25/") is None  # not known before the lookup
    assert objection(policy, "http://good.test:25/", "8.8.9.8") is Objection.PORT
    assert objection(policy, "http://good.test:25/", "8.8.8.8", "1.1.1.1") is Objection.PORT


@pytest.mark.parametrize(
    ("entry", "url", "address"),
    [
        ("intranet", "http://intranet/", "10.1.2.3"),
        ("intranet.test.", "https://Intranet.TEST:8443/", "192.168.0.9"),
        ("intranet:3000", "http://intranet:3000/", "10.1.2.3"),
        ("10.0.0.0/8", "http://good.test/", "10.1.2.3"),
        ("10.1.2.3", "http://good.test/", "10.1.2.3"),
        ("10.1.2.3:81", "http://10.1.2.3:81/", "10.1.2.3"),
        ("127.0.0.1", "http://localhost/", "127.0.0.1"),
        ("[::1]:8080", "http://[::1]:8080/", "::1"),
        ("::1", "http://good.test/", "::1"),
        ("fd00:1::/32", "http://good.test/", "fd00:1::5"),
        ("::ffff:10.0.0.7", "http://good.test/", "10.0.0.7"),
        ("169.254.169.254", "http://good.test/", "169.254.169.254"),
        ("100.100.100.200/32", "http://good.test/", "100.100.100.200"),
    ],
)
def test_an_entry_opens_what_it_names(entry, url, address):
    assert objection(outbound.CLOSED, url, address) is not None
    assert objection(allowing(entry), url, address) is None


@pytest.mark.parametrize(
    ("entry", "url", "address", "code"),
    [
        ("intranet", "http://other/", "10.1.2.3", Objection.ADDRESS),
        ("intranet", "http://x.intranet/", "10.1.2.3", Objection.ADDRESS),
        ("intranet:8080", "http://intranet/", "10.1.2.3", Objection.ADDRESS),
        ("intranet:3000", "http://intranet:3001/", "10.1.2.3", Objection.PORT),
        ("10.1.2.3", "http://good.test/", "10.1.2.4", Objection.ADDRESS),
        ("10.1.2.3:8080", "http://good.test:8081/", "10.1.2.3", Objection.ADDRESS),
        ("127.0.0.1", "http://localhost/", "::1", Objection.ADDRESS),
        # Metadata only by its exact address, whatever range or name is open.
        ("169.254.0.0/16", "http://good.test/", "169.254.169.254", Objection.ADDRESS),
        ("intranet", "http://intranet/", "169.254.169.254", Objection.ADDRESS),
        ("100.64.0.0/10", "http://good.test/", "100.100.100.200", Objection.ADDRESS),
        ("fd00::/8", "http://good.test/", "fd00:ec2::254", Objection.ADDRESS),
        # What a translator would carry on must be open too.
        ("64:ff9b::/96", "http://good.test/", "64:ff9b::7f00:1", Objection.ADDRESS),
        ("64:ff9b::/96", "http://good.test/", "64:ff9b::a9fe:a9fe", Objection.ADDRESS),
        ("intranet", "http://intranet/", "64:ff9b::a9fe:a9fe", Objection.ADDRESS),
        ("2002::/16", "http://good.test/", "2002:7f00:1::", Objection.ADDRESS),
        ("::/0", "http://good.test/", "2001:0:4136:e378:8000:63bf:5601:5601", Objection.ADDRESS),
    ],
)
def test_an_entry_opens_nothing_else(entry, url, address, code):
    assert objection(allowing(entry), url, address) is code


def test_a_translated_public_address_is_reached_through_an_open_translator():
    policy = allowing("64:ff9b::/96")
    assert objection(policy, "http://good.test/", "64:ff9b::808:808") is None


@pytest.mark.parametrize(
    "address", [ANY, "0.1.2.3", "::", "224.0.0.1", "255.255.255.255", "ff02::1"]
)
def test_what_is_no_server_stays_closed_whatever_is_open(address):
    policy = outbound.Policy(allow=EVERYTHING)
    assert objection(policy, "http://good.test/", address) is Objection.ADDRESS


def test_one_refused_address_of_many_refuses_all():
    for addresses in (("8.8.8.8", "127.0.0.1"), ("127.0.0.1", "8.8.8.8")):
        assert objection(outbound.CLOSED, "http://good.test/", *addresses) is Objection.ADDRESS


def test_https_only():
    policy = allowing("127.0.0.1", https_only=True)
    assert objection(policy, "http://127.0.0.1/") is Objection.HTTPS_ONLY
    assert objection(policy, "https://127.0.0.1/") is None


def test_own_ports_stay_closed_on_this_machine_alone():
    policy = allowing("127.0.0.0/8", "::1", "localhost", "10.0.0.0/8", own_ports=frozenset({8000}))
    for url, address in (
        ("http://127.0.0.1:8000/", "127.0.0.1"),
        ("http://127.8.8.8:8000/", "127.8.8.8"),
        ("http://localhost:8000/", "::1"),
    ):
        assert objection(policy, url, address) is Objection.OWN_PORT
        assert objection(policy, url.replace("8000", "8001"), address) is None
    elsewhere = replace(policy, is_own=lambda address: address == ip_address("10.0.0.1"))
    assert objection(elsewhere, "http://10.0.0.1:8000/") is Objection.OWN_PORT
    assert objection(elsewhere, "http://10.0.0.2:8000/") is None


def test_the_policy_of_an_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("FLOWADMIN_DATA", str(tmp_path))
    monkeypatch.setenv("FLOWADMIN_CALLBACK_ALLOW", "intranet")
    monkeypatch.setenv("FLOWADMIN_CALLBACK_HTTPS_ONLY", "1")
    monkeypatch.setenv("FLOWADMIN_CALLBACK_PROXY", "http://proxy.test:3128")
    monkeypatch.setenv("PORT", "8123")
    policy = outbound.policy_of(environment.read())
    assert policy == allowing(
        "intranet",
        https_only=True,
        proxy=Proxy("proxy.test", 3128),
        own_ports=frozenset({8123}),
    )


@pytest.mark.parametrize(
    ("request_", "code", "position"),
    [
        (outbound.Outgoing("CONNECT", "http://good.test/"), Objection.METHOD, 0),
        (outbound.Outgoing("post", "http://good.test/"), Objection.METHOD, 0),
        (post("http://good.test/", b"x" * (outbound.BODY_BYTES + 1)), Objection.BODY, 0),
        (post("http://good.test/", headers=(("A", "b"), ("C", "d\r\nE: f"))), Objection.HEADER, 1),
        (post("http://good.test/", headers=(("A b", "c"),)), Objection.HEADER, 0),
        (post("http://good.test/", headers=(("", "c"),)), Objection.HEADER, 0),
        (post("http://good.test/", headers=(("A", " c"),)), Objection.HEADER, 0),
        (post("http://good.test/", headers=(("A", "é"),)), Objection.HEADER, 0),
        (post("http://good.test/", headers=(("hOst", "evil.test"),)), Objection.HEADER, 0),
        (post("http://good.test/", headers=(("Transfer-Encoding", "x"),)), Objection.HEADER, 0),
        (post("http://good.test/", headers=(("Content-Length", "1"),)), Objection.HEADER, 0),
        (post("http://good.test/", headers=(("Cookie", "a=b"),)), Objection.HEADER, 0),
        (post("ftp://good.test/"), Objection.SCHEME, 0),
        (post("http://10.0.0.1/"), Objection.ADDRESS, 0),
    ],
)
def test_check_names_what_is_wrong_with_a_request(request_, code, position):
    with pytest.raises(NotAllowed) as caught:
        outbound.check(request_, outbound.CLOSED)
    assert (caught.value.code, caught.value.position) == (code, position)
    answer = outbound.send(request_, policy=outbound.CLOSED)
    assert (answer.result, answer.status, answer.ok) == ("NOT_ALLOWED", None, False)


def test_check_gives_the_target_when_nothing_is_wrong():
    assert outbound.check(post("http://good.test"), outbound.CLOSED).url == "http://good.test/"
