"""Test databases on SQLite are files in WAL mode, as in production."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from django.db.backends.sqlite3 import creation as django_sqlite

SIDE_FILES = ("-wal", "-shm")


class DatabaseCreation(django_sqlite.DatabaseCreation):
    """Makes, copies and removes TEST["NAME"] together with the WAL's two side files."""

    def _create_test_db(self, verbosity: int, autoclobber: bool, keepdb: bool = False) -> str:  # noqa: FBT001, FBT002
        name: str = super()._create_test_db(  # type: ignore[misc]  # not in the stubs
            verbosity, autoclobber, keepdb
        )
        if not keepdb:
            _remove_side_files(name)
        return name

    def _clone_test_db(self, suffix: str, verbosity: int, keepdb: bool = False) -> None:  # noqa: FBT001, FBT002
        # A plain copy of the file would miss what is still in the WAL.
        target = str(self.get_test_db_clone_settings(suffix)["NAME"])
        if keepdb and Path(target).exists():
            return
        Path(target).unlink(missing_ok=True)
        _remove_side_files(target)
        source = sqlite3.connect(str(self.connection.settings_dict["NAME"]))
        copy = sqlite3.connect(target)
        try:
            source.backup(copy)
        finally:
            copy.close()
            source.close()

    def _destroy_test_db(self, test_database_name: str, verbosity: int) -> None:
        super()._destroy_test_db(test_database_name, verbosity)  # type: ignore[misc]  # not in the stubs
        _remove_side_files(test_database_name)


def _remove_side_files(name: str) -> None:
    for suffix in SIDE_FILES:
        Path(name + suffix).unlink(missing_ok=True)
