"""Whether rows and bytes of the uploaded files agree; reads only."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from flowadmin.files import disk, removing
from flowadmin.files.models import File
from flowadmin.files.storing import KEPT_UNBOUND

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

# Bytes without a row are left alone for a day, and removed by a job that runs once a day.
_PATIENCE: Final = KEPT_UNBOUND + timedelta(days=1)


def differences(now: datetime, limit: int) -> list[str]:
    """What does not agree, as ``what id`` lines, at most ``limit``.

    Args:
        now: the database's clock; bytes without a row count only when they are two days old,
            since younger ones are uploads that go on, or wait for the sweep.
        limit: where to stop.

    A row without its bytes, or with fewer or more of them, is a loss; bytes without a row only
    take room. Contents are not read: `sha256` of the row says what they should be.
    """
    found: list[str] = []
    for line in _all(now):
        if len(found) == limit:
            break
        found.append(line)
    return found


def _all(now: datetime) -> Iterator[str]:
    rows = File.objects.order_by("id").values_list("tenant_id", "id", "size")
    for tenant_id, file_id, size in rows.iterator(chunk_size=removing.ROUND):
        problem = _problem(disk.path_of(tenant_id, file_id), size)
        # The race: the file was deleted since the list was read; then its row is gone too.
        if problem and File.objects.filter(tenant_id=tenant_id, id=file_id).exists():
            yield f"{problem}: file {file_id}"
    before = (now - _PATIENCE).timestamp()
    for folder in removing.folders():
        for names in removing.names_in(folder):
            for name in removing.without_row(int(folder.name), names):
                if _is_old(folder / name, before):
                    yield f"bytes without a row: {folder.name}/{name}"


def _problem(path: Path, size: int) -> str:
    try:
        there = path.stat().st_size
    except OSError:
        return "no bytes"
    return "" if there == size else "another size"


def _is_old(path: Path, before: float) -> bool:
    try:
        return path.stat().st_mtime <= before
    except OSError:
        return False  # removed meanwhile
