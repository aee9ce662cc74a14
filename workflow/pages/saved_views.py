"""Keeping the filter of a list under a name, and forgetting it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from flowadmin import clock
from flowadmin.rest.problems import Problem
from workflow import access
from workflow.actions.saved_views import forget_view, keep_view
from workflow.models.views import LONGEST_QUERY, LONGEST_VIEW_NAME
from workflow.pages.answers import go_on, reader
from workflow.pages.inbox import address_of, asked_in

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse


class _View(forms.Form):
    name = forms.CharField(max_length=LONGEST_VIEW_NAME)


@login_required
@require_POST
def keep(request: HttpRequest) -> HttpResponse:
    """`/inbox/views/`: keep the filter in ``back`` as ``name``; the same name replaces it.

    Only what the list itself could read is stored. Raises Problem 400, 409 view.too_many.
    """
    user = reader(request)
    asked = asked_in(QueryDict(request.POST.get("back", "")))
    form = _View(request.POST)
    if not form.is_valid() or not asked.wanted or len(asked.query) > LONGEST_QUERY:
        messages.error(request, _("A view needs a filter and a name."))
        return go_on(request, asked.address)
    name = form.cleaned_data["name"]
    try:
        keep_view(user=user, box=asked.box, name=name, query=asked.query, now=clock.now())
    except Problem as problem:
        if problem.status != 409:
            raise
        messages.error(request, str(problem.detail))
        return go_on(request, asked.address)
    messages.success(request, _("The view “%(name)s” is kept.") % {"name": name})
    return go_on(request, asked.address)


@login_required
@require_POST
def forget(request: HttpRequest, pk: str) -> HttpResponse:
    """`/inbox/views/<id>/forget/`. Raises Problem 404 for a view that is not the reader's."""
    view = access.saved_view(reader(request), access.row_id(pk))
    forget_view(view)
    messages.success(request, _("The view “%(name)s” is deleted.") % {"name": view.name})
    return go_on(request, address_of("" if view.box == "todo" else f"box={view.box}"))
