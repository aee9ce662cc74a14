"""Test databases: a file in WAL mode, copied and removed with what is still in the WAL."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from django.db import connection, connections

from flowadmin.directory.models import Tenant
from flowadmin.sqlite.creation import DatabaseCreation

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="asks the SQLite file"),
]


def _files(name):
    return sorted(path.name for path in Path(name).parent.glob(f"{Path(name).name}*"))


def test_the_suite_runs_on_a_file():
    assert Path(connection.settings_dict["NAME"]).is_file()
    assert "memory" not in str(connection.settings_dict["NAME"])


def test_a_copy_has_the_rows_and_leaves_nothing_when_it_is_destroyed():
    Tenant.objects.create(code="copied", name="Copied")
    creation = DatabaseCreation(connections["default"])
    name = creation.get_test_db_clone_settings("copy")["NAME"]

    creation._clone_test_db("copy", verbosity=0)
    copy = sqlite3.connect(name)
    try:
        copy.execute("PRAGMA journal_mode = WAL")
        copy.execute("UPDATE org_tenant SET name = 'changed'")
        found = copy.execute("SELECT code FROM org_tenant WHERE code = 'copied'").fetchall()
        files_in_use = _files(name)
    finally:
        copy.close()
    Path(f"{name}-wal").touch()  # as a killed process leaves it
    creation._destroy_test_db(name, verbosity=0)

    assert found == [("copied",)]
    assert len(files_in_use) == 3
    assert _files(name) == []
    assert Tenant.objects.get(code="copied").name == "Copied"
