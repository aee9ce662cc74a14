"""Seed 004 S4 and S9: one folder holds everything; a temporary one will do, memory will not."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


def _manage(*arguments, **variables):
    kept = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=PROJECT,
        env={**kept, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_temporary_folder_is_all_that_an_installation_needs(tmp_path):
    folder = tmp_path / "not there yet"

    done = _manage("migrate", "--verbosity=0", FLOWADMIN_DATA=str(folder))

    assert done.returncode == 0, done.stderr
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "secret_key").stat().st_mode) == 0o600
    file = sqlite3.connect(folder / "flowadmin.sqlite3")
    try:
        assert file.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert file.execute("SELECT count(*) FROM org_user").fetchone() == (0,)
    finally:
        file.close()


def test_a_database_in_memory_is_refused_and_nothing_is_made(tmp_path):
    """The other spellings are in tests/test_environment.py."""
    done = _manage(
        "migrate",
        FLOWADMIN_DATA=str(tmp_path),
        DATABASE_URL="sqlite://:memory:",
        SECRET_KEY="k" * 50,
    )

    assert done.returncode == 1
    assert "DATABASE_URL" in done.stderr
    assert "in memory" in done.stderr
    assert list(tmp_path.iterdir()) == []
