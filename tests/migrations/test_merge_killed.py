"""P18: stopped at any statement and begun again, the merge ends with the same rows."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from io import StringIO
from urllib.parse import quote

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections

from notifications.legacy import older as older_tables
from tests.migrations import older_sample

POINTS = 50
PROJECT = older_sample.PROJECT
# In a process of its own: kill -9 before statement n.
KILLED = """
import os, signal, sys
import django
django.setup()
from django.core.management import call_command
from django.db import connection
left = int(sys.argv[1])
def count(execute, *rest):
    global left
    left -= connection.in_atomic_block
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return execute(*rest)
connection.execute_wrappers.append(count)
call_command("merge_flow_tables")
"""


class Interrupted(BaseException):
    """As Ctrl-C: nothing catches it."""


class Counter:
    """Counts the statements of the one transaction, and stops before one of them."""

    def __init__(self, stop_before=0):
        self.seen = 0
        self.stop_before = stop_before

    def __call__(self, execute, sql, params, many, context):
        self.seen += connection.in_atomic_block
        if connection.in_atomic_block and self.seen == self.stop_before:
            raise Interrupted
        return execute(sql, params, many, context)


@pytest.fixture
def many(older):
    """More rows of each kind, so that each table takes several statements."""
    day = "2026-09-05"
    older.fill(
        {
            "flow_callback": [
                (pk, 1, f"evt-{pk}", "i-1", None, 11, "http://erp/", f'{{"n":"{pk}"}}', "FAILED",
                 5, 5, None, None, None, "HTTP_500", f"{day} 09:00:00", f"{day} 09:10:00")
                for pk in range(1000, 1700)
            ],
            "flow_callback_attempt": [
                (pk * 10 + number, 1, pk, number, "AUTO", "FAILED", 500, "HTTP_500",
                 f"{day} 09:0{number}:00", f"{day} 09:0{number}:01")
                for pk in range(1000, 1700)
                for number in range(1, 6)
            ],
        }
    )  # fmt: skip
    return older


def test_fifty_interruptions_end_alike(older, monkeypatch):
    monkeypatch.setattr(older_tables, "BATCH", 2)
    counter = Counter()
    with connection.execute_wrapper(counter):
        older.merge()
    whole, theirs, schema = older.ours(), older.theirs(), older.schema()
    assert counter.seen >= POINTS
    for number in range(POINTS):
        older.forget()
        counted = Counter(1 + number * (counter.seen - 1) // (POINTS - 1))
        with pytest.raises(Interrupted), connection.execute_wrapper(counted):
            older.merge()
        assert not any(older.ours().values()), counted.stop_before
        older.merge()
        assert older.ours() == whole, counted.stop_before
    assert older.theirs() == theirs
    assert older.schema() == schema


def test_killed_processes_leave_nothing_half_done(many):
    counter = Counter()
    with connection.execute_wrapper(counter):
        many.merge()
    whole = many.ours()
    assert len(whole["flow_callback"]) == 705
    many.forget()
    environment = os.environ | {
        "DATABASE_URL": address(),
        "DJANGO_SETTINGS_MODULE": "flowadmin.settings",
    }
    for part in (0.2, 0.6, 0.97):
        done = subprocess.run(
            [sys.executable, "-c", KILLED, str(int(counter.seen * part))],
            cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert not any(many.ours().values()), part
    many.merge()
    assert many.ours() == whole


def address():
    """The address of the database of this test, for a process of its own."""
    given = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{given['NAME']}"
    scheme = "mysql" if connection.vendor == "mysql" else "postgres"
    who = f"{quote(given['USER'])}:{quote(given['PASSWORD'])}"
    return f"{scheme}://{who}@{given['HOST']}:{given['PORT']}/{given['NAME']}"


def test_several_at_once_are_as_one(many):
    """Whoever comes second waits and finds all of it moved; reliability.md 2.8 (e)."""
    said, together = [], threading.Barrier(4)

    def work():
        out = StringIO()
        try:
            together.wait()
            call_command("merge_flow_tables", stdout=out)
            said.append(out.getvalue())
        except CommandError as refused:
            said.append(str(refused))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum("flow_callback: 705 rows moved" in each for each in said) == 1, said
    assert len(many.ours()["flow_callback"]) == 705
