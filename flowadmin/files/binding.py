"""Binding files to the place that holds them, in the transaction of the command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from flowadmin.files.models import PLACE_LENGTH, File
from flowadmin.rest.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime


class CannotBind(Problem):
    """A file that cannot be bound; ``file_id`` says which, ``errors[0].args.file`` says so too."""

    def __init__(self, status: int, code: str, detail: str, file_id: str) -> None:
        found = {"code": code, "args": {"file": file_id}, "message": detail}
        super().__init__(status, code, detail, errors=[found])
        self.file_id = file_id


class NotYours(CannotBind):
    """422 file.unknown: another's, another tenant's, deleted, or never there; all alike."""

    def __init__(self, file_id: str) -> None:
        detail = _("There is no such file of yours; upload it again.")
        super().__init__(422, "file.unknown", detail, file_id)


class NotUnbound(CannotBind):
    """409 file.bound: the person's own file, which another place holds already."""

    def __init__(self, file_id: str) -> None:
        detail = _("This file belongs to another place already; upload it again.")
        super().__init__(409, "file.bound", detail, file_id)


def bind(
    *, tenant_id: int, file_ids: Collection[str], owner_id: int, bound_to: str, now: datetime
) -> None:
    """Bind files to one place, all or none; inside the transaction of the command.

    Args:
        tenant_id: of the request.
        file_ids: as the person sent them; they may be of any text.
        owner_id: who acts: only their own unbound files can be bound.
        bound_to: the place, kind first, such as ``instance:17:field:receipt`` or
            ``instance:17:seat:3``; at most 120 characters. What this place holds already stays
            and is no error, so a changed value may name its old files again.
        now: the database's clock.

    Raises:
        NotYours, NotUnbound: Problems about the first file that cannot be bound; the caller's
            transaction is undone by letting them pass. RuntimeError: there is no transaction.

    Source: contract, Files (bound in the command's transaction).
    """
    if not transaction.get_connection().in_atomic_block:
        message = "Files are bound in the transaction of the command that names them."
        raise RuntimeError(message)
    kind, colon, _rest = bound_to.partition(":")
    if not (kind and colon and len(bound_to) <= PLACE_LENGTH):
        message = f"No place to bind files to: {bound_to!r}"
        raise ValueError(message)
    wanted = list(dict.fromkeys(file_ids))
    if not wanted:
        return
    # The race: the sweep deletes an old file, or another request takes it. One conditional
    # statement decides; the rows are looked at only to say what was wrong.
    rows = File.objects.filter(tenant_id=tenant_id, id__in=wanted)
    taken = rows.filter(owner_id=owner_id, bound_to="").update(bound_to=bound_to, bound_at=now)
    if taken == len(wanted):
        return
    held = set(rows.filter(bound_to=bound_to).values_list("id", flat=True))
    own = set(rows.filter(Q(owner_id=owner_id)).values_list("id", flat=True))
    for file_id in wanted:
        if file_id not in held:
            raise NotUnbound(file_id) if file_id in own else NotYours(file_id)
