"""A request on paper: the form as its reader may see it, who signed, and the whole trail."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flowadmin import clock
from workflow import access
from workflow.pages.answers import page, reader
from workflow.pages.known import outside_of
from workflow.pages.reading import rows_of, timeline_of
from workflow.pages.tables import download
from workflow.reading import entries_of, reading_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse
    from django.http.response import HttpResponseBase

    from workflow.wording.telling import Entry


@login_required
@require_safe
def print_request(request: HttpRequest, pk: str) -> HttpResponse:
    """`/requests/<id>/print/`. Raises Problem 404 for a request that is not this reader's."""
    user = reader(request)
    reading = reading_of(user, access.instance(user, access.row_id(pk)))
    outside = outside_of(user, reading.definition.form, reading.values())
    context = {
        "instance": reading.instance,
        "rows": rows_of(reading, reading.rights, outside),
        # Nothing can be unfolded on paper.
        "timeline": [
            {**entry, "notes": entry["reasons"], "why": ()} for entry in timeline_of(reading)
        ],
        "printed_at": clock.now(),
    }
    return page(request, "workflow/print.html", context)


@login_required
@require_safe
def records(request: HttpRequest, pk: str) -> HttpResponseBase:
    """`/requests/<id>/records.csv`: the trail as a table, as far as this person may know it.

    Raises Problem 404.
    """
    user = reader(request)
    reading = reading_of(user, access.instance(user, access.row_id(pk)))
    head = [_("When"), _("What"), _("Who"), _("Comment"), _("Why")]
    cells = [_cells(entry) for entry in entries_of(reading)]
    return download(f"request-{reading.instance.pk}", "csv", head, cells)


def _cells(entry: Entry) -> tuple[str, ...]:
    when = formats.date_format(timezone.localtime(entry.at), "c")
    return (when, entry.text, entry.actor or "", entry.comment, "; ".join(entry.why))
