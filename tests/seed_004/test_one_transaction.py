"""Seed 004 S1: one transaction, IMMEDIATE, rolled back on an exception, safe after a kill."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from django.db import OperationalError, connection, transaction
from django.db.backends.sqlite3.base import DatabaseWrapper as PlainWrapper

from flowadmin.directory.models import Department, Tenant
from flowadmin.sqlite.base import DatabaseWrapper
from tests.seed_004 import contender

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="asks the SQLite file"),
]

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture
def data(tmp_path):
    """A data folder whose database has a counter at 0 and no entry."""
    _run_sql(tmp_path, "CREATE TABLE counter (id INTEGER PRIMARY KEY, value INTEGER) STRICT")
    _run_sql(tmp_path, "CREATE TABLE entry (id INTEGER PRIMARY KEY, value INTEGER) STRICT")
    _run_sql(tmp_path, "INSERT INTO counter (id, value) VALUES (1, 0)")
    return tmp_path


def _run_sql(folder, statement):
    file = sqlite3.connect(folder / "flowadmin.sqlite3")
    try:
        with file:
            return file.execute(statement).fetchall()
    finally:
        file.close()


def _start(folder, verb):
    environment = {**os.environ, "FLOWADMIN_DATA": str(folder)}
    environment.pop("DATABASE_URL", None)
    return subprocess.Popen(
        [sys.executable, "-m", "tests.seed_004.contender", verb],
        cwd=PROJECT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _open(wrapper_class, folder):
    settings = {**connection.settings_dict, "NAME": str(folder / "flowadmin.sqlite3")}
    settings["OPTIONS"] = {"timeout": 20}
    wrapper = wrapper_class(
        settings,
        "default",
    )
    wrapper.ensure_connection()
    return wrapper


def test_four_processes_read_then_write_and_none_is_turned_away(data):
    processes = [_start(data, "count_up") for _ in range(4)]
    outputs = [process.communicate()[0] for process in processes]

    assert [process.returncode for process in processes] == [0, 0, 0, 0], outputs
    total = 4 * contender.ROUNDS
    assert _run_sql(data, "SELECT value FROM counter") == [(total,)]
    assert _run_sql(data, "SELECT count(*), count(DISTINCT value) FROM entry") == [(total, total)]


def test_a_killed_process_leaves_nothing_of_its_transaction(data):
    process = _start(data, "die_inside")
    output = process.communicate()[0]

    assert process.returncode == -signal.SIGKILL, output
    assert _run_sql(data, "SELECT value FROM counter") == [(0,)]
    assert _run_sql(data, "SELECT count(*) FROM entry") == [(0,)]
    assert _run_sql(data, "PRAGMA integrity_check") == [("ok",)]

    again = _start(data, "count_up")
    again_output = again.communicate()[0]
    assert again.returncode == 0, again_output
    assert _run_sql(data, "SELECT value FROM counter") == [(contender.ROUNDS,)]


def test_an_exception_takes_everything_back():
    def half_a_command():
        tenant = Tenant.objects.create(code="t", name="T")
        Department.objects.create(tenant=tenant, code="d", name="D")
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"), transaction.atomic():
        half_a_command()

    assert not Tenant.objects.filter(code="t").exists()
    assert not Department.objects.filter(code="d").exists()


def test_the_second_reader_waits_until_the_first_has_written(data):
    """What IMMEDIATE is for: the second transaction reads what the first has left."""
    first = _open(DatabaseWrapper, data)
    seen = []
    second_begins = threading.Event()

    def second():
        wrapper = _open(DatabaseWrapper, data)
        second_begins.set()
        wrapper._start_transaction_under_autocommit()
        seen.append(wrapper.connection.execute("SELECT value FROM counter").fetchone()[0])
        wrapper.connection.execute("UPDATE counter SET value = value + 1")
        wrapper.connection.execute("COMMIT")
        wrapper.close()

    first._start_transaction_under_autocommit()
    assert first.connection.execute("SELECT value FROM counter").fetchone() == (0,)
    thread = threading.Thread(target=second)
    thread.start()
    assert second_begins.wait(20)
    first.connection.execute("UPDATE counter SET value = value + 1")
    first.connection.execute("COMMIT")
    thread.join()
    first.close()

    assert seen == [1]
    assert _run_sql(data, "SELECT value FROM counter") == [(2,)]


def test_djangos_own_backend_fails_where_ours_waits(data):
    """The reason for the backend; if Django changes this, the backend may shrink."""
    _open(DatabaseWrapper, data).close()  # sets WAL
    first, second = _open(PlainWrapper, data), _open(PlainWrapper, data)
    try:
        for wrapper in (first, second):
            wrapper._start_transaction_under_autocommit()
            with wrapper.cursor() as cursor:
                cursor.execute("SELECT value FROM counter")
                cursor.fetchall()
        with second.cursor() as cursor:
            cursor.execute("UPDATE counter SET value = value + 1")
            cursor.execute("COMMIT")
        with (
            pytest.raises(OperationalError, match="database is locked"),
            first.cursor() as cursor,
        ):
            cursor.execute("UPDATE counter SET value = value + 1")
    finally:
        first.close()
        second.close()
