"""What FlowAdmin's SQLite backend can do, where that differs from Django's."""

from __future__ import annotations

from django.db.backends.sqlite3 import features as django_sqlite


class DatabaseFeatures(django_sqlite.DatabaseFeatures):
    """Django's features; tests run on a file, so they may open several connections."""

    minimum_database_version = (3, 37)  # STRICT tables (seed 004)
    supports_json_field = True  # built in; Django would open the database to find out
    test_db_allows_multiple_connections = True
