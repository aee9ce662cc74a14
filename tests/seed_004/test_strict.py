"""Seed 004 S5: after all migrations every table of the SQLite file is STRICT."""

from __future__ import annotations

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import IntegrityError, connection, connections, transaction

from flowadmin.sqlite import inspection

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "sqlite", reason="asks the SQLite file"),
]


def _definitions():
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        return dict(cursor.fetchall())


def test_every_table_is_strict():
    definitions = _definitions()

    assert {"django_migrations", "django_session", "axes_accessattempt"} <= definitions.keys()
    assert {"org_user", "org_tenant"} <= definitions.keys()
    assert {name for name, sql in definitions.items() if not sql.endswith(" STRICT")} == set()
    assert inspection.loose_tables(connection) == set()


def test_no_table_counts_with_autoincrement():
    definitions = _definitions()

    assert "sqlite_sequence" not in definitions
    assert {name for name, sql in definitions.items() if "AUTOINCREMENT" in sql.upper()} == set()


def test_a_wrong_type_is_refused_and_nothing_is_stored():
    before = ContentType.objects.count()

    with (
        pytest.raises(IntegrityError, match="cannot store BLOB value in TEXT column"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("INSERT INTO django_content_type (app_label, model) VALUES (x'00ff', 'b')")

    assert ContentType.objects.count() == before


def test_a_table_made_by_another_program_is_reported():
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE made_elsewhere (id INTEGER PRIMARY KEY)")

    reports = inspection.problems(
        connections["default"], {"made_elsewhere", "org_user", "not_there_yet"}
    )

    assert len(reports) == 1
    assert "not STRICT" in reports[0]
    assert "made_elsewhere" in reports[0]
    assert "org_user" not in reports[0]
