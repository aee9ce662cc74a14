"""The way ahead as fragments: beside the form that is being filled in, and on a request's page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.decorators import login_required
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_POST, require_safe

from flowadmin import clock
from workflow import access
from workflow.engine.plan import START
from workflow.engine.state import State
from workflow.forms.formdoc import defaults
from workflow.pages.answers import language_of_page, reader
from workflow.pages.forms import ValuesForm
from workflow.pages.known import outside_of
from workflow.pages.picking import picks_form
from workflow.preview import preview_ahead, preview_start
from workflow.published import definition_of
from workflow.reading import reading_of
from workflow.wording.foreseen import count_sure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from django.http import HttpRequest, HttpResponse

    from flowadmin.directory.models import User
    from workflow.engine.decision import Definition
    from workflow.preview import Preview


@login_required
@require_POST
def start_ahead(request: HttpRequest, key: str) -> HttpResponse:
    """`/start/<key>/ahead/`: the way of a request with what stands in the form now.

    Nothing is stored. Raises Problem 404 for an unknown process, 403 when this person may not
    start it.
    """
    user, now = reader(request), clock.now()
    flow = access.definition(user, key)
    values: Mapping[str, object] = {}
    picked: Mapping[str, Sequence[str]] = {}
    if flow.current_id is not None:
        values, picked = _typed(request, user, definition_of(flow.current_id), now)
    found = preview_start(
        user=user,
        flow=flow,
        form=values,
        picked=access.picked_people(user, picked),
        now=now,
    )
    return _fragment(request, found, reverse("start-ahead", args=[key]), is_form=True)


def _typed(
    request: HttpRequest, user: User, definition: Definition, now: datetime
) -> tuple[Mapping[str, object], Mapping[str, Sequence[str]]]:
    """What REST would have been sent: values by field, and logins by step."""
    form = None
    values: dict[str, Any] = {}
    if definition.form is not None:
        values = defaults(definition.form)
        form = ValuesForm(
            definition.form,
            definition.start_rights(),
            values,
            language=language_of_page(),
            data=request.POST,
            outside=outside_of(user, definition.form, values, request.POST),
        )
        form.is_valid()
        values = {name: value for name, value in form.outcome.values.items() if value is not None}
    state = State(initiator=user.pk, values=values)
    picks = picks_form(definition, state, START, user, now, request.POST)
    submitted = form.submitted if form is not None else {}
    return submitted, picks.picked if picks is not None else {}


@login_required
@require_safe
def request_ahead(request: HttpRequest, pk: str) -> HttpResponse:
    """`/requests/<id>/ahead/`: what comes next, as this person may know it.

    Raises Problem 404 for a request that the person may not know of.
    """
    user = reader(request)
    reading = reading_of(user, access.instance(user, access.row_id(pk)))
    found = preview_ahead(reading, clock.now())
    return _fragment(request, found, reverse("request-ahead", args=[pk]), is_form=False)


def _fragment(
    request: HttpRequest, found: Preview, address: str, *, is_form: bool
) -> HttpResponse:
    context = {
        "ahead": found.steps,
        "ahead_known": True,
        "ahead_address": address,
        "ahead_of_form": is_form,
        "ahead_count": count_sure(found.steps),
    }
    response = render(request, "workflow/_ahead.html", context)
    response.headers["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["Cookie", "Accept-Language"])
    return response
