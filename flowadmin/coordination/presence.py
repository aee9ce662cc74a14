"""Which processes serve now, with which schema; one of another version is not let in beside them.

Theory: an old process writes no durable notice or callback, so it must never run beside a new one
(seed 001 P15). Each process that serves or works leaves a row with the version of the schema that
its code knows, and moves the row's ``seen_at`` each half minute by the database's clock. Whoever
starts writes its own row first and then looks at the others: of two that start at the same moment
at least one sees the other. A process of this machine is alive when the system says so, whatever
its row says; one elsewhere while its row is young. So nobody waits after a kill -9.
"""

from __future__ import annotations

import atexit
import hashlib
import logging
import os
import secrets
import threading
from contextlib import suppress
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, connections
from django.db.migrations.loader import MigrationLoader

from flowadmin import clock
from flowadmin.coordination.models import RunningProcess
from flowadmin.sqlite.host import this_host

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

log = logging.getLogger(__name__)

REFRESH_SECONDS = 30.0
LIVE = timedelta(seconds=90)
# What a process that was killed left behind; it is dead for everybody long before.
FORGOTTEN = timedelta(days=1)
OURS = ("flowadmin", "rules", "workflow", "notifications")


class MixedVersions(ImproperlyConfigured):
    """Processes of another version run on this database now."""

    code = "start.mixed_versions"

    def __init__(self, others: Iterable[RunningProcess], schema: str) -> None:
        self.others = tuple(others)
        lines = [f"- {named(each)} has {each.schema}" for each in self.others]
        super().__init__(
            "Another version of FlowAdmin runs on this database; two versions together would lose "
            f"notices and callbacks.\n- this process has {schema}\n"
            + "\n".join(lines)
            + "\nStop the other processes first, or start with their version of the code."
        )


class StillRunning(ImproperlyConfigured):
    """Processes run on this database, and what was asked needs it alone."""

    code = "start.still_running"

    def __init__(self, others: Iterable[RunningProcess]) -> None:
        self.others = tuple(others)
        names = ", ".join(named(each) for each in self.others)
        super().__init__(f"This needs the database alone. Stop first: {names}.")


def named(row: RunningProcess) -> str:
    """A process in the words in which a person finds it."""
    return f"{row.role} (process {row.pid} on {row.host})"


@cache
def schema_version() -> str:
    """The version of the schema that this code knows: the last migration of each of our apps.

    Its digest is over their full names, so that two branches with equal numbers differ.
    """
    labels = {each.label for each in apps.get_app_configs() if each.name.split(".")[0] in OURS}
    graph = MigrationLoader(None, ignore_no_migrations=True).graph
    leaves = sorted(node for node in graph.leaf_nodes() if node[0] in labels)
    digest = hashlib.sha256(repr(leaves).encode()).hexdigest()[:8]
    numbers = ", ".join(f"{label} {name.partition('_')[0]}" for label, name in leaves)
    return f"schema {digest} ({numbers})"


def living(now: datetime) -> list[RunningProcess]:
    """The processes that serve or work now, oldest first. ``now`` is the database's clock."""
    if not _has_table():
        return []
    rows = RunningProcess.objects.filter(seen_at__gt=now - FORGOTTEN).order_by("started_at", "id")
    here = _machine()
    return [row for row in rows if _is_alive(row, here, now)]


def refuse_other_versions(now: datetime, *, besides: str = "") -> None:
    """Raise MixedVersions while a process of another version is alive (seed 001 P15).

    ``besides`` is the row that is one's own; ``now`` the database's clock.
    """
    rows = [row for row in living(now) if row.id != besides]
    # Without any other process, which is the rule for commands, no migration is read.
    others = [row for row in rows if row.schema != schema_version()] if rows else []
    if others:
        raise MixedVersions(others, schema_version())


def refuse_while_running(now: datetime) -> None:
    """Raise StillRunning, which names them, while a process is alive (seed 001 P13).

    For commands that need the database alone. ``now`` is the database's clock.
    """
    rows = living(now)
    if rows:
        raise StillRunning(rows)


def announce(role: str, now: datetime) -> str:
    """Write the row of this process; its id, or nothing before the table exists.

    Args:
        role: what the process is, in words for a person.
        now: the database's clock.

    Raises:
        MixedVersions: one of another version is alive; then the row is gone again.
    """
    if not _has_table():
        return ""
    RunningProcess.objects.filter(seen_at__lt=now - FORGOTTEN).delete()
    row = RunningProcess(
        id=secrets.token_hex(12),
        role=role,
        host=this_host().name[:80],
        machine=_machine(),
        pid=os.getpid(),
        born=_born(os.getpid()),
        schema=schema_version(),
        started_at=now,
        seen_at=now,
    )
    row.save(force_insert=True)
    try:
        refuse_other_versions(now, besides=row.id)
    except MixedVersions:
        leave(row.id)
        raise
    return row.id


def leave(row_id: str) -> None:
    """Take the row away at a clean end."""
    RunningProcess.objects.filter(pk=row_id).delete()


class Presence:
    """Keeps the row of one process fresh, from a thread of its own, until the process ends.

    A database that is away delays a beat and never disturbs the process.
    """

    def __init__(self, role: str) -> None:
        self._role = role
        self._row = ""
        self._pid = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="presence", daemon=True)

    def begin(self) -> None:
        """Announce the process and keep it announced. Raises MixedVersions."""
        self._pid = os.getpid()
        self._row = announce(self._role, clock.now())
        self._thread.start()
        atexit.register(self.end)

    def end(self) -> None:
        """Say that this process is gone; called by itself when the interpreter ends."""
        # A process that was forked from the one that is announced ends for itself alone.
        if self._ended.is_set() or os.getpid() != self._pid:
            return
        self._ended.set()
        # Nothing that a database says may disturb the end of a process.
        with suppress(Exception):
            leave(self._row)

    def _keep(self) -> None:
        while not self._ended.wait(REFRESH_SECONDS):
            try:
                self._beat(clock.now())
            except Exception as error:  # noqa: BLE001  # whatever it is, the next beat comes
                log.warning("could not say that this process lives (%s)", type(error).__name__)
            finally:
                connections.close_all()

    def _beat(self, now: datetime) -> None:
        if self._row and RunningProcess.objects.filter(pk=self._row).update(seen_at=now):
            return
        # Removed by another's tidying up while this one slept, or the table is new.
        self._row = announce(self._role, now)


def _has_table() -> bool:
    return RunningProcess._meta.db_table in connection.introspection.table_names()  # noqa: SLF001  # Django's public _meta


def _is_alive(row: RunningProcess, here: str, now: datetime) -> bool:
    if here and row.machine == here:
        return _runs_here(row)
    # A row from the future was left before the clock was set back, and says nothing.
    return abs(now - row.seen_at) <= LIVE


def _runs_here(row: RunningProcess) -> bool:
    try:
        os.kill(row.pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass  # another account's process: it is there
    born = _born(row.pid)
    # The same number with another birth is another process.
    return not born or not row.born or born == row.born


@cache
def _machine() -> str:
    """This kernel and its space of process numbers; empty where neither can be told."""
    try:
        space = Path("/proc/self/ns/pid").readlink()
    except OSError:
        return ""
    return f"{this_host().boot} {space}"[:100]


def _born(pid: int) -> str:
    """When a process began, in ticks since the start of the machine; empty if not to be read."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    # The name in brackets may hold blanks; the start is the 20th word behind it.
    words = text.rpartition(")")[2].split()
    return words[19] if len(words) > 19 else ""
