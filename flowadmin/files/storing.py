"""Storing an uploaded file: its bytes first, then its row."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from django.utils.translation import gettext as _

from flowadmin.files import disk, kinds
from flowadmin.files.models import File
from flowadmin.files.naming import clean_name
from flowadmin.rest.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from flowadmin.files.disk import Arrived, Incoming

KEPT_UNBOUND: Final = timedelta(hours=24)
# How many unbound files one person may have; two uploads at once may both be the last.
MOST_UNUSED: Final = 100


@dataclass(frozen=True, slots=True)
class Checked:
    """An upload that may be kept: what came, and as what."""

    name: str
    media_type: str
    arrived: Arrived


def store(
    *, tenant_id: int, owner_id: int, name: str, chunks: Iterable[bytes], now: datetime
) -> File:
    """Store one file; for pages, which have it from Django's form (``upload.chunks()``).

    Args:
        tenant_id, owner_id: whose it is; nobody else sees it until it is bound.
        name: as the sender called it; it is cleaned here.
        chunks: the bytes, at most 10 MiB together.
        now: the database's clock.

    Returns the row, unbound: `binding.bind` it within 24 hours, or it is deleted.

    Raises:
        Problem: 413 file.too_large; 422 file.empty, file.kind; 409 file.too_many_unused; 503
            file.storage.

    Source: contract, Files.
    """
    with disk.Incoming(tenant_id) as incoming:
        for chunk in chunks:
            incoming.write(chunk)
        checked = check(incoming, name)
        return keep(incoming, checked, tenant_id=tenant_id, owner_id=owner_id, now=now)


def check(incoming: Incoming, name: str) -> Checked:
    """Look at a complete upload. Raises Problem 422 file.empty or file.kind, 503 file.storage."""
    arrived = incoming.arrived()
    cleaned = clean_name(name)
    if arrived.size == 0:
        raise Problem(422, "file.empty", _("“%(name)s” holds no bytes.") % {"name": cleaned})
    try:
        media_type = kinds.media_type_of(cleaned, arrived.head)
    except kinds.NotTaken as error:
        detail = _("“%(name)s” is of a kind that is not taken.") % {"name": cleaned}
        raise Problem(422, "file.kind", detail) from error
    return Checked(cleaned, media_type, arrived)


def keep(
    incoming: Incoming, checked: Checked, *, tenant_id: int, owner_id: int, now: datetime
) -> File:
    """Give the bytes their name and write the row, in the caller's transaction if there is one.

    Raises Problem 409 file.too_many_unused, 503 file.storage.
    """
    unused = File.objects.filter(tenant_id=tenant_id, owner_id=owner_id, bound_to="")
    if unused[:MOST_UNUSED].count() >= MOST_UNUSED:
        raise Problem(
            409,
            "file.too_many_unused",
            _("You have %(count)d files that no request uses yet; delete some first.")
            % {"count": MOST_UNUSED},
        )
    file_id = secrets.token_urlsafe(16)
    # Bytes first: a row that can be read must have them, whatever is killed in between.
    incoming.keep(file_id)
    return File.objects.create(
        id=file_id,
        tenant_id=tenant_id,
        owner_id=owner_id,
        name=checked.name,
        size=checked.arrived.size,
        media_type=checked.media_type,
        sha256=checked.arrived.sha256,
        created_at=now,
    )


def shape(file: File) -> dict[str, Any]:
    """``{id, name, size, type, sha256}``; size in bytes (contract, REST)."""
    return {
        "id": file.id,
        "name": file.name,
        "size": file.size,
        "type": file.media_type,
        "sha256": file.sha256,
    }


def described(tenant_id: int, file_ids: Collection[str]) -> dict[str, dict[str, Any]]:
    """The shapes of the files of one tenant by their ids, in one query; unknown ids are left out.

    It asks for no rights: only for whoever may read what holds these ids already.
    """
    found = File.objects.filter(tenant_id=tenant_id, id__in=set(file_ids))
    return {file.id: shape(file) for file in found}
