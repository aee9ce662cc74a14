"""Which version new requests begin with: the pointer is moved, taken back, or halted.

Theory of operation. A version never changes and is never deleted; publishing and undoing only
move the pointer of the process, and each move is a row that says who, when, why, from and to.
These rows are a stack: undoing takes off what was published last and finds the version that was
current before, so that undoing twice goes back twice. Requests that run are never touched
(approvals.md 5, idea 18; `flow_migrate` moves them, on purpose).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from flowadmin.rest.problems import Problem
from workflow.forms.scalars import says_something
from workflow.models import Definition, Publication
from workflow.wording.rejections import rejection_text

if TYPE_CHECKING:
    from datetime import datetime

    from flowadmin.directory.models import User
    from workflow.models import Version

Kind = Publication.Kind


def point_to(
    definition: Definition, version: Version, *, user: User | None, reason: str, now: datetime
) -> None:
    """Let new requests begin with a version, as a publication; nothing when they do already.

    The caller holds the lock of the process' row (`lock`).
    """
    before = _current(definition)
    if before == version.pk:
        return
    Definition.objects.filter(pk=definition.pk).update(current=version)
    _record(definition, Kind.PUBLISHED, before, version.pk, user, reason, now)


def undo_publish(*, user: User, definition: Definition, reason: str, now: datetime) -> Version:
    """Move the pointer back to the version that was current before the last publication.

    Args:
        user: who does it; that he may was asked by whoever calls.
        definition: a process of his tenant.
        reason: for the record; must say something.
        now: the database's clock.

    Returns the version that is current from now on. Raises Problem: 409
    publication.nothing_before, 422 reason.required.
    """
    with transaction.atomic():
        lock(definition)
        published = _published(definition)
        if len(published) < 2:
            raise Problem(
                409,
                "publication.nothing_before",
                _("No version was current before this one."),
            )
        _require_reason(reason)
        before, after = published[-1], published[-2]
        Definition.objects.filter(pk=definition.pk).update(current_id=after)
        _record(definition, Kind.UNDONE, before, after, user, reason, now)
        return definition.versions.get(pk=after)


def require_other(*, definition: Definition, version: Version, reason: str) -> None:
    """Whether a version may become the current one again, with this reason.

    The caller holds the lock of the process' row (`lock`). Raises Problem: 409 version.is_live,
    422 reason.required.
    """
    if _current(definition) == version.pk:
        text = _("New requests begin with version %(number)d already.")
        raise Problem(409, "version.is_live", text % {"number": version.number})
    _require_reason(reason)


def suspend(*, user: User, definition: Definition, reason: str, now: datetime) -> None:
    """Accept no new requests; those that run go on. Raises Problem: 409 flow.suspended, 422."""
    with transaction.atomic():
        lock(definition)
        if _state(definition) == Definition.State.SUSPENDED:
            raise Problem(409, "flow.suspended", rejection_text("flow.suspended"))
        _require_reason(reason)
        _switch(definition, Definition.State.SUSPENDED, Kind.SUSPENDED, user, reason, now)


def resume(*, user: User, definition: Definition, reason: str, now: datetime) -> None:
    """Accept new requests again. Raises Problem: 409 flow.not_suspended, 422."""
    with transaction.atomic():
        lock(definition)
        if _state(definition) == Definition.State.ACTIVE:
            raise Problem(409, "flow.not_suspended", _("This process is not suspended."))
        _require_reason(reason)
        _switch(definition, Definition.State.ACTIVE, Kind.RESUMED, user, reason, now)


def lock(definition: Definition) -> None:
    """Take the lock of the row until the transaction ends, on every database.

    The race: two people publish, undo or halt at the same moment. An update locks everywhere,
    also where `select_for_update` is ignored.
    """
    Definition.objects.filter(pk=definition.pk).update(tenant_id=definition.tenant_id)


def _published(definition: Definition) -> list[int]:
    """The versions on the stack, the current one last."""
    stack: list[int] = []
    rows = definition.publications.filter(kind__in=[Kind.PUBLISHED, Kind.UNDONE]).order_by("pk")
    for kind, after in rows.values_list("kind", "after_id"):
        if kind == Kind.UNDONE:
            stack.pop()
        elif after is not None:
            stack.append(after)
    return stack


def _switch(
    definition: Definition,
    state: Definition.State,
    kind: Publication.Kind,
    user: User,
    reason: str,
    now: datetime,
) -> None:
    Definition.objects.filter(pk=definition.pk).update(state=state)
    current = _current(definition)
    _record(definition, kind, current, current, user, reason, now)


def _record(
    definition: Definition,
    kind: Publication.Kind,
    before: int | None,
    after: int | None,
    user: User | None,
    reason: str,
    now: datetime,
) -> None:
    Publication.objects.create(
        tenant_id=definition.tenant_id,
        definition=definition,
        kind=kind,
        before_id=before,
        after_id=after,
        reason=reason,
        by=user,
        at=now,
    )


def _current(definition: Definition) -> int | None:
    """Read behind the lock: the row in memory may be older."""
    return Definition.objects.values_list("current_id", flat=True).get(pk=definition.pk)


def _state(definition: Definition) -> str:
    return Definition.objects.values_list("state", flat=True).get(pk=definition.pk)


def _require_reason(reason: str) -> None:
    if not says_something(reason):
        raise Problem(422, "reason.required", rejection_text("reason.required"))
