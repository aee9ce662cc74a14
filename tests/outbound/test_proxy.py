"""The operator's proxy: it is told the checked address, and its answers are not the target's."""

from __future__ import annotations

import base64
import socket
from contextlib import suppress
from threading import Thread

import pytest

from flowadmin import outbound
from flowadmin.reachable import Proxy
from tests.outbound.receivers import (
    Receiver,
    allowing,
    answering,
    leading_to,
    network_calls,
    post,
)

OK = answering(b"HTTP/1.1 204 No Content\r\n\r\n")


def tunnels(zoo, opened):
    """CONNECT as a proxy does it: to where it is told, then bytes both ways."""
    head, _ = zoo.read(opened)
    host, _, port = head.split()[1].decode().rpartition(":")
    try:
        other = socket.create_connection((host.strip("[]"), int(port)), timeout=10)
    except OSError:
        opened.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
        return
    with other:
        opened.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        back = Thread(target=carry, args=(other, opened), daemon=True)
        back.start()
        carry(opened, other)
        back.join(10)


def carry(source, sink):
    with suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)


def by(proxy, *entries, **options):
    return allowing(*entries, proxy=Proxy("127.0.0.1", proxy.port, **options))


def test_a_plain_request_goes_through_a_tunnel():
    with Receiver(OK) as receiver, Receiver(tunnels) as proxy:
        answer = outbound.send(
            post(f"http://receiver.test:{receiver.port}/"),
            policy=by(proxy, "receiver.test"),
            resolver=leading_to("127.0.0.1"),
        )
    assert answer.result == "HTTP_204"
    place = f"127.0.0.1:{receiver.port}".encode()
    assert proxy.heard == [b"CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (place, place)]
    assert f"Host: receiver.test:{receiver.port}".encode() in receiver.heard[0]


def test_a_secured_request_is_secured_to_its_end(certificates):
    with (
        Receiver(OK, tls=certificates.good.server(), host="::1") as receiver,
        Receiver(tunnels) as proxy,
    ):
        url = f"https://receiver.test:{receiver.port}/"
        options = {"policy": by(proxy, "receiver.test"), "resolver": leading_to("::1")}
        good, other = certificates.good.trust(), certificates.other.trust()
        assert outbound.send(post(url), trust=good, **options).result == "HTTP_204"
        assert outbound.send(post(url), trust=other, **options).result == "TLS"
    assert proxy.heard[0].startswith(f"CONNECT [::1]:{receiver.port} ".encode())


def test_name_and_password_are_for_the_proxy_alone():
    with Receiver(OK) as receiver, Receiver(tunnels) as proxy:
        policy = by(proxy, "127.0.0.1", user="me", password="pä:ss")
        assert outbound.send(post(receiver.url), policy=policy).result == "HTTP_204"
    pair = base64.b64encode("me:pä:ss".encode())
    assert b"Proxy-Authorization: Basic " + pair in proxy.heard[0]
    assert b"proxy" not in receiver.heard[0].lower()
    assert "pä" not in repr(policy)


def test_the_guard_stays_in_force():
    with Receiver(tunnels) as proxy, network_calls() as calls:
        for url, resolver in (
            ("http://127.0.0.1/", leading_to()),
            ("http://good.test/", leading_to("8.8.8.8", "10.0.0.1")),
            ("http://good.test:25/", leading_to("8.8.8.8")),
        ):
            answer = outbound.send(post(url), policy=by(proxy), resolver=resolver)
            assert answer.result == "NOT_ALLOWED"
    assert (calls, proxy.connections) == ([], 0)


@pytest.mark.parametrize(
    ("speech", "result"),
    [
        (b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", "CONNECTION"),
        (b"HTTP/1.1 407 Who\r\nContent-Length: 0\r\n\r\n", "CONNECTION"),
        (b"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", "PROTOCOL"),
        (b"\x05\x00", "PROTOCOL"),
        (b"", "CONNECTION"),
    ],
)
def test_a_proxy_that_does_not_tunnel(speech, result):
    with Receiver(answering(speech)) as proxy:
        answer = outbound.send(post("http://8.8.8.8/"), policy=by(proxy))
    assert (answer.result, answer.status, answer.ok) == (result, None, False)


def test_a_proxy_that_hangs():
    with Receiver(lambda zoo, opened: zoo.stopped.wait(60)) as proxy:
        answer = outbound.send(post("http://8.8.8.8/"), policy=by(proxy), deadline_seconds=0.5)
    assert answer.result == "TIMEOUT"


def test_the_next_address_is_tried_when_the_proxy_cannot_reach_one():
    with Receiver(OK) as receiver, Receiver(tunnels) as proxy:
        answer = outbound.send(
            post(f"http://receiver.test:{receiver.port}/"),
            policy=by(proxy, "receiver.test"),
            resolver=leading_to("127.0.0.9", "127.0.0.1"),
        )
    assert (answer.result, proxy.connections) == ("HTTP_204", 2)


def test_the_proxy_may_have_a_name():
    with Receiver(OK) as receiver, Receiver(tunnels) as proxy:
        resolver = leading_to("127.0.0.1")
        policy = allowing("receiver.test", proxy=Proxy("proxy.test", proxy.port))
        url = f"http://receiver.test:{receiver.port}/"
        assert outbound.send(post(url), policy=policy, resolver=resolver).result == "HTTP_204"
    assert resolver.asked == ["receiver.test", "proxy.test"]
