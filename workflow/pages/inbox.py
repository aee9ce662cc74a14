"""The inbox: what waits for a person, what they decided, and what was copied to them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flowadmin.rest.preconditions import is_unchanged
from flowadmin.rest.problems import Problem
from workflow import queries
from workflow.access import require_flow, row_id
from workflow.lists import narrowed, offered_in, tasks_of
from workflow.models import SavedView, Task
from workflow.pages.answers import Place, language_of_page, page, place_in, reader
from workflow.pages.filters import query_of, shown, wanted_in
from workflow.pages.inbox_rows import rows_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from django.db.models import QuerySet
    from django.http import HttpRequest

    from flowadmin.directory.models import User
    from workflow.lists import Box, Wanted
    from workflow.queries import TaskLine

BOXES = ("todo", "done", "copied")
LARGEST_PAGE = 100


@dataclass(frozen=True, slots=True)
class Asked:
    """Which list an address means: the box and the filter, and the address without its page."""

    box: Box
    wanted: Wanted

    @property
    def query(self) -> str:
        """The part of an address that asks for this list; empty for the inbox as it is."""
        return query_of(self.wanted, box="" if self.box == "todo" else self.box)

    @property
    def address(self) -> str:
        """The whole address of the list."""
        return address_of(self.query)


def address_of(query: str) -> str:
    """The inbox with this query."""
    return f"{reverse('inbox')}?{query}" if query else reverse("inbox")


def asked_in(parameters: Mapping[str, str]) -> Asked:
    """What an address asks for. Raises Problem 400 for a box or a filter that is none."""
    box = parameters.get("box", "todo")
    if box not in BOXES:
        raise Problem(
            400,
            "query.malformed",
            _("The parameter “%(name)s” cannot be read.") % {"name": "box"},
        )
    return Asked(cast("Box", box), wanted_in(parameters))


def tasks_asked(user: User, asked: Asked, now: datetime) -> QuerySet[Task]:
    """The tasks of a list with its filter, in its order."""
    rows = tasks_of(user, asked.box, now)
    return narrowed(rows, asked.wanted, now=now, zone=timezone.get_current_timezone())


@login_required
@require_safe
def inbox(request: HttpRequest) -> HttpResponse:
    """`/inbox/?box=todo|done|copied` with a filter. Raises Problem 400 for what is none of it."""
    return show_list(request, asked_in(request.GET))


def show_list(
    request: HttpRequest, asked: Asked, *, picked: Collection[int] = (), **more: Any
) -> HttpResponse:
    """The page of a list; ``picked`` are ids of tasks that stay chosen, ``more`` goes along."""
    user, now = reader(request), timezone.now()
    todo = queries.inbox_count(user)
    lines, place = _page_of(request, user, asked, todo)
    to_do = asked.box == "todo"
    context: dict[str, Any] = {
        "box": asked.box,
        "rows": rows_of(user, lines, now, to_do=to_do, picked=picked),
        "place": place,
        "todo": todo,
        "counters": {"todo": min(todo, queries.MOST_COUNTED)},
        "notices_address": _address_of("notices"),
        **filter_context(user, asked, any_rows=bool(lines)),
        **more,
    }
    if to_do:
        context |= _news(News(0, 0), [line.id for line in lines], todo)
        context["takes"] = {action for row in context["rows"] for action in row.together}
        if not lines:
            context["moving"] = queries.counters(user)["mine_running"]
    return page(request, "workflow/inbox.html", context)


def _page_of(
    request: HttpRequest, user: User, asked: Asked, todo: int
) -> tuple[list[TaskLine], Place]:
    """The rows of one page; the inbox as it stands by the statement that is written for it."""
    if asked.box == "todo" and not asked.wanted:
        place = place_in(request, todo)
        return queries.inbox(user, limit=place.size, offset=place.start), place
    rows = tasks_asked(user, asked, timezone.now())
    place = place_in(request, rows.count())
    return queries.task_lines(rows[place.start : place.stop]), place


def filter_context(user: User, asked: Asked, *, any_rows: bool) -> dict[str, Any]:
    """What the filter above a list needs; nothing is offered above a list that is empty anyway."""
    wanted = asked.wanted
    offered = None
    if any_rows or wanted:
        offered = offered_in(tasks_of(user, asked.box, timezone.now()))
    views = SavedView.objects.filter(user=user.pk, box=asked.box).order_by("name")
    return {
        "asked": asked,
        "filtered": bool(wanted),
        "no_such_flow": not any_rows and _is_unknown(user, wanted.flow),
        "offered": offered,
        "filter": shown(wanted),
        "views": [(view, address_of(view.query), view.query == asked.query) for view in views],
    }


def _is_unknown(user: User, flow: str) -> bool:
    try:
        require_flow(user, flow)
    except Problem:
        return True
    return False


def _address_of(name: str) -> str:
    """Where a page is that another application brings along; empty without it."""
    try:
        return reverse(name)
    except NoReverseMatch:
        return ""


# News -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class News:
    """What has changed since the list was shown: tasks that came, shown ones that are gone."""

    came: int
    gone: int

    @property
    def etag(self) -> str:
        """The entity tag of the line that says so, in this language."""
        text = f"{self.came}:{self.gone}:{language_of_page()}"
        return f'"{hashlib.sha256(text.encode()).hexdigest()[:16]}"'


@login_required
@require_safe
def news(request: HttpRequest) -> HttpResponse:
    """`/inbox/news/`: the line above a list that is no longer new, asked every 30 seconds.

    ``shown`` holds the ids on the page, ``count`` how many there were in all. The rows stay where
    they are, under the reader's finger, until he asks (interface.md 5.7). 304 while nothing more
    has changed.
    """
    user = reader(request)
    shown_ids = [row_id(text) for text in request.GET.get("shown", "").split(",") if text]
    shown_ids = shown_ids[:LARGEST_PAGE]
    counted = row_id(request.GET.get("count", "0"))
    found = _news_for(user, shown_ids, counted)
    if is_unchanged(request, found.etag):
        response = HttpResponse(status=304)
    else:
        response = render(request, "workflow/inbox_news.html", _news(found, shown_ids, counted))
    response.headers["ETag"] = found.etag
    response.headers["Cache-Control"] = "private, no-cache"
    return response


def _news_for(user: User, shown_ids: Sequence[int], counted: int) -> News:
    open_still = Task.objects.filter(
        pk__in=shown_ids, holder=user.pk, tenant_id=user.tenant_id, state=Task.State.OPEN
    ).count()
    gone = len(set(shown_ids)) - open_still
    # What came is what must have come for the numbers to be right; a task that came and went
    # between two looks was never news to anybody.
    return News(came=max(0, queries.inbox_count(user) - counted + gone), gone=gone)


def _news(found: News, shown_ids: Iterable[int], counted: int) -> dict[str, Any]:
    return {
        "news": found,
        "news_shown": ",".join(str(task) for task in shown_ids),
        "news_count": counted,
        "news_headers": json.dumps({"If-None-Match": found.etag}),
    }
