"""Seed 004 S3: WAL, FULL unless NORMAL is chosen, and the rest that every connection must have."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, connections

from flowadmin.sqlite import inspection
from flowadmin.sqlite.base import DatabaseWrapper

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "sqlite", reason="asks the SQLite file"),
]

OFTEN_FORGOTTEN = {
    "journal_mode": "wal",
    "foreign_keys": 1,
    "busy_timeout": 20_000,
    "temp_store": 2,
    "cache_size": -65_536,
    "wal_autocheckpoint": 8_000,
    "journal_size_limit": 64 * 1024 * 1024,
}


@pytest.fixture
def another(tmp_path):
    """Opens connections to a file of their own, with given OPTIONS."""
    opened = []

    def connect(name=None, **options):
        settings = {**connection.settings_dict, "OPTIONS": options}
        settings["NAME"] = str(tmp_path / "new folder" / "x.sqlite3") if name is None else name
        wrapper = DatabaseWrapper(settings, "another")
        opened.append(wrapper)
        wrapper.ensure_connection()
        return wrapper

    yield connect
    for wrapper in opened:
        wrapper.close()


@pytest.mark.parametrize(("name", "value"), OFTEN_FORGOTTEN.items())
def test_the_products_own_connection(name, value):
    assert inspection.pragma(connection, name) == value


def test_the_products_own_connection_has_no_problem():
    assert getattr(connection, "transaction_mode", None) == "IMMEDIATE"
    assert (
        inspection.problems(connections["default"], connection.introspection.table_names()) == []
    )


@pytest.mark.parametrize(
    ("options", "level"), [({}, 2), ({"synchronous": "FULL"}, 2), ({"synchronous": "NORMAL"}, 1)]
)
def test_full_by_default_and_normal_by_choice(another, options, level):
    assert inspection.pragma(another(**options), "synchronous") == level


def test_a_new_file_is_wal_from_its_first_connection(another):
    assert inspection.pragma(another(), "journal_mode") == "wal"


@pytest.mark.parametrize(
    ("options", "name", "message"),
    [
        ({"transaction_mode": "DEFERRED"}, None, "transaction_mode IMMEDIATE"),
        ({"synchronous": "OFF"}, None, "FULL or NORMAL"),
        ({}, ":memory:", "cannot be in memory"),
        ({}, "file:x?mode=memory", "cannot be in memory"),
    ],
)
def test_what_would_lose_work_is_refused(another, options, name, message):
    with pytest.raises(ImproperlyConfigured, match=message):
        another(name, **options)


def test_a_connection_that_was_changed_is_reported(another):
    wrapper = another()
    for statement in (
        "PRAGMA journal_mode = DELETE",
        "PRAGMA foreign_keys = OFF",
        "PRAGMA synchronous = OFF",
    ):
        wrapper.connection.execute(statement)
    wrapper.transaction_mode = "DEFERRED"

    reports = " ".join(inspection.problems(wrapper, ()))

    for word in ("IMMEDIATE", "not WAL", "foreign keys", "synchronous"):
        assert word in reports
