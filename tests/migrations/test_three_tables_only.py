"""P14: an installation of the older script gets our three tables, and no other one is altered."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from django.core.management import CommandError
from django.db import connection

from flowadmin.older_tables import OlderTableInTheWay, make_room
from notifications.models import Callback
from tests.migrations import older_sample
from tests.migrations.test_merge_killed import address

# In a process of its own, on a database that holds nothing but the five older tables.
UPGRADE = """
import json
import django
django.setup()
from django.core.management import call_command
from tests.migrations import older_sample
older_sample.make(aside=False)
older_sample.fill(aside=False)
call_command("migrate", verbosity=0)
older_sample.people()
older_sample.merge()
shown = [older_sample.schema(), older_sample.ours(), older_sample.theirs()]
print(json.dumps(shown, default=str))
"""


@pytest.fixture
def another_database(transactional_db, tmp_path):
    """The address of an empty database on the server of this test run."""
    del transactional_db
    if connection.vendor == "sqlite":
        yield f"sqlite:///{tmp_path}/older.sqlite3"
        return
    name = f"{connection.settings_dict['NAME']}_older"
    suffix = connection.creation.sql_table_creation_suffix()
    older_sample.run(f"DROP DATABASE IF EXISTS {name}")
    older_sample.run(f"CREATE DATABASE {name} {suffix}")
    yield address().rpartition("/")[0] + f"/{name}"
    older_sample.run(f"DROP DATABASE {name}")


def plain(value):
    """As JSON tells it, so that what two processes found can be compared."""
    return json.loads(json.dumps(value, default=str))


def test_an_upgrade_of_a_real_database(another_database, older):
    older.merge()
    expected = [plain(each) for each in (older.schema(), older.ours(), older.theirs())]
    done = subprocess.run(
        [sys.executable, "-c", UPGRADE],
        cwd=older.PROJECT,
        env=os.environ
        | {"DATABASE_URL": another_database, "DJANGO_SETTINGS_MODULE": "flowadmin.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    schema, ours, theirs = json.loads(done.stdout)
    assert schema == expected[0]
    assert [ours, theirs] == expected[1:]


def test_tables_that_are_loaded_after_migrate_make_room_too(older):
    schema, theirs = older.schema(), older.theirs()
    older.run("DROP TABLE flow_callback")
    older.run("ALTER TABLE flow_callback_legacy RENAME TO flow_callback")
    for way in ("--check", "--dry-run", "--drop-legacy"):
        with pytest.raises(CommandError, match=r"[Rr]un migrate first|merge_flow_tables first"):
            older.merge(way)
    assert "flow_callback_legacy" not in older.schema()
    assert "Made flow_callback" in older.merge()
    assert older.schema() == schema
    assert older.theirs() == theirs


def test_what_a_killed_migrate_left_is_made_anew_and_rows_are_kept(older):
    """Where DDL cannot be taken back, each step leaves something to go on from."""
    with connection.schema_editor() as editor:
        assert make_room(editor, Callback)  # empty: it may lack its indexes
    assert "flow_callback" not in older.schema()
    with connection.schema_editor() as editor:
        assert make_room(editor, Callback)  # absent
        editor.create_model(Callback)
    older.merge()
    with connection.schema_editor() as editor:
        assert not make_room(editor, Callback)
    assert Callback.objects.count() == 5
    before = older.theirs()
    older.run("ALTER TABLE flow_callback RENAME TO kept_aside")
    older.run("CREATE TABLE flow_callback (id BIGINT PRIMARY KEY)")
    try:
        with pytest.raises(OlderTableInTheWay), connection.schema_editor() as editor:
            make_room(editor, Callback)
        assert older.theirs() == before
    finally:
        older.run("DROP TABLE flow_callback")
        older.run("ALTER TABLE kept_aside RENAME TO flow_callback")
