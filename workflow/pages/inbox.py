"""The inbox: what waits for a person, what they decided, and what was copied to them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flowadmin.directory.queries import people_by_id
from flowadmin.rest.preconditions import is_unchanged
from flowadmin.templatetags.parts import span_in_words
from workflow import queries
from workflow.access import row_id
from workflow.forms.formdoc import fields_by_id, label_in
from workflow.models import SPAN, Instance, Task
from workflow.pages.answers import (
    Place,
    language_of_page,
    one_of,
    page,
    place_in,
    reader,
)
from workflow.pages.forms import value_text
from workflow.published import definition_of
from workflow.wording.states import task_state, unknown_person

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from django.http import HttpRequest

    from flowadmin.directory.models import User
    from workflow.queries import TaskLine

BOXES = ("todo", "done", "copied")
LARGEST_PAGE = 100


@dataclass(frozen=True, slots=True)
class InboxRow:
    """One task as the list shows it; ``facts`` are the summary fields that its holder may see.

    ``part`` says why it is with this person where that is not plain: for whom he acts, or who
    asks for his opinion. ``now`` is the moment from which the due time is seen.
    """

    line: TaskLine
    address: str
    facts: tuple[tuple[str, str], ...]
    waiting: str
    outcome: str
    part: str
    now: datetime


@login_required
@require_safe
def inbox(request: HttpRequest) -> HttpResponse:
    """`/inbox/?box=todo|done|copied`. Raises Problem 400 for a box or page that is none."""
    user = reader(request)
    box = one_of(request, "box", BOXES, "todo")
    todo = queries.inbox_count(user)
    lines, place = _todo(request, user, todo) if box == "todo" else _past(request, user, box)
    context: dict[str, Any] = {
        "box": box,
        "rows": _rows(lines, timezone.now()),
        "place": place,
        "todo": todo,
        "counters": {"todo": min(todo, queries.MOST_COUNTED)},
    }
    if box == "todo":
        shown = [line.id for line in lines]
        context |= _news(News(0, 0), shown, todo)
        if not todo:
            context["moving"] = queries.counters(user)["mine_running"]
    return page(request, "workflow/inbox.html", context)


def _todo(request: HttpRequest, user: User, count: int) -> tuple[list[TaskLine], Place]:
    place = place_in(request, count)
    return queries.inbox(user, limit=place.size, offset=place.start), place


def _past(request: HttpRequest, user: User, box: str) -> tuple[list[TaskLine], Place]:
    tasks = queries.done_tasks(user) if box == "done" else queries.copied_tasks(user)
    place = place_in(request, tasks.count())
    return queries.task_lines(tasks[place.start : place.stop]), place


def _rows(lines: Sequence[TaskLine], now: datetime) -> list[InboxRow]:
    ids = {line.instance_id for line in lines}
    snapshots: dict[int, Mapping[str, Any]] = (
        dict(Instance.objects.filter(pk__in=ids).values_list("pk", "snapshot")) if ids else {}
    )
    parts = _parts(lines, snapshots)
    return [
        InboxRow(
            line=line,
            address=f"{reverse('request', args=[line.instance_id])}?task={line.id}",
            facts=_facts(line, snapshots.get(line.instance_id, {})),
            waiting=span_in_words(now - line.created_at),
            outcome=task_state(line.state),
            part=parts.get(line.id, ""),
            now=now,
        )
        for line in lines
    ]


def _parts(
    lines: Sequence[TaskLine], snapshots: Mapping[int, Mapping[str, Any]]
) -> dict[int, str]:
    """For whom each person of an open task stands in, or who asked him; one statement at most."""
    found: dict[int, tuple[str, int]] = {}
    for line in lines:
        seat = _seat(snapshots.get(line.instance_id, {}), line.id % SPAN)
        if seat.get("origin") == "delegated":
            found[line.id] = (_("Opinion asked by %(person)s"), seat.get("by", 0))
        elif seat.get("absent"):
            found[line.id] = (_("Acting for %(person)s"), seat["absent"])
        elif seat.get("origin") == "added":
            found[line.id] = (_("Added by %(person)s"), seat.get("by", 0))
    if not found:
        return {}
    names = {each.id: each.name for each in people_by_id({who for _text, who in found.values()})}
    return {
        task: text % {"person": names.get(who) or unknown_person()}
        for task, (text, who) in found.items()
    }


def _seat(snapshot: Mapping[str, Any], number: int) -> Mapping[str, Any]:
    """The seat of an open step as the snapshot on the request's row has it."""
    for activation in snapshot.get("activations", ()):
        for seat in activation.get("seats", ()):
            if seat.get("number") == number:
                return cast("Mapping[str, Any]", seat)
    return {}


def _facts(line: TaskLine, snapshot: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    definition = definition_of(line.version_id)
    if definition.form is None:
        return ()
    language = language_of_page()
    fields = fields_by_id(definition.form)
    values = queries.summary_values(snapshot, definition, line.step)
    return tuple(
        (label_in(fields[name], language), value_text(fields[name], value, language))
        for name, value in values.items()
        if name in fields
    )


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
    shown = [row_id(text) for text in request.GET.get("shown", "").split(",") if text]
    shown = shown[:LARGEST_PAGE]
    counted = row_id(request.GET.get("count", "0"))
    found = _news_for(user, shown, counted)
    if is_unchanged(request, found.etag):
        response = HttpResponse(status=304)
    else:
        response = render(request, "workflow/inbox_news.html", _news(found, shown, counted))
    response.headers["ETag"] = found.etag
    response.headers["Cache-Control"] = "private, no-cache"
    return response


def _news_for(user: User, shown: Sequence[int], counted: int) -> News:
    open_still = Task.objects.filter(
        pk__in=shown, holder=user.pk, tenant_id=user.tenant_id, state=Task.State.OPEN
    ).count()
    gone = len(set(shown)) - open_still
    # What came is what must have come for the numbers to be right; a task that came and went
    # between two looks was never news to anybody.
    return News(came=max(0, queries.inbox_count(user) - counted + gone), gone=gone)


def _news(found: News, shown: Iterable[int], counted: int) -> dict[str, Any]:
    return {
        "news": found,
        "news_shown": ",".join(str(task) for task in shown),
        "news_count": counted,
        "news_headers": json.dumps({"If-None-Match": found.etag}),
    }
