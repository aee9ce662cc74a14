"""Urging from a page: the request's own, or the list of one's requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from flowadmin import clock
from flowadmin.rest.idempotency import answer_once, receipt_of_form
from flowadmin.rest.problems import Problem
from notifications.actions.urging import urge
from workflow import access
from workflow.pages.answers import SEE_OTHER, reader
from workflow.wording.states import listed

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from flowadmin.directory.models import User
    from workflow.models import Instance

ON_THE_PAGE = frozenset({409, 429})


@login_required
@require_POST
def urge_page(request: HttpRequest, pk: str) -> HttpResponse:
    """`/requests/<id>/urge/`: back to the page that it came from, which says what became of it.

    Raises Problem 404 for a request that one may not know of, 403 for one of somebody else.
    """
    user = reader(request)
    instance = access.instance(user, access.row_id(pk))
    try:
        _urge(request, user, instance)
    except Problem as problem:
        if problem.status not in ON_THE_PAGE:
            raise
        messages.warning(request, str(problem.detail))
    to_list = request.POST.get("back") == "mine"
    address = reverse("mine") if to_list else reverse("request", args=[instance.pk])
    response = HttpResponseRedirect(address)
    response.status_code = SEE_OTHER
    return response


def _urge(request: HttpRequest, user: User, instance: Instance) -> None:
    now = clock.now()

    def act() -> tuple[int, Any]:
        urged = urge(instance=instance, user=user, now=now)
        text = _("You urged %(people)s.") % {"people": listed(urged.people)}
        messages.success(request, text)
        return 200, {"instance": str(instance.pk)}

    answer_once(receipt_of_form(request, "pages.urge"), now, act)
