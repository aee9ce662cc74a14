"""One request: reading it, deciding a task of it, saying something about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods
from django_htmx.http import trigger_client_event

from flowadmin import clock
from flowadmin.rest.idempotency import receipt_of_form
from flowadmin.rest.problems import Problem, not_found
from workflow import access
from workflow.actions import approvals
from workflow.forms.findings import Finding
from workflow.models import Task
from workflow.pages.answers import go_on, is_fragment, reader, sent_version
from workflow.pages.detail import (
    LONGEST_COMMENT,
    Conflict,
    Draft,
    changes_typed,
    chosen_task,
    handled_text,
    is_to_decide,
    show,
    values_form,
)
from workflow.reading import Reading, reading_of
from workflow.runtime.execute import Once

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from django.http import HttpRequest, HttpResponse

    from flowadmin.directory.models import User
    from workflow.models import Instance
    from workflow.pages.forms import ValuesForm
    from workflow.runtime.execute import Outcome, Settled

# Answered on the page itself, where what was typed still stands; every other refusal is not ours.
_ON_THE_PAGE = frozenset({409, 412, 422})


class CommentForm(forms.Form):
    """The comment as it came in: no NUL, not endless. Whether one is needed the engine says."""

    comment = forms.CharField(required=False, max_length=LONGEST_COMMENT)


_DECISIONS: Mapping[str, Callable[..., Settled]] = {
    "approve": approvals.approve,
    "reject": approvals.reject,
}


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
    if act in _DECISIONS:
        return _decide(request, user, instance, act)
    raise Problem(400, "request.invalid", _("The form does not say what to do."))


# Deciding -------------------------------------------------------------------------------------


def _decide(request: HttpRequest, user: User, instance: Instance, act: str) -> HttpResponse:
    task = _own_task(request, user, instance)
    version = sent_version(request, "task_version")
    receipt = receipt_of_form(request, f"pages.{act}")
    typed = CommentForm(request.POST)
    form = _filled_in(request, reading_of(user, instance), task)
    if not typed.is_valid():
        return _comment_refused(request, user, task, typed)
    try:
        _DECISIONS[act](
            task=task,
            user=user,
            version=version,
            now=clock.now(),
            comment=typed.cleaned_data["comment"],
            form={} if form is None else form.submitted,
            once=Once(receipt, _answer(task)),
        )
    except Problem as problem:
        if problem.status not in _ON_THE_PAGE:
            raise
        return _refused(request, user, task, problem)
    return _next(request, user, task, act)


def _own_task(request: HttpRequest, user: User, instance: Instance) -> Task:
    task = access.own_task(user, access.row_id(request.POST.get("task", "")))
    if task.instance_id != instance.pk:
        raise not_found()
    return task


def _filled_in(request: HttpRequest, reading: Reading, task: Task) -> ValuesForm | None:
    """The form with what was sent; `submitted` then holds what REST would have received."""
    form = values_form(reading, task, request.POST)
    if form is not None:
        form.is_valid()
        # The action says what is wrong; it alone knows that a rejection needs no field.
        form.errors.clear()
    return form


def _answer(task: Task) -> Callable[[Outcome], tuple[int, dict[str, str]]]:
    def worded(outcome: Outcome) -> tuple[int, dict[str, str]]:
        return 200, {"task": str(task.pk), "instance": str(outcome.instance_id)}

    return worded


def _next(request: HttpRequest, user: User, task: Task, act: str) -> HttpResponse:
    """After a decision: the next row of the inbox, with a way back to this one."""
    approved, rejected = _("You approved “%(title)s”."), _("You rejected “%(title)s”.")
    said = approved if act == "approve" else rejected
    messages.success(
        request,
        format_html(
            '{} <a href="{}">{}</a>',
            said % {"title": task.instance.title},
            reverse("request", args=[task.instance_id]),
            _("Back to this request"),
        ),
    )
    waiting = Task.objects.filter(
        holder=user.pk, tenant_id=user.tenant_id, state=Task.State.OPEN
    ).order_by("-id")
    found = waiting.filter(pk__lt=task.pk).first() or waiting.first()
    if found is None:
        return go_on(request, reverse("inbox"))
    return go_on(request, f"{reverse('request', args=[found.instance_id])}?task={found.pk}")


# Refused --------------------------------------------------------------------------------------


def _refused(request: HttpRequest, user: User, task: Task, problem: Problem) -> HttpResponse:
    """The page again with what happened and with everything that was typed."""
    reading = reading_of(user, access.instance(user, task.instance_id))
    now = next(each for each in reading.tasks if each.pk == task.pk)
    form = _filled_in(request, reading, now)
    comment = request.POST.get("comment", "")
    if not is_to_decide(reading, now):
        # Also when the key was used with other words: the first decision stands.
        return show(
            request,
            reading,
            now,
            status=409,
            conflict=Conflict(
                text=_handled(now, problem),
                at=problem.members.get("handled_at") or now.decided_at,
                comment=comment,
                changes=changes_typed(form),
            ),
        )
    draft = Draft(form=form, comment=comment)
    if problem.status != 422:
        conflict = Conflict(text=_moved(problem), at=problem.members.get("changed_at"))
        return show(request, reading, now, status=problem.status, draft=draft, conflict=conflict)
    _place_errors(draft, problem)
    return show(request, reading, now, status=422, draft=draft)


def _handled(task: Task, problem: Problem) -> str:
    known = problem.members
    name = known.get("handled_by") or (task.decided_by.name if task.decided_by else None)
    return handled_text(str(known.get("decision") or task.state), name)


def _moved(problem: Problem) -> str:
    person = problem.members.get("changed_by")
    if person is None:
        return str(problem.detail)
    return _("%(person)s changed this task while you had it open") % {"person": person}


def _place_errors(draft: Draft, problem: Problem) -> None:
    """Put each finding of the action beside the field that it speaks of."""
    findings = [
        Finding(each["code"], each["at"], each["step"], each["level"], each["args"])
        for each in problem.errors or ()
    ]
    beside = [each for each in findings if each.at == "/comment"]
    if beside or not findings or draft.form is None:
        draft.comment_error = str(problem.detail)
    if draft.form is not None:
        draft.form.add_findings(each for each in findings if each not in beside)


def _comment_refused(
    request: HttpRequest, user: User, task: Task | None, typed: CommentForm
) -> HttpResponse:
    instance = task.instance_id if task else access.row_id(_pk_in_address(request))
    reading = reading_of(user, access.instance(user, instance))
    draft = Draft(
        form=_filled_in(request, reading, task) if task else None,
        comment=request.POST.get("comment", ""),
        comment_error=" ".join(str(text) for text in typed.errors.get("comment", [])),
    )
    return show(request, reading, task, status=422, draft=draft)


def _pk_in_address(request: HttpRequest) -> str:
    match = request.resolver_match
    return str(match.kwargs["pk"]) if match else ""


# Saying something -----------------------------------------------------------------------------


def _comment(request: HttpRequest, user: User, instance: Instance) -> HttpResponse:
    """Say something without deciding; what was filled in elsewhere on the page stays."""
    task = _own_task(request, user, instance) if request.POST.get("task") else None
    receipt = receipt_of_form(request, "pages.comment")
    typed = CommentForm(request.POST)
    if not typed.is_valid():
        return _comment_refused(request, user, task, typed)
    try:
        approvals.comment_on(
            instance=instance,
            user=user,
            comment=typed.cleaned_data["comment"],
            now=clock.now(),
            task=task,
            once=Once(receipt, lambda outcome: (200, {"instance": str(outcome.instance_id)})),
        )
    except Problem as problem:
        if problem.status not in _ON_THE_PAGE:
            raise
        return _comment_not_taken(request, user, instance, task, problem)
    if not is_fragment(request):
        messages.success(request, _("Your comment stands in the timeline."))
        query = f"?task={task.pk}" if task else ""
        return go_on(request, reverse("request", args=[instance.pk]) + query)
    reading = reading_of(user, access.instance(user, instance.pk))
    draft = Draft(form=_filled_in(request, reading, task) if task else None)
    response = show(request, reading, task, draft=draft)
    words = {"message": _("Your comment stands in the timeline."), "tone": "success"}
    return trigger_client_event(response, "flow:toast", words)


def _comment_not_taken(
    request: HttpRequest, user: User, instance: Instance, task: Task | None, problem: Problem
) -> HttpResponse:
    reading = reading_of(user, access.instance(user, instance.pk))
    comment = request.POST.get("comment", "")
    if problem.status == 422:
        draft = Draft(
            form=_filled_in(request, reading, task) if task else None,
            comment=comment,
            comment_error=str(problem.detail),
        )
        return show(request, reading, task, status=422, draft=draft)
    conflict = Conflict(text=str(problem.detail), at=instance.ended_at, comment=comment)
    return show(request, reading, task, status=problem.status, conflict=conflict)
