"""Real receivers for the calls of `http` steps, and the short way to have a call sent."""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

from django.conf import settings
from django.db import connections
from django.test import override_settings

from flowadmin import clock
from flowadmin.reachable import read_reachable
from tests.outbound.receivers import Receiver
from workflow.jobs import ask_outside
from workflow.models import Call
from workflow.runtime import asking_outside, steps


def answer(status=200, body=b"", head=""):
    """The bytes of an answer."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return f"HTTP/1.1 {status} X\r\n{head}Content-Length: {len(raw)}\r\n\r\n".encode() + raw


@contextmanager
def listening(*answers):
    """A receiver on loopback, which this installation may reach; the last answer goes on."""
    left = list(answers)

    def script(receiver, opened):
        receiver.read(opened)
        given = left.pop(0) if len(left) > 1 else left[0]
        opened.sendall(given(receiver) if callable(given) else given)

    with Receiver(script) as receiver, reaching(receiver):
        yield receiver


def reaching(*receivers):
    """The installation's own list names these receivers."""
    entries = tuple(read_reachable(f"{each.host}:{each.port}") for each in receivers)
    return override_settings(ENVIRONMENT=replace(settings.ENVIRONMENT, callback_allow=entries))


def http_step(url, **members):
    """An `http` step to this address."""
    step = {"id": "call", "kind": "http", "name": "Call", "method": "POST", "url": url}
    return step | {"headers": {}, "body": "", "mode": "need_2xx"} | members


def heard(receiver, number=-1):
    """Request line, headers (names in lower case) and body of what a receiver was sent."""
    head, _, body = receiver.heard[number].partition(b"\r\n\r\n")
    line, *rest = head.decode("latin-1").split("\r\n")
    headers = dict(each.split(": ", 1) for each in rest)
    return line, {name.lower(): value for name, value in headers.items()}, body.decode()


def send(owner="one", at=None):
    """Make the attempts that are due, at a moment or now; how many."""
    moment = at or clock.now()
    return asking_outside.send_due(owner, lambda: moment)


def take_up(at):
    """Do what workers do for steps that ask outside, at that moment; how many were done."""
    done = 0
    for job_id in steps.due(at, outside=True):
        claimed = steps.claim(job_id, "one", at, outside=True)
        assert claimed is not None
        done += asking_outside.carry_out(claimed, at)
    return done


def go():
    """Take up the step, send, and give the answer to the request."""
    ask_outside()
    send()
    ask_outside()


def later():
    """A moment at which every retry is due."""
    return max([*Call.objects.values_list("due_at", flat=True), clock.now()]) + timedelta(
        seconds=1
    )


def close_after(run):
    """The same, for a thread: its connection to the database ends with it."""

    def whole():
        try:
            run()
        finally:
            connections.close_all()

    return whole
