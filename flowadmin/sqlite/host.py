"""The marker beside a SQLite file that keeps a second machine off it.

SQLite's locks and its shared memory work among processes under one kernel. On a shared folder two
machines would each believe that they hold the lock, and the file would be destroyed (seed 004 S8).

Theory of operation. The file ``<database>.host`` names the kernel that uses the database: its boot
id (equal in all containers of one machine, where sharing is safe), its machine id and its name.
Its age is the difference between its time and that of a file just written beside it, so that only
one clock, the shared folder's, is read. A marker of another kernel is live for 120 seconds after
it was last written, unless its machine id and name are ours: then this machine was started anew
(images of containers may carry one machine id to many machines, so the id alone says nothing).
``manage.py work`` writes it again each half minute and removes it when it stops.
"""

from __future__ import annotations

import json
import os
import socket
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

REFRESH_SECONDS = 30
LIVE_SECONDS = 120


class SecondHost(Exception):
    """Another machine uses this SQLite file now."""

    code = "sqlite.second_host"

    def __init__(self, marker: Path, other: Host) -> None:
        self.other = other
        super().__init__(
            f"Another machine, {other.name!r}, uses this SQLite file (it wrote {marker} less than "
            f"{LIVE_SECONDS} seconds ago). One SQLite file serves one machine: stop FlowAdmin "
            "there, or set DATABASE_URL to PostgreSQL or MariaDB to run several machines."
        )


@dataclass(frozen=True, slots=True)
class Host:
    """Which kernel this is: ``boot`` since its start, ``machine`` for good, ``name`` to read."""

    boot: str
    machine: str
    name: str

    def shares_a_kernel_with(self, other: Host) -> bool:
        """Whether locks of one are seen by the other, or the other cannot run any more."""
        started_anew = self.machine != "" and self.machine == other.machine
        return self.boot == other.boot or (started_anew and self.name == other.name)


def this_host() -> Host:
    """Identify the running kernel; without /proc the network name is all there is to go by."""
    name = socket.gethostname()
    boot = _first_line(Path("/proc/sys/kernel/random/boot_id")) or name
    return Host(boot=boot, machine=_first_line(Path("/etc/machine-id")), name=name)


def marker_of(database: Path) -> Path:
    """Where the marker of a SQLite file lies."""
    return database.with_name(f"{database.name}.host")


def hold(database: Path, me: Host | None = None) -> None:
    """Say that this machine uses the file; call at start and each REFRESH_SECONDS.

    Raises SecondHost when another machine's marker is live. Source: seed 004 S8.
    """
    me = me or this_host()
    marker = marker_of(database)
    marker.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f"{marker.name}.", dir=marker.parent)
    fresh = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(me), file)
        _refuse_another(marker, me, moment=fresh.stat().st_mtime)
        fresh.replace(marker)
    finally:
        fresh.unlink(missing_ok=True)
    # Two machines may have come this far together: the one whose marker was replaced gives way.
    _refuse_another(marker, me, moment=marker.stat().st_mtime)


def release(database: Path) -> None:
    """Remove our own marker at a clean stop, so that another machine may take over at once."""
    marker = marker_of(database)
    held = _read(marker)
    if held is not None and held.boot == this_host().boot:
        marker.unlink(missing_ok=True)


def _refuse_another(marker: Path, me: Host, *, moment: float) -> None:
    held = _read(marker)
    if held is None or me.shares_a_kernel_with(held):
        return
    try:
        age = moment - marker.stat().st_mtime
    except FileNotFoundError:
        return
    if age < LIVE_SECONDS:
        raise SecondHost(marker, held)


def _read(marker: Path) -> Host | None:
    """The marker's host; None when there is none, or when it is no marker of ours."""
    try:
        held = json.loads(marker.read_text(encoding="utf-8"))
        return Host(boot=str(held["boot"]), machine=str(held["machine"]), name=str(held["name"]))
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None


def _first_line(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
