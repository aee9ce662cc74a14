"""Django's SQLite backend with the settings that FlowAdmin's correctness rests on.

Why each of them is here and not in a settings file (decision 7; reliability, section 0):

* ``BEGIN IMMEDIATE``: a transaction takes the write lock before it reads. With the deferred kind,
  two read-then-write transactions meet and one fails at once with "database is locked", whatever
  the timeout; and Django leaves ``select_for_update`` out on SQLite without a word, so this lock
  is what puts two approvals of one request in line.
* WAL: readers never wait for the writer, and a killed process leaves a file that opens clean.
* ``synchronous=FULL``: with WAL an acknowledged commit then also outlives a power cut. NORMAL is
  a choice of the installation (``FLOWADMIN_SQLITE_SYNCHRONOUS``) and may lose the last commits.
* a 20 second busy timeout: waiting for the lock is unfair; five seconds were seen to be too short.
* foreign keys are on (Django does that), STRICT tables (``flowadmin.sqlite.schema``).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ImproperlyConfigured
from django.db.backends.sqlite3 import base as django_sqlite

from flowadmin.sqlite.creation import DatabaseCreation
from flowadmin.sqlite.features import DatabaseFeatures
from flowadmin.sqlite.operations import DatabaseOperations
from flowadmin.sqlite.schema import DatabaseSchemaEditor

if TYPE_CHECKING:
    import sqlite3

BUSY_TIMEOUT_SECONDS = 20
SYNCHRONOUS_LEVELS = {"NORMAL": 1, "FULL": 2}
CACHED_STATEMENTS = 512  # Django's statements are many and long; preparing one again costs more

# The WAL is copied back after 8000 pages (31 MiB) in place of SQLite's 1000: +15 % on short
# transactions. After a copy the file is cut back to the limit, so a long reader leaves no giant.
WAL_AUTOCHECKPOINT_PAGES = 8000
WAL_SIZE_LIMIT_BYTES = 64 * 1024 * 1024
CACHE_KIBIBYTES = 65536


class DatabaseWrapper(django_sqlite.DatabaseWrapper):
    """One connection to FlowAdmin's SQLite file.

    ``OPTIONS`` knows ``synchronous`` (FULL or NORMAL) and ``timeout`` (seconds). Another
    transaction mode than IMMEDIATE, and a database in memory, raise ImproperlyConfigured.
    """

    display_name = "SQLite (FlowAdmin)"
    # Without AUTOINCREMENT an INTEGER PRIMARY KEY counts on from the largest id that is there,
    # and each insert saves a second write (sqlite_sequence).
    data_types_suffix: dict[str, str] = {}
    data_type_check_constraints = {
        **django_sqlite.DatabaseWrapper.data_type_check_constraints,
        "BooleanField": '"%(column)s" IN (0, 1)',
    }

    SchemaEditorClass = DatabaseSchemaEditor
    creation_class = DatabaseCreation
    features_class = DatabaseFeatures
    ops_class = DatabaseOperations

    transaction_mode: str | None
    synchronous = "FULL"

    def get_connection_params(self) -> dict[str, Any]:
        """Read OPTIONS (decision 7). Raises ImproperlyConfigured for what would lose work."""
        params: dict[str, Any] = {
            "timeout": BUSY_TIMEOUT_SECONDS,
            **super().get_connection_params(),
        }
        if self.is_in_memory_db():
            raise ImproperlyConfigured(
                "FlowAdmin's SQLite database cannot be in memory: several processes share it. "
                "Set DATABASE_URL or FLOWADMIN_DATA to a place on a disk."
            )
        if self.transaction_mode not in {None, "IMMEDIATE"}:
            raise ImproperlyConfigured(
                "FlowAdmin's SQLite database needs transaction_mode IMMEDIATE, "
                f"not {self.transaction_mode}."
            )
        self.transaction_mode = "IMMEDIATE"
        self.synchronous = str(params.pop("synchronous", "FULL")).upper()
        if self.synchronous not in SYNCHRONOUS_LEVELS:
            raise ImproperlyConfigured(
                f"FLOWADMIN_SQLITE_SYNCHRONOUS must be FULL or NORMAL, not {self.synchronous!r}."
            )
        # Columns are declared INTEGER, REAL, TEXT or BLOB, so there is no declared type left that
        # a converter could go by; Django's own converters know the field.
        params["detect_types"] = 0
        params["cached_statements"] = CACHED_STATEMENTS
        return params

    def get_new_connection(self, conn_params: dict[str, Any]) -> sqlite3.Connection:
        """Open the file, making its folder on the first start, and set the pragmas."""
        Path(conn_params["database"]).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        connection: sqlite3.Connection = super().get_new_connection(conn_params)
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        # Asking is free; only the first start of a file changes the mode, under the busy timeout.
        if _pragma(connection, "journal_mode") != "wal":
            connection.execute("PRAGMA journal_mode = WAL")
        for statement in (
            f"PRAGMA synchronous = {self.synchronous}",
            "PRAGMA temp_store = MEMORY",
            f"PRAGMA cache_size = -{CACHE_KIBIBYTES}",
            f"PRAGMA wal_autocheckpoint = {WAL_AUTOCHECKPOINT_PAGES}",
            f"PRAGMA journal_size_limit = {WAL_SIZE_LIMIT_BYTES}",
        ):
            connection.execute(statement)


def _pragma(connection: sqlite3.Connection, name: str) -> object:
    row = connection.execute(f"PRAGMA {name}").fetchone()
    return row[0]
