"""Each given address, spelling and target is refused before a packet leaves; others are met."""

from __future__ import annotations

import socket
from contextlib import ExitStack
from ipaddress import ip_address

import pytest

from flowadmin import outbound
from tests.outbound.cases import ALLOW, DENY, SPELLINGS, URLS, url_of
from tests.outbound.receivers import (
    EVERYTHING,
    Receiver,
    allowing,
    answering,
    leading_to,
    network_calls,
    post,
    usual_port,
)

OK = answering(b"HTTP/1.1 204 No Content\r\n\r\n")


@pytest.fixture
def ear():
    """Receivers on both loopbacks, on one port that the port rule lets through."""
    port = usual_port()
    with ExitStack() as stack:
        yield [stack.enter_context(Receiver(OK, host=host, port=port)) for host in LOOPBACKS]


LOOPBACKS = ("127.0.0.1", "::1")


def heard(ear):
    return sum(receiver.connections for receiver in ear)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_no_denied_address_is_met_by_its_literal(ear, scheme):
    with network_calls() as calls:
        for address in DENY:
            for rest in ("/", f":{ear[0].port}/"):
                url = url_of(address, rest).replace("http", scheme, 1)
                answer = outbound.send(post(url), policy=outbound.CLOSED)
                assert (answer.result, answer.detail) == ("NOT_ALLOWED", "policy.address at 0")
    assert (calls, heard(ear)) == ([], 0)


def test_no_denied_address_is_met_by_a_name(ear):
    with network_calls() as calls:
        for address in DENY:
            resolver = leading_to(address)
            answer = outbound.send(
                post(f"http://good.test:{ear[0].port}/"), policy=outbound.CLOSED, resolver=resolver
            )
            assert (answer.result, resolver.asked) == ("NOT_ALLOWED", ["good.test"])
    assert (calls, heard(ear)) == ([], 0)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_spelling_of_loopback_is_met(ear, spelling):
    with network_calls() as calls:
        for scheme in ("http", "https"):
            url = f"{scheme}://{spelling}:{ear[0].port}/"
            assert outbound.send(post(url), policy=outbound.CLOSED).result == "NOT_ALLOWED"
    # A name may be looked up, a number never reaches the system's lenient reading of addresses.
    lookups = [("socket.getaddrinfo", "localhost")] * 2 if spelling == "localhost" else []
    assert [(event, arguments[0]) for event, arguments in calls] == lookups
    assert heard(ear) == 0


@pytest.mark.parametrize("url", URLS)
def test_no_crooked_target_is_met(url):
    with network_calls() as calls:
        policy = outbound.Policy(allow=EVERYTHING)
        answer = outbound.send(post(url), policy=policy, resolver=leading_to("127.0.0.1"))
    assert (answer.result, calls) == ("NOT_ALLOWED", [])


def test_the_spies_hear_what_is_allowed(ear):
    """Without this, deaf spies would make all tests above green."""
    with network_calls() as calls:
        for receiver in ear:
            url = f"http://localhost:{receiver.port}/"
            policy = allowing("localhost")
            resolver = leading_to(receiver.host)
            assert outbound.send(post(url), policy=policy, resolver=resolver).result == "HTTP_204"
    assert [arguments[0] for event, arguments in calls if event == "socket.connect"] == [
        "127.0.0.1",
        "::1",
    ]
    assert heard(ear) == 2


@pytest.mark.parametrize("address", ALLOW)
@pytest.mark.parametrize("named", [True, False])
def test_an_allowed_address_is_met_and_no_other(address, named):
    met = []

    def dial(address, port, seconds):
        met.append((str(address), port))
        raise ConnectionRefusedError

    url = "http://good.test/" if named else url_of(address)
    answer = outbound.send(
        post(url), policy=outbound.CLOSED, resolver=leading_to(address), dial=dial
    )
    assert (answer.result, met) == ("CONNECTION", [(address, 80)])


def test_a_name_that_changes_its_mind_is_asked_once(ear):
    """DNS rebinding: public when checked, loopback when asked again."""
    answers = [("8.8.8.8",), ("127.0.0.1",)]
    met = []

    def resolver(host, seconds):
        return tuple(ip_address(text) for text in answers.pop(0))

    def dial(address, port, seconds):
        met.append(str(address))
        raise TimeoutError

    url = f"http://good.test:{ear[0].port}/"
    answer = outbound.send(post(url), policy=outbound.CLOSED, resolver=resolver, dial=dial)
    assert (answer.result, met, len(answers)) == ("TIMEOUT", ["8.8.8.8"], 1)
    answer = outbound.send(post(url), policy=outbound.CLOSED, resolver=resolver, dial=dial)
    assert (answer.result, met, answers) == ("NOT_ALLOWED", ["8.8.8.8"], [])
    assert heard(ear) == 0


@pytest.mark.parametrize("order", [1, -1])
def test_a_mixed_answer_is_refused_whole(ear, order):
    addresses = ("8.8.8.8", "127.0.0.1", "1.1.1.1")[::order]
    with network_calls() as calls:
        answer = outbound.send(
            post(f"http://good.test:{ear[0].port}/"),
            policy=outbound.CLOSED,
            resolver=leading_to(*addresses),
        )
    assert (answer.result, calls, heard(ear)) == ("NOT_ALLOWED", [], 0)


def test_own_ports_are_not_met_even_when_loopback_is_open(ear):
    policy = outbound.Policy(allow=EVERYTHING, own_ports=frozenset({ear[0].port}))
    with network_calls() as calls:
        for host in ("127.0.0.1", "[::1]", "127.9.9.9", "good.test"):
            answer = outbound.send(
                post(f"http://{host}:{ear[0].port}/"),
                policy=policy,
                resolver=leading_to("127.0.0.1"),
            )
            assert (answer.result, answer.detail) == ("NOT_ALLOWED", "policy.own_port at 0")
    assert (calls, heard(ear)) == ([], 0)


def test_own_ports_are_known_by_this_machines_other_addresses():
    """The address by which others reach this machine counts as its own; no packet tells it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # only asks the routing table
        except OSError:
            pytest.skip("this machine has no address but loopback")
        own = probe.getsockname()[0]
    assert outbound.Policy().is_own(ip_address(own))
    assert not outbound.Policy().is_own(ip_address("192.0.2.1"))


def test_a_redirect_is_an_answer_and_its_place_is_never_met():
    with Receiver(OK) as inner, Receiver(answering()) as outer:
        for status in (301, 302, 303, 307, 308):
            place = f"Location: {inner.url}\r\nContent-Length: 0\r\n\r\n"
            outer.script = answering(f"HTTP/1.1 {status} Elsewhere\r\n{place}".encode())
            answer = outbound.send(post(outer.url), policy=allowing("127.0.0.1"))
            assert (answer.result, answer.ok) == (f"HTTP_{status}", False)
        assert (outer.connections, inner.connections) == (5, 0)


def test_proxies_of_the_process_environment_are_not_used(monkeypatch):
    with Receiver(OK) as receiver, Receiver(OK) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        monkeypatch.delenv("no_proxy", raising=False)
        answer = outbound.send(post(receiver.url), policy=receiver.policy)
        assert (answer.result, receiver.connections, proxy.connections) == ("HTTP_204", 1, 0)
