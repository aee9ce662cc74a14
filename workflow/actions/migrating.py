"""Running requests are moved from one version of their process to another, one by one.

Theory of operation. Each request is rehearsed first: the very decision that would move it is made
in memory and thrown away, so that a dry run shows what then happens, down to whose inbox changes.
The move itself is one command through the one writer, behind the request's lock and only while
the request still goes by the version that was meant; what went elsewhere meanwhile is left alone.
Nothing is sent for what happened before (decision 22).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext as _

from flowadmin.rest.problems import Problem
from workflow import queries
from workflow.engine.commands import Migrate, UndoMigration
from workflow.engine.decide import decide
from workflow.engine.migrating import plan_move
from workflow.engine.rejections import Rejection
from workflow.models import Event, Instance, Version
from workflow.published import definition_of
from workflow.recorded import read
from workflow.runtime.execute import FromHistory, execute
from workflow.runtime.facts import Organisation
from workflow.wording.moving import why_text
from workflow.wording.rejections import rejection_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from django.db.models import QuerySet

    from flowadmin.directory.models import User
    from workflow.engine.migrating import Fate
    from workflow.engine.state import State
    from workflow.recorded import Recorded

ELSEWHERE = "migrate.elsewhere"
EDITED = "migrate.edited"
CHUNK = 200


@dataclass(frozen=True, slots=True)
class Route:
    """From which version of which process to which; ``undo``: the way back."""

    tenant_id: int
    old: Version
    new: Version
    undo: bool = False

    @property
    def begins(self) -> Version:
        """The version by which the requests go that are meant."""
        return self.new if self.undo else self.old


@dataclass(frozen=True, slots=True)
class Moved:
    """What became, or would become, of one request.

    ``code`` and ``message`` say why it cannot be moved; ``skipped``: it went elsewhere meanwhile;
    ``edited``: what comes next was edited in it, so it is left alone.
    ``gain`` and ``lose`` are people, each once for each open task more or less.
    """

    instance: int
    number: str = ""
    title: str = ""
    code: str = ""
    message: str = ""
    fates: tuple[Fate, ...] = ()
    dropped: tuple[str, ...] = ()
    gain: tuple[int, ...] = ()
    lose: tuple[int, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.code

    @property
    def skipped(self) -> bool:
        return self.code == ELSEWHERE

    @property
    def edited(self) -> bool:
        return self.code == EDITED

    @property
    def failed(self) -> bool:
        return not (self.ok or self.skipped or self.edited)


def route_of(tenant_id: int, key: str, old: int, new: int, *, undo: bool = False) -> Route:
    """The route between two versions, by their numbers, of a process of the tenant.

    Raises Problem: 404 flow.unknown, version.unknown; 422 migrate.same_version.
    """
    rows = Version.objects.filter(tenant_id=tenant_id, definition__key=key)
    found = {each.number: each for each in rows.filter(number__in=[old, new]).defer("document")}
    if not found and not rows.exists():
        raise Problem(404, "flow.unknown", rejection_text("flow.unknown"))
    for number in (old, new):
        if number not in found:
            text = _("This process has no version %(number)s.") % {"number": number}
            raise Problem(404, "version.unknown", text)
    if old == new:
        raise Problem(422, "migrate.same_version", _("These are one and the same version."))
    return Route(tenant_id, found[old], found[new], undo)


def candidates(route: Route) -> Iterator[int]:
    """The ids of the running requests that the route is about, ascending, a batch at a time.

    Also those that were edited on the way out: they stay what they are, and are told.
    """
    rows = Instance.objects.filter(tenant_id=route.tenant_id, state=Instance.State.RUNNING)
    goes_by = Q(version=route.begins)
    if not route.undo:
        goes_by |= Q(version__in=_edited_from(route.begins))
    rows = rows.filter(goes_by).order_by("pk")
    if route.undo:
        moves = Event.objects.filter(instance=OuterRef("pk"), kind="migrated")
        rows = rows.filter(Exists(moves))
    after = 0
    while ids := list(rows.filter(pk__gt=after).values_list("pk", flat=True)[:CHUNK]):
        yield from ids
        after = ids[-1]


def count(route: Route) -> int:
    """How many `candidates` there are now."""
    return sum(1 for _ in candidates(route))


def rehearse(route: Route, instance_id: int, now: datetime) -> Moved:
    """What moving this request, or moving it back, would do now. Nothing is written."""
    row = Instance.objects.filter(
        pk=instance_id, tenant_id=route.tenant_id, state=Instance.State.RUNNING
    ).first()
    if row is not None and row.version_id == route.begins.pk:
        return _rehearsed(route, row, now)
    if row is not None and _edited_from(route.begins).filter(pk=row.version_id).exists():
        # Somebody decided what is next for this very request; a new version knows nothing of it.
        text = rejection_text(EDITED)
        return Moved(row.pk, row.number, row.title, code=EDITED, message=text)
    return _went_elsewhere(Moved(instance_id))


def move(
    route: Route, instance_id: int, *, user: User | None, reason: str, now: datetime
) -> Moved:
    """Move one request, or move it back, in a transaction of its own.

    Args:
        route: see `route_of`.
        instance_id: one of `candidates`.
        user: who does it; nothing from a command line, and then the history names nobody.
        reason: for the history.
        now: the database's clock.

    What cannot be moved is told in the answer and stays as it is.
    """
    planned = rehearse(route, instance_id, now)
    if not planned.ok:
        return planned
    try:
        settled = execute(
            tenant_id=route.tenant_id,
            instance_id=instance_id,
            command=_command(route, reason),
            actor_id=user.pk if user else None,
            now=now,
            fence=_still_there(route, instance_id),
        )
    except Problem as problem:
        return replace(planned, code=problem.code, message=str(problem.detail))
    if settled.outcome is None or settled.outcome.projection.before is None:
        return planned
    gain, lose = _inboxes(settled.outcome.projection.before, settled.outcome.state)
    return replace(planned, gain=gain, lose=lose)


def _edited_from(version: Version) -> QuerySet[Version]:
    """Requests' own versions that were made from this published one."""
    return Version.with_private.filter(
        definition=version.definition_id, number=version.number, private_to__isnull=False
    )


def _still_there(route: Route, instance_id: int) -> Callable[[], None]:
    def fence() -> None:
        """The race: another move of the same request. The lock is that of the command."""
        rows = Instance.objects.select_for_update().filter(pk=instance_id)
        if rows.values_list("version_id", flat=True).first() != route.begins.pk:
            raise Problem(409, ELSEWHERE, _elsewhere())

    return fence


def _rehearsed(route: Route, row: Instance, now: datetime) -> Moved:
    moved = Moved(row.pk, row.number, row.title)
    before = queries.state_of(row)
    if not route.undo:
        plan = plan_move(definition_of(route.old.pk), definition_of(route.new.pk), before)
        moved = replace(moved, fates=plan.fates, dropped=plan.dropped)
    made = _command(route, "")
    command = made.make(tuple(read(row.pk))) if isinstance(made, FromHistory) else made
    facts = Organisation(route.tenant_id, now)
    try:
        run = decide(definition_of(row.version_id), before, command, facts, now)
    except Rejection as refusal:
        return replace(moved, code=refusal.code, message=_why(refusal, moved.fates))
    gain, lose = _inboxes(before, run.state)
    return replace(moved, gain=gain, lose=lose)


def _command(route: Route, reason: str) -> Migrate | FromHistory:
    old, new = route.old, route.new
    if not route.undo:
        return Migrate(
            definition=definition_of(new.pk),
            old=old.pk,
            new=new.pk,
            old_number=old.number,
            new_number=new.number,
            comment=reason,
        )

    def make(history: Sequence[Recorded]) -> UndoMigration:
        return UndoMigration(
            definition=definition_of(old.pk),
            old=old.pk,
            new=new.pk,
            old_number=old.number,
            new_number=new.number,
            history=tuple(each.event for each in history),
            comment=reason,
        )

    return FromHistory(make)


def _inboxes(before: State, after: State) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Whose inbox gains an open task, and whose loses one."""
    then, now = _open_tasks(before), _open_tasks(after)
    gain = tuple(now[seat] for seat in now if then.get(seat) != now[seat])
    lose = tuple(then[seat] for seat in then if now.get(seat) != then[seat])
    return gain, lose


def _open_tasks(state: State) -> dict[int, int]:
    return {
        seat.number: seat.holder
        for activation in state.activations
        for seat in activation.seats
        if seat.is_open
    }


def _why(refusal: Rejection, fates: Sequence[Fate]) -> str:
    stuck = [f"{each.step}: {why_text(each)}" for each in fates if each.what == "stuck"]
    return " ".join([rejection_text(refusal.code), *stuck])


def _went_elsewhere(moved: Moved) -> Moved:
    return replace(moved, code=ELSEWHERE, message=_elsewhere())


def _elsewhere() -> str:
    return _("The request has ended, or was moved to another version, in the meantime.")
