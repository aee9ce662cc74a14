"""Removing files that nothing holds: by their owner, after a day, and bytes that have no row.

The row goes first and is committed, then the bytes: a row that can be read always has its bytes.
"""

from __future__ import annotations

import logging
import os
from functools import partial
from typing import TYPE_CHECKING, Final

from django.db import transaction

from flowadmin.files import access, disk
from flowadmin.files.models import File
from flowadmin.files.storing import KEPT_UNBOUND
from flowadmin.rest.problems import not_found

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from django.db.models import Exists, Q, QuerySet

    from flowadmin.directory.models import User

ROUND: Final = 500
_kept: list[Callable[[], Exists | Q]] = []
_log = logging.getLogger(__name__)


def remove(user: User, file_id: str) -> None:
    """Delete one's own unbound file. Raises Problem 404, 403, 409 file.bound."""
    file = access.deletable(user, file_id)
    if not _removed(file.tenant_id, file.id):
        # The race: a command bound it, or the sweep took it, since it was looked up.
        if File.objects.filter(tenant_id=file.tenant_id, id=file.id).exists():
            raise access.bound()
        raise not_found()


def keep_while(condition: Callable[[], Exists | Q]) -> None:
    """Let old unbound files lie while a condition on their row holds, such as `Exists(…)`.

    Registered by the application that needs them, when it is ready: this room knows of no other.
    """
    _kept.append(condition)


def sweep(now: datetime) -> int:
    """Delete unbound files that are older than 24 hours, at most 500; how many were deleted.

    Files that somebody keeps (`keep_while`) stay. ``now`` is the database's clock.

    Source: contract, Files.
    """
    old = _not_kept(File.objects.filter(bound_to="", created_at__lte=now - KEPT_UNBOUND))
    found = list(old.order_by("created_at").values_list("tenant_id", "id")[:ROUND])
    return sum(_swept_row(tenant_id, file_id) for tenant_id, file_id in found)


def _not_kept(rows: QuerySet[File]) -> QuerySet[File]:
    for condition in _kept:
        rows = rows.exclude(condition())
    return rows


def _swept_row(tenant_id: int, file_id: str) -> bool:
    """Whether this call deleted the file; who keeps it is asked once more behind the lock.

    The race: somebody begins to keep it at this moment. He locks the row as well, so either this
    statement waits for him and the next one sees that it is kept, or he finds it gone.
    """
    with transaction.atomic():
        row = File.objects.filter(tenant_id=tenant_id, id=file_id, bound_to="")
        if not row.update(bound_to="") or not _not_kept(row).exists():
            return False
        return _removed(tenant_id, file_id)


def _removed(tenant_id: int, file_id: str) -> bool:
    """Whether this call deleted the file: one conditional statement, then the bytes."""
    with transaction.atomic():
        # The race: a command binds it meanwhile; the condition is looked at again by the DELETE.
        gone, _tables = File.objects.filter(tenant_id=tenant_id, id=file_id, bound_to="").delete()
        if gone:
            transaction.on_commit(partial(disk.remove, tenant_id, file_id))
    return bool(gone)


def sweep_bytes(now: datetime) -> int:
    """Delete bytes older than 24 hours that have no row; how many were deleted.

    They are what a crash left: uploads that never ended, or whose row was never committed, and
    bytes whose row was deleted last before it. Younger ones may be an upload that is going on.
    """
    before = (now - KEPT_UNBOUND).timestamp()
    done = 0
    for folder in folders():
        for names in names_in(folder):
            for name in without_row(int(folder.name), names):
                done += _swept(folder / name, before)
    return done


def folders() -> Iterator[Path]:
    """The tenants' folders; anything else beside them is not ours."""
    root = disk.media()
    if root.is_dir():
        yield from sorted(each for each in root.iterdir() if each.is_dir() and _is_id(each.name))


def names_in(folder: Path) -> Iterator[list[str]]:
    """The names in one folder, in lists short enough for one statement each."""
    names: list[str] = []
    with os.scandir(folder) as entries:
        for entry in entries:
            names.append(entry.name)
            if len(names) == ROUND:
                yield names
                names = []
    yield names


def without_row(tenant_id: int, names: Sequence[str]) -> list[str]:
    """Those of the names that are not the id of a file of this tenant."""
    known = File.objects.filter(tenant_id=tenant_id, id__in=names).values_list("id", flat=True)
    return sorted(set(names) - set(known))


def _is_id(name: str) -> bool:
    return name.isascii() and name.isdecimal()


def _swept(path: Path, before: float) -> bool:
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_mtime > before:
            return False
        path.unlink()
    except OSError as error:
        _log.warning(
            "Bytes without a row could not be deleted: %s (%s)", path.name, error.strerror
        )
        return False
    return True
