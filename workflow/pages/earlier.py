"""What a person said and what a form held before: offered, or shown, and never taken silently."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flowadmin.rest.problems import Problem
from workflow import access, recorded
from workflow.engine.events import Migrated, MigrationUndone
from workflow.engine.evolve import fold
from workflow.models import Task
from workflow.pages.answers import page, reader
from workflow.pages.known import outside_of
from workflow.pages.reading import rows_of
from workflow.published import definition_of
from workflow.reading import reading_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from django.http import HttpRequest, HttpResponse

    from workflow.models import Instance
    from workflow.reading import Reading
    from workflow.recorded import Recorded

_SAID = frozenset({Task.State.APPROVED, Task.State.REJECTED, Task.State.DONE})


def earlier_words(reading: Reading, task: Task) -> str:
    """What the holder of a task said the last time at the same step; empty when nothing.

    For offering it again (approvals.md 4, number 27): whoever wants it takes it by a click.
    """
    seats = {
        each.number
        for each in reading.tasks
        if each.step == task.step
        and each.holder_id == task.holder_id
        and each.decided_by_id == task.holder_id
        and each.pk != task.pk
        and each.state in _SAID
    }
    if not seats:
        return ""
    said = ""
    for record in recorded.read(reading.instance.pk):
        if getattr(record.event, "seat", 0) in seats:
            said = getattr(record.event, "comment", "") or said
    return said


@login_required
@require_safe
def form_then(request: HttpRequest, pk: str) -> HttpResponse:
    """`/requests/<id>/then/?at=<moment>`: the form as it was, in the version of that time.

    ``at`` is ISO 8601 with a zone; everything up to and with it counts. What this reader may not
    see now he does not see of then. Raises Problem 404, 400 query.malformed. Source: approvals.md
    4, number 76.
    """
    user = reader(request)
    reading = reading_of(user, access.instance(user, access.row_id(pk)))
    at = _moment(request.GET.get("at", ""))
    records = [each for each in recorded.read(reading.instance.pk) if each.at <= at]
    if not records:
        raise Problem(404, "not_found", _("The request had not been filed then."))
    definition = definition_of(_version_then(reading.instance, records))
    state = fold([each.event for each in records])
    then = replace(reading, definition=definition, state=state)
    outside = outside_of(user, definition.form, then.values())
    context = {
        "instance": reading.instance,
        "at": at,
        "rows": rows_of(then, then.rights, outside),
    }
    return page(request, "workflow/then.html", context)


def _moment(text: str) -> datetime:
    try:
        found = parse_datetime(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise Problem(
            400,
            "query.malformed",
            _("The parameter “%(name)s” cannot be read.") % {"name": "at"},
        )
    return found


def _version_then(instance: Instance, records: Sequence[Recorded]) -> int:
    """The version by which the request went at the end of these records."""
    moves = [each.event for each in records if isinstance(each.event, Migrated | MigrationUndone)]
    if moves:
        return moves[-1].new
    first = next(
        (
            each.event.old
            for each in recorded.read(instance.pk)
            if isinstance(each.event, Migrated)
        ),
        instance.version_id,
    )
    return first or instance.version_id
