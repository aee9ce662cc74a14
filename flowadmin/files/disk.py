"""The bytes of uploaded files: written under a temporary name, synced, then given their own.

Theory of operation. `media/<tenant>/<id>` holds the bytes of the row with that id, and a name that
begins with a full stop holds bytes that are still coming in. What has its own name is removed only
after its row is known to be gone: a commit whose answer was lost may have made the row. So a crash
leaves at worst bytes without a row, which nobody can reach and `removing.sweep_bytes` deletes.
"""

from __future__ import annotations

import errno
import hashlib
import logging
import os
import secrets
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Final, Self

from django.conf import settings
from django.utils.translation import gettext as _

from flowadmin.files.kinds import HEAD_SIZE
from flowadmin.rest.problems import RETRY_SECONDS, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_SIZE: Final = 10 * 1024 * 1024
TEMPORARY: Final = "."
_log = logging.getLogger(__name__)


def media() -> Path:
    """The folder of all bytes (contract, Files)."""
    data: Path = settings.ENVIRONMENT.data
    return data / "media"


def path_of(tenant_id: int, file_id: str) -> Path:
    """Where the bytes of a row lie; ``file_id`` comes from a row, never from a request."""
    return media() / str(tenant_id) / file_id


@dataclass(frozen=True, slots=True)
class Arrived:
    """What has come in completely and lies on disk under its temporary name."""

    size: int
    sha256: str
    head: bytes


class Incoming:
    """One file on its way in, counted and hashed while it is written.

    Used as a context: what was not kept at its end is deleted. ``tenant_id`` says in whose
    folder it lies.
    """

    def __init__(self, tenant_id: int) -> None:
        self._folder = media() / str(tenant_id)
        self._path = self._folder / f"{TEMPORARY}{secrets.token_urlsafe(16)}"
        self._digest = hashlib.sha256()
        self._head = b""
        self._size = 0
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        with storage_problems():
            for folder in (self._folder.parent, self._folder):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            self._file = os.fdopen(handle, "wb")
        return self

    def __exit__(self, *_exception: object) -> None:
        if self._file is not None:
            try:
                self._file.close()
            except OSError:
                _log.warning("An upload could not be closed: %s", self._path.name)
            self._path.unlink(missing_ok=True)

    def write(self, chunk: bytes) -> None:
        """Append bytes. Raises Problem 413 file.too_large at the first byte over 10 MiB, 503."""
        self._size += len(chunk)
        if self._size > MAX_SIZE:
            raise too_large()
        if len(self._head) < HEAD_SIZE:
            self._head += chunk[: HEAD_SIZE - len(self._head)]
        self._digest.update(chunk)
        with storage_problems():
            self._opened().write(chunk)

    def arrived(self) -> Arrived:
        """Everything has come: sync it to disk. Raises Problem 503 file.storage."""
        file = self._opened()
        with storage_problems():
            file.flush()
            os.fsync(file.fileno())
        return Arrived(self._size, self._digest.hexdigest(), self._head)

    def keep(self, file_id: str) -> None:
        """Give the bytes their own name, for good. Raises Problem 503 file.storage."""
        with storage_problems():
            self._path.rename(self._folder / file_id)
            # The name is on disk only when its folder is, and the folder's when its own is.
            for folder in (self._folder, self._folder.parent):
                _sync(folder)

    def _opened(self) -> BinaryIO:
        if self._file is None:
            message = "An upload is written inside its context."
            raise RuntimeError(message)
        return self._file


def opened(tenant_id: int, file_id: str) -> BinaryIO:
    """The bytes of a row, for reading.

    Raises:
        FileNotFoundError: they are gone; Problem 503 file.storage for any other failure.
    """
    path = path_of(tenant_id, file_id)
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _failed(error) from error


def remove(tenant_id: int, file_id: str) -> None:
    """Delete the bytes of a row that is gone. What cannot be deleted is left to the sweep."""
    try:
        path_of(tenant_id, file_id).unlink(missing_ok=True)
    except OSError as error:
        _log.warning("The bytes of %s could not be deleted: %s", file_id, error.strerror)


@contextmanager
def storage_problems() -> Iterator[None]:
    """A disk that is full, read-only or away is 503 file.storage, not a mistake of ours."""
    try:
        yield
    except OSError as error:
        raise _failed(error) from error


def _failed(error: OSError) -> Problem:
    _log.error("The file storage failed: %s", errno.errorcode.get(error.errno or 0, "unknown"))
    return storage_fails()


def storage_fails() -> Problem:
    """The answer when the bytes can be neither stored nor read."""
    return Problem(
        503,
        "file.storage",
        _("Files can be neither stored nor read just now; try again in a moment."),
        retry_after=RETRY_SECONDS,
    )


def too_large() -> Problem:
    """The answer to more than 10 MiB (contract, Files)."""
    return Problem(413, "file.too_large", _("A file has at most 10 MiB."), limit=MAX_SIZE)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
