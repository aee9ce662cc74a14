"""The lists as files: the inbox's boxes with their filter, and a person's own requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.http import require_safe

from workflow import access, queries
from workflow.pages.answers import one_of, reader
from workflow.pages.inbox import asked_in, tasks_asked
from workflow.pages.mine import TABS, of_tab, state_shown
from workflow.pages.tables import CHUNK, FORMATS, MOST_ROWS, download
from workflow.wording.states import instance_state, listed, task_state

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from django.db.models import QuerySet
    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

    from workflow.models import Instance, Task
    from workflow.pages.tables import Cell


@login_required
@require_safe
def export_inbox(request: HttpRequest) -> HttpResponseBase:
    """`/inbox/export/?format=csv|xlsx` and what else the address of the list says.

    All its rows, not only those of a page. Raises Problem 400 as the list does.
    """
    user, kind = reader(request), one_of(request, "format", FORMATS, "csv")
    asked = asked_in(request.GET)
    access.require_flow(user, asked.wanted.flow)
    head = [
        _("Number"),
        _("Title"),
        _("Process"),
        _("Step"),
        pgettext("person", "From"),
        _("Received"),
        pgettext("a deadline", "Due"),
        _("State"),
        _("Decided"),
        _("State of the request"),
    ]
    rows = tasks_asked(user, asked, timezone.now())
    return download(f"inbox-{asked.box}", kind, head, _tasks(rows))


def _tasks(rows: QuerySet[Task]) -> Iterator[Sequence[Cell]]:
    fields = (
        "instance__number", "instance__title", "instance__definition__name", "step_name",
        "instance__initiator__name", "created_at", "due_at", "state", "decided_at",
        "instance__state",
    )  # fmt: skip
    for row in rows.values_list(*fields)[:MOST_ROWS].iterator(chunk_size=CHUNK):
        yield (*row[:7], task_state(row[7]), row[8], instance_state(row[9]))


@login_required
@require_safe
def export_mine(request: HttpRequest) -> HttpResponseBase:
    """`/mine/export/?tab=&format=csv|xlsx`: the reader's own requests of a tab.

    Raises Problem 400 for a tab or a format that is none.
    """
    user, kind = reader(request), one_of(request, "format", FORMATS, "csv")
    tab = one_of(request, "tab", TABS, "running")
    head = [
        _("Number"),
        _("Title"),
        _("Process"),
        _("State"),
        _("Started"),
        pgettext("a request", "Ended"),
        _("Now with"),
    ]
    rows = of_tab(queries.my_instances(user), tab).select_related("definition")
    return download(f"requests-{tab}", kind, head, _requests(rows))


def _requests(rows: QuerySet[Instance]) -> Iterator[Sequence[Cell]]:
    chunk: list[Instance] = []
    for row in rows[:MOST_ROWS].iterator(chunk_size=CHUNK):
        chunk.append(row)
        if len(chunk) == CHUNK:
            yield from _with_holders(chunk)
            chunk = []
    yield from _with_holders(chunk)


def _with_holders(chunk: list[Instance]) -> Iterator[Sequence[Cell]]:
    """A handful of requests with who has them now, in one statement."""
    holders = queries.holders([each.pk for each in chunk]) if chunk else {}
    for each in chunk:
        now_with = listed(f"{name} ({step})" for name, step in holders.get(each.pk, []))
        yield (
            each.number,
            each.title,
            each.definition.name,
            instance_state(state_shown(each)),
            each.started_at,
            each.ended_at,
            now_with,
        )
