"""What stands in the tabs of a request's page, each at an address of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from workflow import access
from workflow.pages.answers import reader
from workflow.pages.detail import chosen_task, show
from workflow.pages.filters import word_in
from workflow.pages.flow_picture import picture, taken_by
from workflow.pages.reading import timeline_of
from workflow.pages.tabs import VIEW, Part, said_in
from workflow.reading import entries_of, reading_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpRequest, HttpResponse

    from workflow.reading import Reading
    from workflow.wording.telling import Entry


def show_part(request: HttpRequest, reading: Reading, part: Part) -> HttpResponse:
    """The request's page with a tab other than the form; for its script the inside of the tab.

    With `?task=` the buttons of that task stay below, as on the page itself.
    """
    task = chosen_task(reading, request.GET.get("task", ""))
    if request.headers.get("HX-Target") != VIEW:
        return show(request, reading, task, part=part)
    context = {"instance": reading.instance, "bar_task": task, "part": part, **part.context}
    response = render(request, part.template, context)
    response.headers["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["HX-Request", "HX-Target", "Cookie", "Accept-Language"])
    return response


@login_required
@require_safe
def picture_of_request(request: HttpRequest, pk: str) -> HttpResponse:
    """`/requests/<id>/picture/`: the way that the request has taken. Raises Problem 404."""
    reading = _reading(request, pk)
    cards = picture(reading.definition, reading.user.tenant_id, taken_by(reading))
    return show_part(request, reading, Part("picture", "workflow/_way.html", {"cards": cards}))


@login_required
@require_safe
def records(request: HttpRequest, pk: str) -> HttpResponse:
    """`/requests/<id>/records/?who=&q=`: the trail as a table, as far as this person may know it.

    ``who`` is the name of a person who acted, ``q`` a part of what is told. Raises Problem 404,
    400 query.malformed.
    """
    reading = _reading(request, pk)
    who, text = word_in(request.GET, "who"), word_in(request.GET, "q")
    entries = entries_of(reading)
    context = {
        "entries": [each for each in entries if _answers(each, who, text.casefold())],
        "people": _who_acted(entries),
        "who": who,
        "text": text,
        "filtered": bool(who or text),
    }
    return show_part(request, reading, Part("records", "workflow/_records.html", context))


@login_required
@require_safe
def comments(request: HttpRequest, pk: str) -> HttpResponse:
    """`/requests/<id>/comments/`: what people said, also with a decision. Raises Problem 404."""
    reading = _reading(request, pk)
    said = said_in(timeline_of(reading))
    return show_part(request, reading, Part("comments", "workflow/_comments.html", {"said": said}))


def _reading(request: HttpRequest, pk: str) -> Reading:
    user = reader(request)
    return reading_of(user, access.instance(user, access.row_id(pk)))


def _who_acted(entries: Sequence[Entry]) -> list[str]:
    return sorted({each.actor for each in entries if each.actor})


def _answers(entry: Entry, who: str, text: str) -> bool:
    if who and entry.actor != who:
        return False
    return any(text in each.casefold() for each in (entry.text, entry.comment, *entry.why))
