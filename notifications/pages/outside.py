"""The page on which a person chooses what reaches him outside the app, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from flowadmin import clock
from flowadmin.rest.problems import Problem, not_found
from notifications import channels
from notifications.actions import choosing
from notifications.models import Channel, ChatAddress, Medium
from notifications.pages.outside_forms import OutsideForm
from workflow.pages.answers import SEE_OTHER, page, reader

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from flowadmin.directory.models import User


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def outside(request: HttpRequest) -> HttpResponse:
    """`/notices/outside/`; what cannot be kept is shown again with its reasons (422)."""
    user = reader(request)
    media = offered(user)
    form = OutsideForm(user, media, request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        choosing.choose(user=user, kinds=form.kinds(), hours=form.cleaned_data["hours"])
        messages.success(request, _("Your choices are kept."))
        return _back()
    kept = set(ChatAddress.objects.filter(user=user).values_list("medium", flat=True))
    context = {
        "form": form,
        "kinds": [form[f"kinds_{medium}"] for medium in media],
        "chats": [
            {"medium": medium, "name": Medium(medium).label, "kept": medium in kept}
            for medium in media
            if medium != Medium.EMAIL
        ],
        "zone": user.tenant.time_zone,
    }
    status = 422 if form.is_bound else 200
    return page(request, "notifications/outside.html", context, status=status)


@sensitive_post_parameters("address")
@login_required
@require_POST
def address(request: HttpRequest, medium: str) -> HttpResponse:
    """`/notices/outside/<medium>/`: keep one's address in a chat, or take it away.

    Raises Problem 404 for a chat that is not offered. A wrong address is told on the page.
    """
    user = reader(request)
    if medium == Medium.EMAIL or medium not in offered(user):
        raise not_found()
    if "remove" in request.POST:
        if choosing.forget_address(user=user, medium=medium):
            messages.success(request, _("The address is removed."))
        return _back()
    text = request.POST.get("address", "").strip()
    try:
        choosing.keep_address(user=user, medium=medium, text=text, now=clock.now())
    except Problem as problem:
        messages.error(request, str(problem.detail))
    else:
        messages.success(request, _("The address is kept, and is not shown again."))
    return _back()


def offered(user: User) -> list[str]:
    """The channels that this person's organisation has opened and this installation can use."""
    opened = set(
        Channel.objects.filter(tenant=user.tenant_id, enabled=True).values_list(
            "medium", flat=True
        )
    )
    return [medium for medium in channels.media_here() if medium in opened]


def _back() -> HttpResponse:
    response = HttpResponseRedirect(reverse("outside"))
    response.status_code = SEE_OTHER
    return response
