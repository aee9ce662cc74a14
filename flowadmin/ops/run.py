"""One request as a machine sees it: its events, what it waits for, and how its work went."""

from __future__ import annotations

from dataclasses import dataclass
from json import dumps
from typing import TYPE_CHECKING, Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flowadmin import clock
from flowadmin.directory import permissions
from flowadmin.ops import lists, redaction
from flowadmin.ops.runs import rows_of
from notifications.models import Callback
from workflow import access
from workflow.models import Call, Instance, Job
from workflow.pages.answers import page, place_in, reader
from workflow.pages.now_with import now_with

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime, timedelta

    from django.http import HttpRequest

    from flowadmin.ops.runs import Row
    from workflow.models import Event

MOST_JOBS = 50
MOST_EXPORTED = 10_000


@dataclass(frozen=True, slots=True)
class Told:
    """One event; ``attempts`` and ``duration`` of that of which it is the end."""

    position: int
    kind: str
    at: datetime
    attempts: int
    duration: timedelta | None
    facts: dict[str, Any]

    @property
    def text(self) -> str:
        """What may be seen of it, to read."""
        return dumps(self.facts, ensure_ascii=False, indent=1) if self.facts else ""

    @property
    def lasted(self) -> str:
        """The duration in words, to the second."""
        return "" if self.duration is None else span(self.duration)


@dataclass(frozen=True, slots=True)
class Waits:
    """One thing that a request waits for: for whom or what, and until when if that is known."""

    text: str
    until: datetime | None = None


@login_required
@require_safe
def run(request: HttpRequest, pk: str) -> HttpResponse:
    """`/ops/runs/<request>/` (interface.md 7.13). Raises Problem 403, 404, 400."""
    user = reader(request)
    access.require(user, permissions.OPS_VIEW)
    instance = lists.request_of(user, pk)
    place = place_in(request, instance.position)
    jobs = rows_of(Job.objects.filter(instance=instance).order_by("-id")[:MOST_JOBS])
    context = {
        "instance": instance,
        "may_read": access.may_read(user, instance.pk),
        "waits": list(_waits(instance, jobs)),
        "jobs": jobs,
        "calls": Call.objects.filter(instance=instance).order_by("-id")[:MOST_JOBS],
        "callbacks": Callback.objects.filter(instance=instance).order_by("-id")[:MOST_JOBS],
        "events": told(instance, lists.events_of(instance)[place.start : place.stop]),
        "place": place,
        "now": clock.now(),
    }
    return page(request, "ops/run.html", context)


@login_required
@require_safe
def export_run(request: HttpRequest, pk: str) -> HttpResponse:
    """The same events as a JSON file, as far as MOST_EXPORTED. Raises Problem 403, 404."""
    user = reader(request)
    access.require(user, permissions.OPS_VIEW)
    instance = lists.request_of(user, pk)
    events = told(instance, lists.events_of(instance)[:MOST_EXPORTED])
    document = {
        "request": str(instance.pk),
        "number": instance.number,
        "process": instance.definition.key,
        "version": instance.version.number,
        "state": instance.state,
        "events": [
            {
                "seq": each.position,
                "type": each.kind,
                "at": each.at.isoformat(),
                "attempts": each.attempts,
                "seconds": None if each.duration is None else each.duration.total_seconds(),
                "data": each.facts,
            }
            for each in events
        ],
        "complete": instance.position <= MOST_EXPORTED,
    }
    response = HttpResponse(
        dumps(document, ensure_ascii=False, indent=1), content_type="application/json"
    )
    response.headers["Content-Disposition"] = f'attachment; filename="run-{instance.pk}.json"'
    response.headers["Cache-Control"] = "private, no-store"
    return response


def told(instance: Instance, events: Iterable[Event]) -> list[Told]:
    """The events with what may be seen of them, in at most three further statements."""
    read = [(event, redaction.facts_of(event.payload)) for event in events]
    began = lists.beginnings(instance, [(event.kind, facts) for event, facts in read])
    return [
        Told(
            position=event.position,
            kind=event.kind,
            at=event.at,
            attempts=began.attempts(event.kind, facts),
            duration=began.duration(event.kind, facts, event.at),
            facts=redaction.shown(facts),
        )
        for event, facts in read
    ]


def _waits(instance: Instance, jobs: Iterable[Row]) -> Iterator[Waits]:
    """Why it does not go on by itself right now; nothing when it has ended."""
    if instance.state != Instance.State.RUNNING:
        return
    if instance.held:
        yield Waits(_("It is held (%(code)s): a manager has to act.") % {"code": instance.held})
    for step in now_with([instance])[instance.pk]:
        if step.automatic:
            yield Waits(_("“%(step)s” is carried out automatically.") % {"step": step.name})
        elif step.people:
            people = ", ".join(step.people)
            yield Waits(
                _("“%(step)s”: task with %(people)s.") % {"step": step.name, "people": people}
            )
    for row in jobs:
        yield from _waits_of(row)


def _waits_of(row: Row) -> Iterator[Waits]:
    job, kind = row.job, {"kind": row.job.kind}
    if job.state == Job.State.LEASED:
        yield Waits(_("Work “%(kind)s” is being carried out; lease until") % kind, job.lease_until)
    elif job.state == Job.State.PENDING and row.due_at is None:
        yield Waits(_("Work “%(kind)s” waits for an answer from outside.") % kind)
    elif job.state == Job.State.PENDING and job.retry_count:
        yield Waits(_("Work “%(kind)s” went wrong and is tried again at") % kind, row.due_at)
    elif job.state == Job.State.PENDING:
        yield Waits(_("Work “%(kind)s” is due at") % kind, row.due_at)


def span(length: timedelta) -> str:
    """A length of time as ``1 d 02:03:04`` or ``0.12 s``; the same in all languages."""
    seconds = length.total_seconds()
    if seconds < 60:
        return f"{seconds:.2f} s"
    hours, rest = divmod(int(seconds), 3600)
    clock_face = f"{hours % 24:02}:{rest // 60:02}:{rest % 60:02}"
    return f"{hours // 24} d {clock_face}" if hours >= 24 else clock_face
