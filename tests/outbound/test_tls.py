"""Certificates are always checked, for the target's name, on connections to a checked address."""

from __future__ import annotations

import gc
import select
import socket
import ssl
import warnings
from pathlib import Path

import pytest

from flowadmin import outbound
from flowadmin.outbound import connection
from flowadmin.outbound.deadline import Deadline
from flowadmin.outbound.messages import Failed
from tests.outbound.receivers import Receiver, allowing, answering, leading_to, post, reset

OK = answering(b"HTTP/1.1 204 No Content\r\n\r\n")


def send_to(receiver, trust=None, host="receiver.test", **options):
    options = {"policy": allowing(host), "resolver": leading_to("127.0.0.1")} | options
    return outbound.send(post(f"https://{host}:{receiver.port}/"), trust=trust, **options)


def test_the_right_name_by_a_checked_address(certificates):
    asked = []
    tls = certificates.good.server()
    tls.sni_callback = lambda _socket, name, _context: asked.append(name)
    with Receiver(OK, tls=tls) as receiver:
        assert send_to(receiver, certificates.good.trust()).result == "HTTP_204"
    assert asked == ["receiver.test"]
    assert f"Host: receiver.test:{receiver.port}".encode() in receiver.heard[0]


def test_a_literal_is_checked_as_an_address(certificates):
    with Receiver(OK, tls=certificates.literal.server()) as receiver:
        trust = certificates.literal.trust()
        assert send_to(receiver, trust, "127.0.0.1").result == "HTTP_204"
    with Receiver(OK, tls=certificates.good.server()) as receiver:
        assert send_to(receiver, certificates.good.trust(), "127.0.0.1").result == "TLS"


@pytest.mark.parametrize(
    ("served", "believed"),
    [("other", "other"), ("expired", "expired"), ("good", "other"), ("good", None)],
    ids=["wrong name", "expired", "unknown signer", "self-signed"],
)
def test_a_wrong_certificate_gets_no_byte(certificates, served, believed):
    trust = getattr(certificates, believed).trust() if believed else None
    with Receiver(OK, tls=getattr(certificates, served).server()) as receiver:
        answer = send_to(receiver, trust)
    assert (answer.result, answer.status) == ("TLS", None)
    assert (receiver.connections, receiver.heard) == (1, [])


def test_old_tls_is_refused(certificates):
    tls = certificates.good.server()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        tls.minimum_version = ssl.TLSVersion.TLSv1
        tls.maximum_version = ssl.TLSVersion.TLSv1_1
        tls.set_ciphers("ALL:@SECLEVEL=0")
    with Receiver(OK, tls=tls) as receiver:
        assert send_to(receiver, certificates.good.trust()).result == "TLS"
    assert receiver.heard == []


def test_the_trust_of_the_product_itself():
    trust = connection.system_trust()
    assert trust.check_hostname
    assert trust.verify_mode is ssl.CERT_REQUIRED
    assert trust.minimum_version is ssl.TLSVersion.TLSv1_2


@pytest.mark.parametrize(
    ("manners", "result"),
    [
        (lambda zoo, opened: opened.sendall(b"SSH-2.0-OpenSSH_9.2\r\n"), "TLS"),
        (lambda zoo, opened: opened.recv(9999), "CONNECTION"),
        (lambda zoo, opened: reset(opened), "CONNECTION"),
        (lambda zoo, opened: zoo.stopped.wait(60), "TIMEOUT"),
        (lambda zoo, opened: (opened.sendall(b"\x16\x03\x03\x40\x00"), zoo.drip(opened, b"\x02")),
         "TIMEOUT"),
    ],
    ids=["speaks before", "closes", "resets", "hangs", "drips"],
)  # fmt: skip
def test_a_handshake_that_does_not_come_about(manners, result):
    with Receiver(manners) as receiver:
        assert send_to(receiver, deadline_seconds=0.5).result == result


def test_failed_handshakes_leave_nothing_open(certificates):
    with Receiver(OK, tls=certificates.other.server()) as receiver:
        send_to(receiver, certificates.good.trust())
        receiver._threads[-1].join(10)
        before = len(list(Path("/proc/self/fd").iterdir()))
        for _ in range(20):
            assert send_to(receiver, certificates.good.trust()).result == "TLS"
            receiver._threads[-1].join(10)
        assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_a_reset_before_tls_begins_leaves_nothing_open():
    """The other side is gone before `wrap_socket` looks: its half-made socket is closed too."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        opened = socket.create_connection(server.getsockname())
        reset(server.accept()[0])
        reset_seen = select.poll()
        reset_seen.register(opened, select.POLLIN)
        assert reset_seen.poll(5000), "the reset has not arrived"
    target = outbound.check(post("https://receiver.test/"), allowing("receiver.test"))
    with pytest.raises(Failed) as failed:
        connection.secure(opened, target, Deadline(5.0), ssl.create_default_context())
    assert failed.value.code == "CONNECTION"
    del opened
    gc.collect()  # an open socket would be told as a ResourceWarning, which is an error here
