"""The preview of a request beside a list: what it says, how it got here, and what can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from workflow import access, queries
from workflow.models import Task
from workflow.pages.answers import reader
from workflow.pages.detail import chosen_task, state_of
from workflow.pages.inbox_rows import rows_of as inbox_rows_of
from workflow.pages.known import outside_of
from workflow.pages.now_with import now_with
from workflow.pages.reading import rows_of, timeline_of
from workflow.reading import reading_of

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


@login_required
@require_safe
def peek(request: HttpRequest, pk: str) -> HttpResponse:
    """`/requests/<id>/peek/?task=`: the inside of the preview pane of a list.

    It reads as the page does, with the same rights to every field. Raises Problem 404 for a
    request that the person may not know of.
    """
    user = reader(request)
    reading = reading_of(user, access.instance(user, access.row_id(pk)))
    task = chosen_task(reading, request.GET.get("task", ""))
    row = None
    if task is not None and task.state == Task.State.OPEN:
        lines = queries.task_lines(Task.objects.filter(pk=task.pk))
        row = inbox_rows_of(user, lines, timezone.now(), to_do=True)[0]
    outside = outside_of(user, reading.definition.form, reading.values())
    context = {
        "instance": reading.instance,
        "state": state_of(reading),
        "task": task,
        "row": row,
        "rows": rows_of(reading, None, outside),
        "open_steps": now_with([reading.instance])[reading.instance.pk],
        "timeline": timeline_of(reading),
    }
    response = render(request, "workflow/peek.html", context)
    response.headers["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["Cookie", "Accept-Language"])
    return response
