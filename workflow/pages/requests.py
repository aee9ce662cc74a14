"""One request: reading it, opening the panel of an act, sending one, saying something about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.http import trigger_client_event

from flowadmin import clock
from flowadmin.rest.idempotency import receipt_of_form
from flowadmin.rest.problems import Problem
from workflow import access
from workflow.actions import approvals
from workflow.pages import acting, steering
from workflow.pages.answers import go_on, is_fragment, new_key, reader
from workflow.pages.detail import Conflict, chosen_task, is_to_decide, panel_context, show
from workflow.pages.drafts import Draft, comment_alone, fresh, place_errors, sent
from workflow.pages.opening import open_panel, require_offered
from workflow.pages.papers import take_in
from workflow.reading import reading_of
from workflow.runtime.execute import Once

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from flowadmin.directory.models import User
    from workflow.models import Instance, Task

# In front of the act whose panel a page without a script asks for.
OPENS = "panel:"


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def request_page(request: HttpRequest, pk: str) -> HttpResponse:
    """`/requests/<id>/`, with `?task=` when acting; the form's button says what to do.

    Raises Problem 404 for a request that the person may not know of; 400 and 403 as the actions.
    """
    user = reader(request)
    instance = access.instance(user, access.row_id(pk))
    if request.method != "POST":
        reading = reading_of(user, instance)
        return show(request, reading, chosen_task(reading, request.GET.get("task", "")))
    act = request.POST.get("act", "")
    if act == "comment":
        return _comment(request, user, instance)
    if act in acting.MAKERS:
        return acting.act_on_task(request, user, instance, act)
    if act in steering.STEERS:
        return steering.steer(request, user, instance, act)
    if act.startswith(OPENS):
        return acting.show_panel(request, user, instance, act.removeprefix(OPENS))
    raise Problem(400, "request.invalid", _("The form does not say what to do."))


@login_required
@require_safe
def act_page(request: HttpRequest, pk: str, act: str) -> HttpResponse:
    """`/requests/<id>/acts/<act>/?task=`: the panel of an act; without htmx the page with it.

    Raises Problem 404 for a request or an act that is not there, 409 with the reason when the act
    is not offered now.
    """
    user = reader(request)
    reading = reading_of(user, access.instance(user, access.row_id(pk)))
    task = chosen_task(reading, request.GET.get("task", ""))
    require_offered(reading, task, act)
    panel = open_panel(reading, task, act)
    if not is_fragment(request):
        draft = Draft() if task is None else fresh(reading, task)
        draft.panel = panel
        return show(request, reading, task, draft=draft)
    context = panel_context(reading, task, Draft(panel=panel, key=new_key()))
    response = render(request, "workflow/panel.html", context)
    response.headers["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["HX-Request", "Cookie", "Accept-Language"])
    return response


# Saying something -----------------------------------------------------------------------------


def _comment(request: HttpRequest, user: User, instance: Instance) -> HttpResponse:
    """Say something without deciding; what was filled in elsewhere on the page stays."""
    task = acting.own_task(request, user, instance) if request.POST.get("task") else None
    receipt = receipt_of_form(request, "pages.comment")
    draft = _draft(request, user, instance, task)
    if draft.comment_error:
        return show(request, reading_of(user, instance), task, status=422, draft=draft)
    try:
        approvals.comment_on(
            instance=instance,
            user=user,
            comment=draft.comment.replace("\r\n", "\n").strip(),
            now=clock.now(),
            task=task,
            once=Once(receipt, lambda outcome: (200, {"instance": str(outcome.instance_id)})),
        )
    except Problem as problem:
        if problem.status not in acting.ON_THE_PAGE:
            raise
        return _comment_not_taken(request, user, instance, task, problem)
    if not is_fragment(request):
        messages.success(request, _("Your comment stands in the timeline."))
        query = f"?task={task.pk}" if task else ""
        return go_on(request, reverse("request", args=[instance.pk]) + query)
    reading = reading_of(user, access.instance(user, instance.pk))
    draft.comment = ""
    if task is not None and is_to_decide(reading, task):
        # The page is made anew, and a browser forgets the files that were chosen in it.
        take_in(request, draft.papers, user, clock.now())
    response = show(request, reading, task, draft=draft)
    words = {"message": _("Your comment stands in the timeline."), "tone": "success"}
    return trigger_client_event(response, "flow:toast", words)


def _draft(request: HttpRequest, user: User, instance: Instance, task: Task | None) -> Draft:
    reading = reading_of(user, instance)
    if task is not None:
        return sent(request, reading, task)
    return comment_alone(request)


def _comment_not_taken(
    request: HttpRequest, user: User, instance: Instance, task: Task | None, problem: Problem
) -> HttpResponse:
    reading = reading_of(user, access.instance(user, instance.pk))
    draft = _draft(request, user, instance, task)
    if problem.status == 422:
        place_errors(draft, problem)
        return show(request, reading, task, status=422, draft=draft)
    conflict = Conflict(text=str(problem.detail), at=instance.ended_at, comment=draft.comment)
    return show(request, reading, task, status=problem.status, conflict=conflict)
