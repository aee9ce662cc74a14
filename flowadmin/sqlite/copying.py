"""Copies of a SQLite file while people work on it, and giving its free space back.

Theory of operation. The copy is taken in one step of SQLite's own backup, which reads one moment
of the file and, under WAL, lets the writers go on. What comes out is a single file without side
files, and it is looked at before anybody is told that it is there.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from django.db.backends.base.base import BaseDatabaseWrapper

MOST_FAULTS = 20
WAL_SUFFIX = "-wal"


class UnsoundCopy(Exception):
    """The copy is not what SQLite calls sound; the original may not be either."""

    code = "backup.unsound"

    def __init__(self, faults: list[str]) -> None:
        self.faults = tuple(faults)
        super().__init__(
            f"The copy of the database is not sound: {'; '.join(faults)}. Run `manage.py doctor`."
        )


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes of the file, of its WAL, and of the pages in the file that hold nothing."""

    file: int
    wal: int
    free: int


def copy(source: Path, target: Path) -> None:
    """Copy a file that is in use to ``target``, which must not exist; one moment of it.

    Raises UnsoundCopy after the copy was checked; sqlite3.Error when it cannot be read or written.
    Source: seed 004 S7.
    """
    with (
        closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as reading,
        closing(sqlite3.connect(target)) as writing,
    ):
        reading.backup(writing, pages=-1)
        # Not WAL: one file that can be moved. FlowAdmin sets it again when it opens the file.
        writing.execute("PRAGMA journal_mode = DELETE")
    faults = faults_of(target)
    if faults:
        raise UnsoundCopy(faults)


def faults_of(file: Path) -> list[str]:
    """What SQLite's own checks say against a file that nobody uses; empty when it is sound."""
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as reading:
        found = [
            str(text)
            for (text,) in reading.execute(f"PRAGMA integrity_check({MOST_FAULTS})")
            if text != "ok"
        ]
        broken = reading.execute("PRAGMA foreign_key_check").fetchmany(MOST_FAULTS)
    return found + [f"{table} row {row}: no such {parent}" for table, row, parent, _key in broken]


def sizes_of(connection: BaseDatabaseWrapper, file: Path) -> Sizes:
    """How large the file is now, in bytes."""
    wal = file.with_name(file.name + WAL_SUFFIX)
    page = int(_ask(connection, "page_size"))
    return Sizes(
        # Not what the disk says: of that the newest pages are still in the WAL.
        file=int(_ask(connection, "page_count")) * page,
        wal=wal.stat().st_size if wal.exists() else 0,
        free=int(_ask(connection, "freelist_count")) * page,
    )


def give_back(connection: BaseDatabaseWrapper) -> None:
    """Write the whole file anew without its free pages. Nobody else may have it open.

    It holds the write lock until it is done, so others would fail after their busy timeout.
    """
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")


def count_anew(connection: BaseDatabaseWrapper) -> None:
    """Let SQLite count again what it chooses its indexes by."""
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def empty_wal(connection: BaseDatabaseWrapper) -> bool:
    """Copy the WAL back and cut it to nothing; whether no reader kept it from that."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        busy, _pages, _copied = cursor.fetchone()
    return not busy


def _ask(connection: BaseDatabaseWrapper, name: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {name}")
        return cursor.fetchone()[0]
