"""The only door from a person to a file: fetch it within the tenant, or say that it is not there.

An unbound file is its owner's alone. A bound one is read by whoever may read the field or comment
that holds it; that is known above this room, so the app that binds files registers, by the kind of
its places, who may read them. A kind without a reader is read by nobody.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from flowadmin.files.models import File
from flowadmin.rest.problems import Problem, not_found

if TYPE_CHECKING:
    from flowadmin.directory.models import User

# Asked with a person and a bound file of the person's own tenant.
Reader = Callable[["User", File], bool]
_readers: dict[str, Reader] = {}


def register_reader(kind: str, reader: Reader) -> None:
    """Say who may read the files of one kind of places, once, while the apps are made ready.

    Args:
        kind: what stands before the first colon of ``bound_to``, such as ``instance``.
        reader: whether this person may read this bound file; it raises nothing.

    Raises:
        ValueError: another reader answers for this kind.
    """
    if _readers.setdefault(kind, reader) is not reader:
        message = f"Two readers for files of the kind {kind!r}."
        raise ValueError(message)


def readable(user: User, file_id: str) -> File:
    """A file that this person may read. Raises Problem 404."""
    file = File.objects.filter(tenant_id=user.tenant_id, id=file_id).first()
    if file is None or not _may_read(user, file):
        raise not_found()
    return file


def deletable(user: User, file_id: str) -> File:
    """A file of one's own that nothing holds.

    Raises Problem 404; 403 permission.denied for a file of another that one may read; 409
    file.bound.
    """
    file = File.objects.filter(tenant_id=user.tenant_id, id=file_id).first()
    if file is None or not (file.owner_id == user.pk or _may_read(user, file)):
        raise not_found()
    if file.owner_id != user.pk:
        raise Problem(403, "permission.denied", _("Only its owner deletes a file."))
    if file.bound_to:
        raise bound()
    return file


def bound() -> Problem:
    """The answer to whoever would delete what a request holds."""
    return Problem(409, "file.bound", _("A request holds this file; it cannot be deleted."))


def _may_read(user: User, file: File) -> bool:
    if not file.bound_to:
        return file.owner_id == user.pk
    reader = _readers.get(file.bound_to.partition(":")[0])
    return reader is not None and reader(user, file)
