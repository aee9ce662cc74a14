"""Arranging the catalogue on pages: the order of processes, their category, one's favourites."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from flowadmin import clock
from flowadmin.directory import permissions
from flowadmin.rest.idempotency import answer_once, receipt_of_form
from flowadmin.rest.problems import Problem
from workflow import access
from workflow.actions import arranging
from workflow.pages.answers import go_on, is_fragment, page, reader
from workflow.pages.catalogue import catalogue_page
from workflow.pages.processes import process_context, process_list

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

_WAYS = {"up": arranging.UP, "down": arranging.DOWN}


@login_required
@require_POST
def order(request: HttpRequest) -> HttpResponse:
    """`/process-order/`: ``up`` or ``down`` names the process to move (interface.md 7.10).

    Moved once for the key of the form. Raises Problem 400, 403, 404.
    """
    user = reader(request)
    access.require(user, permissions.FLOW_MANAGE)
    way = next((name for name in _WAYS if name in request.POST), "")
    if not way:
        raise _unclear()
    flow = access.definition(user, request.POST[way])

    def act() -> tuple[int, dict[str, int]]:
        moved = arranging.move(definition=flow, by=_WAYS[way])
        return 200, {"position": moved.position}

    answer_once(receipt_of_form(request, "pages.process.order"), clock.now(), act)
    if is_fragment(request):
        return process_list(request, user)
    return go_on(request, reverse("processes"))


@login_required
@require_POST
def category(request: HttpRequest, key: str) -> HttpResponse:
    """`/processes/<key>/category/`: put the process into a category, or out of any.

    Raises Problem 403, 404; a category that cannot be one is told on the page of the process.
    """
    user = reader(request)
    access.require_any(user, *access.OF_FLOWS)
    flow = access.definition(user, key)
    access.require(user, permissions.FLOW_MANAGE)
    wanted = request.POST.get("category", "")
    try:
        arranging.arrange(definition=flow, category=wanted)
    except Problem as problem:
        if problem.status != 422:
            raise
        context = process_context(user, flow)
        context |= {"category_error": problem.detail, "category_typed": wanted}
        return page(request, "workflow/processes/process.html", context, status=422)
    if flow.category:
        messages.success(request, _("It stands under “%(name)s” now.") % {"name": flow.category})
    else:
        messages.success(request, _("It stands under no category now."))
    return go_on(request, reverse("process", args=[flow.key]))


@login_required
@require_POST
def favourite(request: HttpRequest, key: str) -> HttpResponse:
    """`/start/<key>/favourite/`: ``on`` is 1 or 0; the catalogue is the answer.

    Saying the same twice does no harm, so no key is needed. Raises Problem 400, 404.
    """
    user = reader(request)
    flow = access.definition(user, key)
    on = request.POST.get("on", "")
    if on not in {"0", "1"}:
        raise _unclear()
    arranging.set_favourite(user=user, definition=flow, on=on == "1")
    if is_fragment(request):
        return catalogue_page(request, user, request.POST.get("q", ""))
    return go_on(request, reverse("start"))


def _unclear() -> Problem:
    return Problem(400, "request.invalid", _("The form does not say what to do."))
