"""What comes next is changed for one request alone, with a reason, by a manager or a holder.

Theory of operation. The edited process is a row of its own that belongs to the request, written in
the transaction of the command and undone with it; the request moves to it by the same checked
move as to any other version. Nothing is compiled through the cache of versions before the row is
committed: a number that was undone is given again, and the cache would keep the wrong process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flowadmin.directory import permissions
from workflow.engine.canonical import canonical_bytes, digest
from workflow.engine.commands import Migrate
from workflow.engine.editing import edited
from workflow.engine.events import TaskApproved, WentBack
from workflow.engine.evolve import fold
from workflow.engine.future import editing_seats, future_of, why_no_edit
from workflow.engine.rejections import Invalid, VersionMoved
from workflow.forms.findings import Finding
from workflow.forms.scalars import says_something
from workflow.models import SPAN, Instance, Version
from workflow.published import base_of, definition_of
from workflow.runtime.execute import FromHistory, Once, Settled, execute
from workflow.runtime.facts import Organisation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from flowadmin.directory.models import User
    from workflow.engine.decision import Definition
    from workflow.engine.editing import Edited, Wanted
    from workflow.engine.events import AnyEvent
    from workflow.engine.future import Future
    from workflow.engine.state import State
    from workflow.recorded import Recorded

LONGEST_NOTE = 500


def edit_future(
    *,
    instance: Instance,
    user: User,
    edits: Sequence[Wanted],
    reason: str,
    now: datetime,
    version: int | None = None,
    once: Once | None = None,
) -> Settled:
    """Change what comes next in one request.

    Args:
        instance: a request that `access` has given the person.
        user: a manager, or the holder of an open task whose step has the act ``edit_future``.
        edits: what to change, in this order; people by id.
        reason: for the history, where everybody on the request reads it.
        now: the database's clock.
        version: that of the person's own task, as he saw it; nothing when he does not say.
        once: the idempotency receipt.

    Raises Problem: 403 edit.not_yours; 409 instance.not_running, instance.paused, migrate.stuck;
    412 task.version_moved; 422 reason.required, edit.invalid with every finding.
    Source: contract, `edit-future`; approvals.md 5, idea 13.
    """

    def make(history: Sequence[Recorded]) -> Migrate:
        events = [each.event for each in history]
        state = fold(events)
        row = _version_of(instance)
        definition = definition_of(row.pk)
        _check(definition, state, user, version, reason)
        found = _edited(row, definition, state, events, edits, now)
        new = _keep(row, found, instance, user, reason, len(events), now)
        return Migrate(
            definition=found.definition,
            old=row.pk,
            new=new.pk,
            old_number=row.number,
            new_number=row.number,
            comment=reason,
            edits=found.record,
        )

    return execute(
        tenant_id=instance.tenant_id,
        instance_id=instance.pk,
        command=FromHistory(make),
        actor_id=user.pk,
        now=now,
        once=once,
    )


def rehearse(
    *,
    instance: Instance,
    state: State,
    events: Sequence[AnyEvent],
    edits: Sequence[Wanted],
    now: datetime,
) -> Edited:
    """What `edit_future` would make of the process; nothing is written.

    Raises Invalid edit.invalid with every finding.
    """
    row = _version_of(instance)
    return _edited(row, definition_of(row.pk), state, events, edits, now)


def editable(instance: Instance, definition: Definition, state: State) -> Future:
    """What lies ahead of a request and may be edited now, whoever asks."""
    return future_of(definition, state, base_of(instance.version))


def _version_of(instance: Instance) -> Version:
    """By which it goes now: another edit may have come in between since it was read."""
    pk = Instance.objects.values_list("version_id", flat=True).get(pk=instance.pk)
    return Version.with_private.get(pk=pk)


def _check(
    definition: Definition, state: State, user: User, version: int | None, reason: str
) -> None:
    manager = permissions.has(user, permissions.FLOW_MANAGE)
    refusal = why_no_edit(definition, state, user.pk, manager=manager)
    if refusal is not None:
        raise refusal
    seats = [each.version for each in editing_seats(definition, state, user.pk)]
    if version is not None and seats and version not in seats:
        raise VersionMoved("task.version_moved", current_version=seats[0])
    if not says_something(reason):
        raise Invalid("reason.required", findings=(Finding("reason.required", "/reason"),))


def _edited(
    row: Version,
    definition: Definition,
    state: State,
    events: Iterable[AnyEvent],
    edits: Sequence[Wanted],
    now: datetime,
) -> Edited:
    return edited(
        definition,
        state,
        edits,
        Organisation(row.tenant_id, now),
        base=base_of(row),
        relied_on=_relied_on(events),
    )


def _relied_on(events: Iterable[AnyEvent]) -> frozenset[str]:
    """Steps because of which somebody was let off earlier, since the request last went back."""
    found: set[str] = set()
    for event in events:
        if isinstance(event, WentBack):
            found.clear()
        elif isinstance(event, TaskApproved) and event.later:
            found.add(event.later)
    return frozenset(found)


def _keep(
    row: Version,
    found: Edited,
    instance: Instance,
    user: User,
    reason: str,
    position: int,
    now: datetime,
) -> Version:
    stored = canonical_bytes(found.definition.plan.doc)
    return Version.with_private.create(
        tenant_id=row.tenant_id,
        definition_id=row.definition_id,
        number=row.number,
        edition=instance.pk * SPAN + position,
        document=stored.decode(),
        digest=digest(stored),
        form=row.form,
        form_number=row.form_number,
        form_digest=row.form_digest,
        note=reason[:LONGEST_NOTE],
        published_by=user,
        published_at=now,
        private_to=instance,
        visibility=row.visibility,
    )
