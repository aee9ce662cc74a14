"""The name lookup: real names, unknown ones, lookups that hang, and deadlines by a given clock."""

from __future__ import annotations

import socket
import threading
from ipaddress import ip_address

import pytest

from flowadmin import outbound
from flowadmin.outbound import resolver
from flowadmin.outbound.deadline import Deadline
from flowadmin.outbound.messages import Failed, Result
from tests.outbound.receivers import post


def test_a_real_name():
    found = resolver.resolve("localhost", 5.0)
    assert set(found) <= {ip_address("127.0.0.1"), ip_address("::1")}
    assert len(found) == len(set(found)) > 0


@pytest.fixture
def lookup(monkeypatch):
    """`lookup(function)` stands in for the system's resolver."""
    return lambda function: monkeypatch.setattr(socket, "getaddrinfo", function)


def test_an_unknown_name(lookup):
    def unknown(*_arguments, **_options):
        raise socket.gaierror(socket.EAI_NONAME, "not known")

    lookup(unknown)
    answer = outbound.send(post("http://good.test/"), policy=outbound.CLOSED)
    assert (answer.result, "not known" in answer.detail) == ("CONNECTION", True)


@pytest.mark.parametrize("rows", [[], [(0, 0, 0, "", ("nonsense", 0))]])
def test_an_answer_without_addresses(lookup, rows):
    lookup(lambda *_arguments, **_options: rows)
    assert outbound.send(post("http://good.test/"), policy=outbound.CLOSED).result == "CONNECTION"


def test_a_mapped_answer_is_judged_by_what_is_in_it(lookup):
    lookup(lambda *_arguments, **_options: [(0, 0, 0, "", ("::ffff:10.0.0.1", 0, 0, 0))])
    assert resolver.resolve("good.test", 5.0) == (ip_address("10.0.0.1"),)
    assert outbound.send(post("http://good.test/"), policy=outbound.CLOSED).result == "NOT_ALLOWED"


def test_lookups_that_hang_hold_nobody_and_never_more_than_a_few_threads(lookup):
    gate, before = threading.Event(), threading.active_count()

    def hanging(*_arguments, **_options):
        gate.wait(60)
        return []

    lookup(hanging)
    try:
        for _ in range(resolver.LOOKUPS + 3):
            with pytest.raises(Failed) as caught:
                resolver.resolve("slow.test", 0.01)
            assert caught.value.code is Result.TIMEOUT
        assert threading.active_count() - before == resolver.LOOKUPS
        answer = outbound.send(
            post("http://good.test/"), policy=outbound.CLOSED, deadline_seconds=0.05
        )
        assert answer.result == "TIMEOUT"
    finally:
        gate.set()
    for thread in threading.enumerate():
        if thread.name == "outbound-lookup":
            thread.join(10)
    # The places are free again.
    lookup(lambda *_arguments, **_options: [(0, 0, 0, "", ("8.8.8.8", 0))])
    for _ in range(resolver.LOOKUPS + 1):
        assert resolver.resolve("good.test", 5.0) == (ip_address("8.8.8.8"),)


def test_a_deadline_counts_the_whole():
    clock = [100.0]
    deadline = Deadline(10, lambda: clock[0])
    part = deadline.part(3)
    clock[0] = 102.0
    assert (deadline.left("x"), part.left("x"), deadline.spent()) == (8.0, 1.0, 2.0)
    clock[0] = 109.0
    assert deadline.part(3).left("x") == 1.0
    with pytest.raises(Failed):
        part.left("x")
    clock[0] = 110.0
    with pytest.raises(Failed, match="while dreaming") as caught:
        deadline.left("dreaming")
    assert caught.value.code is Result.TIMEOUT
    with pytest.raises(Failed):
        deadline.part(3).left("x")
