"""Statements of FlowAdmin's SQLite backend that differ from Django's."""

from __future__ import annotations

from typing import Any

from django.db.backends.sqlite3 import operations as django_sqlite


class DatabaseOperations(django_sqlite.DatabaseOperations):
    """Django's operations without the table sqlite_sequence, which only AUTOINCREMENT makes."""

    def sequence_reset_by_name_sql(self, style: Any, sequences: Any) -> list[str]:
        """Nothing to reset: an empty table counts from 1 by itself."""
        return []
