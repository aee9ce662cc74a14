"""Every table that migrations make on SQLite is STRICT: a wrong type is refused, not kept.

Only the text of CREATE TABLE and ADD COLUMN changes. Everywhere else Django goes on naming its own
types, because it decides by those names (casts of dates, comparisons of old and new columns).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import NotSupportedError
from django.db.backends.sqlite3 import schema as django_sqlite

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.db.models import Field

# Django's names that do not follow SQLite's own rule of affinity, which is the fallback below.
STRICT_TYPES = {
    "bool": "INTEGER",
    "boolean": "INTEGER",
    "date": "TEXT",
    "datetime": "TEXT",
    "decimal": "REAL",
    "numeric": "REAL",
    "time": "TEXT",
    "timestamp": "TEXT",
    "uuid": "TEXT",
    "json": "TEXT",
}
AFFINITIES = (
    ("int", "INTEGER"),
    ("char", "TEXT"),
    ("clob", "TEXT"),
    ("text", "TEXT"),
    ("blob", "BLOB"),
    ("real", "REAL"),
    ("floa", "REAL"),
    ("doub", "REAL"),
)


def strict_type(declared: str) -> str:
    """The type of a STRICT table for a type that Django declares, such as ``varchar(30)``.

    Raises NotSupportedError for a type of which SQLite would not know the affinity.
    """
    name = declared.split("(", 1)[0].strip().lower()
    if name in STRICT_TYPES:
        return STRICT_TYPES[name]
    for part, strict in AFFINITIES:
        if part in name:
            return strict
    raise NotSupportedError(f"SQLite has no strict type for a column declared as {declared!r}.")


class DatabaseSchemaEditor(django_sqlite.DatabaseSchemaEditor):
    """Django's schema editor with STRICT tables and virtual generated columns."""

    sql_create_table = "CREATE TABLE %(table)s (%(definition)s) STRICT"

    def _iter_column_sql(self, column_db_type: str, *args: Any) -> Iterator[str]:
        # The base class is a generator whose first item is the type it was given.
        yield from super()._iter_column_sql(strict_type(column_db_type), *args)  # type: ignore[misc]  # not in the stubs

    def _column_generated_sql(self, field: Field[Any, Any]) -> tuple[str, Any]:
        # Models declare db_persist=True, since PostgreSQL before 18 can only store. SQLite
        # computes on reading and an index holds the values: nothing is stored twice.
        sql, params = super()._column_generated_sql(field)  # type: ignore[misc]  # not in the stubs
        return f"{sql.removesuffix('STORED').removesuffix('VIRTUAL')}VIRTUAL", params
