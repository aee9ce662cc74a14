"""The raw floor: the least that any engine must do for the same workload, on bare sqlite3.

Start, two approvals with a branch, end: three durable transactions with twelve statements, the
same rows that a hand-written application would keep (performance.md, section 1).
"""

from __future__ import annotations

import sqlite3
from time import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = """
CREATE TABLE instance (id INTEGER PRIMARY KEY, flow INTEGER NOT NULL, state TEXT NOT NULL,
  version INTEGER NOT NULL, form TEXT NOT NULL, started_at REAL NOT NULL, ended_at REAL) STRICT;
CREATE TABLE task (id INTEGER PRIMARY KEY, instance INTEGER NOT NULL REFERENCES instance (id),
  step TEXT NOT NULL, assignee INTEGER NOT NULL, state TEXT NOT NULL, created_at REAL NOT NULL,
  ended_at REAL) STRICT;
CREATE INDEX task_open ON task (assignee, id DESC) WHERE state = 'open';
CREATE INDEX task_instance ON task (instance);
CREATE TABLE history (id INTEGER PRIMARY KEY, instance INTEGER NOT NULL REFERENCES instance (id),
  at REAL NOT NULL, payload TEXT NOT NULL) STRICT;
CREATE INDEX history_instance ON history (instance);
"""


def connect(path: Path, synchronous: str) -> sqlite3.Connection:
    """A connection with the pragmas of the product, in autocommit mode."""
    raw = sqlite3.connect(path, isolation_level=None)
    for pragma in (
        "journal_mode=WAL",
        f"synchronous={synchronous}",
        "foreign_keys=ON",
        "temp_store=MEMORY",
        "cache_size=-65536",
    ):
        raw.execute(f"PRAGMA {pragma}")
    return raw


def prepare(path: Path, synchronous: str) -> sqlite3.Connection:
    """A fresh floor database."""
    raw = connect(path, synchronous)
    raw.executescript(SCHEMA)
    return raw


def one_life(raw: sqlite3.Connection, amount: int) -> None:
    """Start, approve, branch, approve, end."""
    run = raw.execute
    run("BEGIN IMMEDIATE")
    instance = run(
        "INSERT INTO instance (flow, state, version, form, started_at)"
        " VALUES (1, 'running', 1, ?, ?)",
        (f'{{"amount":"{amount}"}}', time()),
    ).lastrowid
    task = _task(raw, instance, "lead", 1)
    _history(raw, instance, "started")
    run("COMMIT")
    run("BEGIN IMMEDIATE")
    run("SELECT state, version, form FROM instance WHERE id = ?", (instance,)).fetchone()
    _close(raw, task)
    _move(raw, instance, "running" if amount > 10000 else "approved")
    task = _task(raw, instance, "finance", 2)
    _history(raw, instance, "approved by lead")
    run("COMMIT")
    run("BEGIN IMMEDIATE")
    run("SELECT state, version, form FROM instance WHERE id = ?", (instance,)).fetchone()
    _close(raw, task)
    _move(raw, instance, "approved")
    _history(raw, instance, "approved by finance")
    run("COMMIT")


def _task(raw: sqlite3.Connection, instance: int | None, step: str, assignee: int) -> int | None:
    return raw.execute(
        "INSERT INTO task (instance, step, assignee, state, created_at)"
        " VALUES (?, ?, ?, 'open', ?)",
        (instance, step, assignee, time()),
    ).lastrowid


def _close(raw: sqlite3.Connection, task: int | None) -> None:
    raw.execute(
        "UPDATE task SET state = 'approved', ended_at = ? WHERE id = ? AND state = 'open'",
        (time(), task),
    )


def _move(raw: sqlite3.Connection, instance: int | None, state: str) -> None:
    raw.execute(
        "UPDATE instance SET state = ?, version = version + 1 WHERE id = ?", (state, instance)
    )


def _history(raw: sqlite3.Connection, instance: int | None, what: str) -> None:
    raw.execute(
        "INSERT INTO history (instance, at, payload) VALUES (?, ?, ?)",
        (instance, time(), f'{{"what":"{what}"}}'),
    )


def inbox(raw: sqlite3.Connection, assignee: int) -> tuple[int, int]:
    """First twenty open tasks and the count of one person."""
    rows = raw.execute(
        "SELECT t.id, t.step, t.created_at, i.id, i.state, i.form FROM task t"
        " JOIN instance i ON i.id = t.instance WHERE t.assignee = ? AND t.state = 'open'"
        " ORDER BY t.id DESC LIMIT 20",
        (assignee,),
    ).fetchall()
    count = raw.execute(
        "SELECT COUNT(*) FROM task WHERE assignee = ? AND state = 'open'", (assignee,)
    ).fetchone()
    return len(rows), int(count[0])
