"""One archive of an installation: its database, the bytes of its files, and what each must be.

Theory of operation. First the database is copied, then the bytes of exactly the files that this
copy has rows of: bytes are written before their row and removed after it (`flowadmin.files.disk`),
so a row of the copy has its bytes unless the file was deleted since, which the live database
tells. The archive is written beside its place under another name, read again from the first byte
to the last against its own list, and only then given its name: a file of that name is whole.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import sqlite3
import tarfile
import tempfile
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections

from flowadmin.coordination import presence
from flowadmin.environment import SQLITE
from flowadmin.files import disk
from flowadmin.files.models import File
from flowadmin.sqlite import copying

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MANIFEST = "manifest.json"
FORMAT = 1
DATABASE = "flowadmin.sqlite3"
KEY = "secret_key"
STAMP = "last-backup"
BLOCK = 1024 * 1024
LONGEST_MANIFEST = 256 * 1024 * 1024


class CannotArchive(Exception):
    """No archive was left behind, or it is not whole; the text says why."""

    code = "backup.failed"


@dataclass
class Contents:
    """What went into an archive: sha256 and size in bytes of each member.

    ``deleted`` are files that people deleted while it was written; ``faults`` says in words which
    files were not as their rows say. The rest is worth keeping all the same.
    """

    database: bool
    members: dict[str, tuple[str, int]] = field(default_factory=dict)
    deleted: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @property
    def files(self) -> int:
        """How many uploaded files are in it."""
        return sum(name.startswith("media/") for name in self.members)

    @property
    def size(self) -> int:
        """Bytes of all members together."""
        return sum(size for _digest, size in self.members.values())


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file of the installation that the database has a row of."""

    tenant_id: int
    id: str
    size: int
    sha256: str

    @property
    def member(self) -> str:
        """Its name in the archive, which is also its place in the data folder."""
        return f"media/{self.tenant_id}/{self.id}"


def write(
    target: Path,
    now: datetime,
    *,
    with_database: bool,
    with_key: bool,
    tell: Callable[[str], None],
) -> Contents:
    """Write the archive of this installation, read it again, and give it its name.

    Args:
        target: a file that does not exist yet; `.gz` at its end asks for compression.
        now: the database's clock.
        with_database: on SQLite only; the servers have their own tools.
        with_key: also the generated SECRET_KEY, without which sealed secrets cannot be opened.
        tell: called with a line on how far it is.

    Raises:
        CannotArchive: nothing of that name was left behind. Source: contract, Files; seed 004 S7.
    """
    if target.exists():
        raise CannotArchive(f"{target} exists already. Choose another name.")
    try:
        with tempfile.TemporaryDirectory(prefix=".backup-", dir=target.parent) as folder:
            part = Path(folder) / target.name
            contents = _written(part, now, with_database, with_key, tell)
            tell("reading the archive again")
            verify(part)
            _give_name(part, target)
    except (OSError, sqlite3.Error, copying.UnsoundCopy, tarfile.TarError) as error:
        raise CannotArchive(f"No archive was written: {error}") from error
    if not contents.faults:
        with suppress(OSError):
            stamp = settings.ENVIRONMENT.data / STAMP
            stamp.write_text(f"{now.isoformat()}\n", encoding="ascii")
    return contents


def verify(file: Path) -> dict[str, Any]:
    """Read an archive from end to end and compare it with its own list; the list.

    Raises CannotArchive with the first difference.
    """
    found: dict[str, tuple[str, int]] = {}
    manifest: dict[str, Any] | None = None
    try:
        with tarfile.open(file) as archive:
            for member in archive:
                source = archive.extractfile(member)
                if source is None or member.name in found:
                    raise CannotArchive(f"{file}: {member.name} should not be in it.")
                if member.name == MANIFEST and member.size <= LONGEST_MANIFEST:
                    manifest = json.loads(source.read())
                else:
                    found[member.name] = _digest(source)
    except (OSError, tarfile.TarError, EOFError, ValueError) as error:
        raise CannotArchive(f"{file} cannot be read to its end: {error}") from error
    if manifest is None or manifest.get("format") != FORMAT:
        raise CannotArchive(f"{file} is no archive of FlowAdmin: it has no {MANIFEST}.")
    listed = {name: (each["sha256"], each["size"]) for name, each in manifest["members"].items()}
    different = sorted(name for name in {*listed, *found} if listed.get(name) != found.get(name))
    if different:
        raise CannotArchive(f"{file} is damaged: {different[0]} is not what its list says.")
    return manifest


def last_backup() -> datetime | None:
    """When this data folder was last backed up with success; nothing if never."""
    try:
        stamp = settings.ENVIRONMENT.data / STAMP
        return datetime.fromisoformat(stamp.read_text(encoding="ascii").strip())
    except (OSError, ValueError):
        return None


def _written(
    part: Path,
    now: datetime,
    with_database: bool,  # noqa: FBT001 - passed on
    with_key: bool,  # noqa: FBT001 - passed on
    tell: Callable[[str], None],
) -> Contents:
    contents = Contents(database=with_database)
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    mode: Any = "w:gz" if part.suffix == ".gz" else "w"
    with os.fdopen(handle, "wb") as raw:
        with tarfile.open(fileobj=raw, mode=mode, format=tarfile.PAX_FORMAT) as archive:
            if with_database:
                tell("copying the database")
                snapshot = part.with_name("snapshot.sqlite3")
                copying.copy(_sqlite_file(), snapshot)
                _add(archive, contents, DATABASE, snapshot)
                wanted = list(_rows_of(snapshot))
                snapshot.unlink()
            else:
                wanted = list(_rows_now())
            _add_files(archive, contents, wanted, tell)
            key = settings.ENVIRONMENT.data / KEY
            if with_key and key.exists():
                _add(archive, contents, KEY, key)
            _add_manifest(archive, contents, now)
        raw.flush()
        os.fsync(raw.fileno())
    return contents


def _add_files(
    archive: tarfile.TarFile,
    contents: Contents,
    wanted: list[Wanted],
    tell: Callable[[str], None],
) -> None:
    for count, each in enumerate(wanted, 1):
        if count % 1000 == 0:
            tell(f"{count} of {len(wanted)} files")
        path = disk.path_of(each.tenant_id, each.id)
        try:
            if _add(archive, contents, each.member, path) != (each.sha256, each.size):
                contents.faults.append(f"{each.member}: other bytes than were uploaded")
        except FileNotFoundError:
            # Deleted since the copy was made? Then the live database has no row of it.
            if File.objects.filter(pk=each.id).exists():
                contents.faults.append(f"{each.member}: no bytes")
            else:
                contents.deleted.append(each.member)


def _add(archive: tarfile.TarFile, contents: Contents, name: str, path: Path) -> tuple[str, int]:
    """Put a file in under a name; the sha256 and size of the bytes that went in."""
    with path.open("rb") as source:
        size = os.fstat(source.fileno()).st_size
        counted = _Counted(source)
        member = tarfile.TarInfo(name)
        member.size, member.mode = size, 0o600
        member.mtime = int(os.fstat(source.fileno()).st_mtime)
        # It ends with an error when the file has become shorter meanwhile.
        archive.addfile(member, counted)
    contents.members[name] = counted.digest, size
    return contents.members[name]


class _Counted(io.RawIOBase):
    """A file that is hashed while it is read."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
        self._hash = hashlib.sha256()

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes of the file."""
        block = self._source.read(size)
        self._hash.update(block)
        return block

    @property
    def digest(self) -> str:
        """The sha256 of all that was read."""
        return self._hash.hexdigest()


def _add_manifest(archive: tarfile.TarFile, contents: Contents, now: datetime) -> None:
    text = json.dumps(
        {
            "format": FORMAT,
            "made_at": now.isoformat(),
            "schema": presence.schema_version(),
            "database": contents.database,
            "members": {
                name: {"sha256": digest, "size": size}
                for name, (digest, size) in sorted(contents.members.items())
            },
            "deleted_meanwhile": contents.deleted,
            "faults": contents.faults,
        },
        indent=1,
    ).encode()
    member = tarfile.TarInfo(MANIFEST)
    member.size, member.mode, member.mtime = len(text), 0o600, int(now.timestamp())
    archive.addfile(member, io.BytesIO(text))


def _give_name(part: Path, target: Path) -> None:
    """Link and not rename: what somebody else put there meanwhile is not overwritten."""
    try:
        os.link(part, target)
    except FileExistsError:
        raise
    except OSError:
        part.rename(target)  # a file system without links
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _sqlite_file() -> Path:
    return Path(connections[DEFAULT_DB_ALIAS].settings_dict["NAME"])


def is_sqlite() -> bool:
    """Whether the database of this installation is a file that `write` can copy."""
    return bool(connections[DEFAULT_DB_ALIAS].settings_dict["ENGINE"] == SQLITE)


def _rows_of(snapshot: Path) -> Iterator[Wanted]:
    with closing(sqlite3.connect(snapshot)) as reading:
        table = File._meta.db_table  # noqa: SLF001 - Django's public _meta
        sql = f"SELECT tenant_id, id, size, sha256 FROM {table} ORDER BY tenant_id, id"  # noqa: S608
        for row in reading.execute(sql):
            yield Wanted(*row)


def _rows_now() -> Iterator[Wanted]:
    rows = File.objects.order_by("tenant_id", "id")
    for row in rows.values_list("tenant_id", "id", "size", "sha256").iterator(2000):
        yield Wanted(*row)


def _digest(source: IO[bytes]) -> tuple[str, int]:
    digest, size = hashlib.sha256(), 0
    while block := source.read(BLOCK):
        digest.update(block)
        size += len(block)
    return digest.hexdigest(), size
