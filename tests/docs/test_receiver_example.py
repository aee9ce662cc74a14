"""P42: the receiver of docs/how-to/receive-callbacks.md does its work once for each event."""

from __future__ import annotations

import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.conf import settings
from django.test import override_settings

from flowadmin.reachable import read_reachable
from notifications import delivery
from notifications.actions import callbacks
from tests.notifications import posted
from workflow.actions.keeping_targets import keep_target

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "receive-callbacks.md"
SECRET = "whsec_" + "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVoxMjM0NTY="


@pytest.fixture
def port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number = probe.getsockname()[1]
    entry = read_reachable(f"127.0.0.1:{number}")
    allowed = replace(settings.ENVIRONMENT, callback_allow=(entry,))
    with override_settings(ENVIRONMENT=allowed):
        yield number


@contextmanager
def running(folder, port, change=lambda code: code):
    """The example as a process of its own, with a change to its code."""
    [code] = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    script = folder / "receiver.py"
    script.write_text(change(code), encoding="utf-8")
    environment = {
        "WEBHOOK_SECRET": SECRET, "DATABASE": str(folder / "books.sqlite3"), "PORT": str(port),
    }  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", str(script)], env=environment, stderr=subprocess.DEVNULL
    )
    try:
        until = time.monotonic() + 20
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield process
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait(10)


def booked(folder):
    connection = sqlite3.connect(folder / "books.sqlite3")
    try:
        return connection.execute("SELECT request, amount FROM bookings").fetchall()
    finally:
        connection.close()


@pytest.fixture
def now():
    """The receiver compares the time of the signature with its own clock."""
    return datetime.now(UTC)


def test_duplicates_of_a_killed_delivery_change_its_data_once(ann, bao, now, port, tmp_path):
    keep_target(
        tenant_id=ann.tenant_id, key="erp", url=f"http://127.0.0.1:{port}/", secret=SECRET,
        https_only=False, fields=["amount"], now=now,
    )  # fmt: skip
    request = posted.filed(ann, posted.lead(), now=now)
    posted.approve(bao, request, now=now)

    def dies(code):
        return code.replace("            self.send_response(204)", "            os._exit(9)")

    def dies_early(code):
        return code.replace(
            "            if new and", "            os._exit(9)\n            if new and"
        )

    pk = posted.only().pk

    def attempt():
        """One attempt, when it is due by the row's own clock."""
        claimed = callbacks.claim(pk, "one", posted.only().next_attempt_at or now)
        assert claimed is not None
        outcome = delivery.post(claimed.callback, now)
        callbacks.settle(claimed, outcome, now)
        return outcome

    once = [(request.number, "12000.00")]
    for change, books in ((dies_early, []), (dies, once), (dies, once)):
        with running(tmp_path, port, change):
            assert not attempt().ok
        assert booked(tmp_path) == books
    with running(tmp_path, port):
        assert attempt().ok
    assert (posted.only().status, posted.only().result) == ("SUCCEEDED", "HTTP_204")
    assert booked(tmp_path) == once


def test_it_refuses_what_is_not_signed(ann, bao, now, port, tmp_path):
    keep_target(
        tenant_id=ann.tenant_id, key="erp", url=f"http://127.0.0.1:{port}/", https_only=False,
        fields=["*"], now=now,
    )  # fmt: skip
    posted.approve(bao, posted.filed(ann, posted.lead(), now=now), now=now)
    with running(tmp_path, port):
        posted.go(now)
    assert posted.only().result == "HTTP_401"
    assert booked(tmp_path) == []
