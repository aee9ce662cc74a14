"""Ask an open SQLite connection whether it is what FlowAdmin's correctness rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flowadmin.sqlite.base import SYNCHRONOUS_LEVELS, DatabaseWrapper

if TYPE_CHECKING:
    from collections.abc import Collection

    from django.db.backends.base.base import BaseDatabaseWrapper


def problems(connection: BaseDatabaseWrapper, tables: Collection[str]) -> list[str]:
    """Say in words what is wrong with the live connection and with which of ``tables``.

    Tables that do not exist yet are no problem. Source: decision 7, seed 004 S1, S3 and S5.
    """
    if not isinstance(connection, DatabaseWrapper):
        return ["The SQLite database is opened by another backend than flowadmin.sqlite."]
    found: list[str] = []
    if connection.transaction_mode != "IMMEDIATE":
        found.append(
            "SQLite transactions are not IMMEDIATE: a decision could fail with 'database is "
            "locked'. Remove transaction_mode from the OPTIONS of DATABASES."
        )
    pragmas = {name: pragma(connection, name) for name in ("journal_mode", "foreign_keys")}
    if pragmas["journal_mode"] != "wal":
        found.append(
            f"The SQLite file's journal mode is {pragmas['journal_mode']}, not WAL. Is the folder "
            "FLOWADMIN_DATA on a local disk that can be written?"
        )
    if pragmas["foreign_keys"] != 1:
        found.append("SQLite does not check foreign keys on this connection.")
    if pragma(connection, "synchronous") != SYNCHRONOUS_LEVELS[connection.synchronous]:
        found.append(f"SQLite's synchronous level is not {connection.synchronous}, as was asked.")
    loose = sorted(set(tables) & loose_tables(connection))
    if loose:
        found.append(
            f"These tables are not STRICT and keep values of a wrong type: {', '.join(loose)}. "
            "They were made by another program: load the data into a database made by migrate."
        )
    return found


def pragma(connection: BaseDatabaseWrapper, name: str) -> object:
    """The value of a pragma on this connection."""
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {name}")
        return cursor.fetchone()[0]


def loose_tables(connection: BaseDatabaseWrapper) -> set[str]:
    """The names of all tables, SQLite's own aside, that are not STRICT."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT name FROM pragma_table_list "
            "WHERE type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
        )
        return {str(name) for (name,) in cursor.fetchall()}
