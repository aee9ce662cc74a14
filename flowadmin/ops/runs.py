"""The list of background work for operators: what is due, in work, and what goes wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flowadmin import clock, metrics
from flowadmin.coordination import beat, presence
from flowadmin.directory import permissions
from flowadmin.ops import lists
from flowadmin.rest.problems import Problem
from workflow import access
from workflow.pages.answers import go_on, one_of, page, place_in, reader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from django.http import HttpRequest, HttpResponse

    from flowadmin.coordination.models import RunningProcess
    from flowadmin.directory.models import User
    from workflow.models import Instance, Job

LONGEST_NUMBER = 64
RETRIED = 3
MOST_RETRIES = 1000
# Work that waits for somebody's word has a due time in the year 9999.
NEVER = 9000
CHIPS = {
    "pending": "blocked",
    "leased": "running",
    "done": "done",
    "cancelled": "closed",
    "put_off": "paused",
}


@dataclass(frozen=True, slots=True)
class Row:
    """A job as the list and the page of its request show it."""

    job: Job
    chip: str
    due_at: datetime | None
    error: str


@dataclass(frozen=True, slots=True)
class Queue:
    """How long one queue of the tenant is, and how old its oldest due row."""

    label: str
    waiting: int
    oldest_due: datetime | None


@login_required
@require_safe
def runs(request: HttpRequest) -> HttpResponse:
    """`/ops/runs/?tab=…&more=n`, and `?number=…` to find a request (interface.md 7.13).

    Raises Problem 403 without `ops.view`, 400 for what cannot be read.
    """
    user = reader(request)
    access.require(user, permissions.OPS_VIEW)
    number = request.GET.get("number", "").strip()
    found = _found(user, number)
    if found is not None:
        return go_on(request, reverse("run", args=[found.pk]))
    now = clock.now()
    processes = presence.living(now)
    tab = one_of(request, "tab", lists.TABS, "due")
    more_than = _more_than(request)
    rows = lists.jobs_of(user, tab, now, more_than)
    place = place_in(request, rows.order_by()[: lists.MOST_LISTED].count())
    context = {
        "tab": tab,
        "more_than": more_than,
        "rows": rows_of(rows[place.start : place.stop]),
        "place": place,
        "number": number,
        "queues": list(_queues(user, now)),
        "processes": [(each, _role(each)) for each in processes],
        "sees_hosts": user.is_superuser,
        "silent": settings.CLUSTER and beat.is_silent(now),
        "idle": not any(_works(each) for each in processes),
        "now": now,
    }
    return page(request, "ops/runs.html", context)


def rows_of(jobs: object) -> list[Row]:
    """Jobs with the words that the templates show."""
    return [_row(job) for job in jobs]  # type: ignore[attr-defined]  # a queryset or a list


def _row(job: Job) -> Row:
    due_at = None if job.due_at.year > NEVER else job.due_at
    return Row(job, CHIPS[job.state], due_at, str(job.details.get("last_error", "")))


def _found(user: User, number: str) -> Instance | None:
    if not number or len(number) > LONGEST_NUMBER:
        return None
    return lists.request_numbered(user, number)


def _more_than(request: HttpRequest) -> int:
    """Raises Problem 400 query.malformed."""
    text = request.GET.get("more", str(RETRIED))
    if text.isascii() and text.isdecimal() and len(text) < 5 and int(text) <= MOST_RETRIES:
        return int(text)
    message = _("The parameter “%(name)s” cannot be read.") % {"name": "more"}
    raise Problem(400, "query.malformed", message)


def _queues(user: User, now: datetime) -> Iterator[Queue]:
    """The tenant's queues, with the same statements as `/metrics`."""
    labels = {
        "jobs": _("Automatic steps and deadlines"),
        "calls": _("Calls of other systems"),
        "reminders": _("Reminders"),
        "callbacks": _("Callbacks"),
        "messages": _("Messages outside"),
    }
    for name, (due, column) in metrics.due_rows(now, user.tenant_id).items():
        yield Queue(labels[name], int(metrics.counted(due)), metrics.oldest(due, column))


def _role(process: RunningProcess) -> str:
    return {
        "web server": _("Web server"),
        "background worker": _("Background worker"),
        "celery worker": _("Celery worker"),
        "celery beat": _("Celery beat"),
    }.get(process.role, process.role)


def _works(process: RunningProcess) -> bool:
    return process.role in {"background worker", "celery worker"}
