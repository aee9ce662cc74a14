"""A request on paper: the form as its reader may see it, who signed, and the whole trail."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.utils import formats, timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flowadmin import clock
from workflow import access
from workflow.pages.answers import page, reader
from workflow.pages.flow_picture import picture, taken_by
from workflow.pages.known import outside_of
from workflow.pages.reading import rows_of, timeline_of
from workflow.reading import entries_of, reading_of

if TYPE_CHECKING:
    from django.http import HttpRequest

    from workflow.wording.telling import Entry

# What a spreadsheet would take for a formula when it stands first in a cell.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


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
def picture_of_request(request: HttpRequest, pk: str) -> HttpResponse:
    """`/requests/<id>/picture/`: the way that the request has taken. Raises Problem 404."""
    user = reader(request)
    reading = reading_of(user, access.instance(user, access.row_id(pk)))
    context = {
        "instance": reading.instance,
        "cards": picture(reading.definition, user.tenant_id, taken_by(reading)),
    }
    return page(request, "workflow/request_picture.html", context)


@login_required
@require_safe
def records(request: HttpRequest, pk: str) -> HttpResponse:
    """`/requests/<id>/records.csv`: the trail as a table, as far as this person may know it.

    Raises Problem 404.
    """
    user = reader(request)
    reading = reading_of(user, access.instance(user, access.row_id(pk)))
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    name = f"request-{reading.instance.pk}.csv"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Cache-Control"] = "private, no-cache"
    # Without the mark a spreadsheet reads UTF-8 as something else.
    response.write("\ufeff")
    table = csv.writer(response)
    table.writerow([_("When"), _("What"), _("Who"), _("Comment"), _("Why")])
    for entry in entries_of(reading):
        table.writerow([_harmless(cell) for cell in _cells(entry)])
    return response


def _cells(entry: Entry) -> tuple[str, ...]:
    when = formats.date_format(timezone.localtime(entry.at), "c")
    return (when, entry.text, entry.actor or "", entry.comment, "; ".join(entry.why))


def _harmless(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
