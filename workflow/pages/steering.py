"""What is done with a request apart from deciding it: by its initiator, its managers, and later.

Each act has a form of its own, with one idempotency key; what is refused is told in that form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.urls import reverse
from django.utils.translation import gettext as _

from flowadmin import clock
from flowadmin.directory import permissions
from flowadmin.directory.models import User
from flowadmin.rest.idempotency import recall, receipt_of_form
from flowadmin.rest.problems import Problem, not_found
from workflow import access
from workflow.actions import administration, approvals, editing, requests
from workflow.engine.commands import RemoveSigner
from workflow.models import SPAN, Task
from workflow.offering import instance_verbs
from workflow.pages.acting import ON_THE_PAGE, own_task
from workflow.pages.answers import go_on
from workflow.pages.detail import Conflict, chosen_task, show
from workflow.pages.drafts import Draft, fresh, place_errors
from workflow.pages.editing import EditPanel, differences, wanted_of
from workflow.pages.offered import MANAGING, removable_tasks, situation_of
from workflow.pages.opening import open_panel
from workflow.reading import reading_of
from workflow.runtime.execute import Once

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from django.http import HttpRequest, HttpResponse

    from workflow.models import Instance
    from workflow.pages.opening import OpenPanel
    from workflow.reading import Reading

Said = dict[str, Any]


def steer(request: HttpRequest, user: User, instance: Instance, act: str) -> HttpResponse:
    """Carry out one act; a key of ``STEERS``.

    Raises Problem 404 and 403 as the actions do, 400 for a form that was bent.
    """
    if act in MANAGING:
        access.managed_instance(user, instance.pk)
    task = own_task(request, user, instance) if act == "take-back" else None
    receipt = receipt_of_form(request, f"pages.{act}")
    now = clock.now()
    reading = reading_of(user, instance)
    panel = open_panel(reading, task, act, request.POST)
    sound = panel.form.is_valid()
    try:
        if recall(receipt, now) is None:
            if not sound and _is_offered(reading, task, act):
                return _again(request, reading, task, Draft(panel=panel), 422)
            if _has_to_see(panel, reading, task):
                _show_first(panel, reading, now)
                return _again(request, reading, task, Draft(panel=panel), 200)
            once = Once(receipt, lambda outcome: (200, {"instance": str(outcome.instance_id)}))
            STEERS[act](_Steer(reading, task, panel.form.cleaned_data, user, now, once))
    except Problem as problem:
        if problem.status not in ON_THE_PAGE:
            raise
        return _refused(request, user, instance, act, problem)
    messages.success(request, _DONE[act]() % {"title": instance.title})
    return go_on(request, reverse("request", args=[instance.pk]))


def _has_to_see(panel: OpenPanel, reading: Reading, task: Task | None) -> bool:
    """Whether the person has to see first what the act would change, and confirm it."""
    form = panel.form
    return (
        isinstance(form, EditPanel)
        and form.is_valid()
        and not form.is_confirmed
        and _is_offered(reading, task, panel.verb)
    )


def _show_first(panel: OpenPanel, reading: Reading, now: datetime) -> None:
    if isinstance(panel.form, EditPanel):
        panel.lines = tuple(differences(reading, panel.form, now))
        panel.shown = panel.form.mark


class _Steer:
    """One act with everything that it needs."""

    def __init__(
        self,
        reading: Reading,
        task: Task | None,
        said: Said,
        user: User,
        now: datetime,
        once: Once,
    ) -> None:
        self.reading, self.task, self.said = reading, task, said
        self.common: dict[str, Any] = {"user": user, "now": now, "once": once}
        self.user = user

    @property
    def of_instance(self) -> dict[str, Any]:
        return {"instance": self.reading.instance, **self.common}

    @property
    def reason(self) -> str:
        return str(self.said.get("reason", ""))

    @property
    def comment(self) -> str:
        return str(self.said.get("comment", ""))


def _take_back(at: _Steer) -> None:
    if at.task is None:
        raise not_found()
    approvals.take_back(task=at.task, comment=at.comment, **at.common)


def _remove_signer(at: _Steer) -> None:
    task = access.task(at.user, access.row_id(str(at.said.get("seat", ""))))
    if task.instance_id != at.reading.instance.pk:
        raise not_found()
    command = RemoveSigner(
        seat=task.pk % SPAN,
        by=at.user.pk,
        comment=at.comment,
        manager=permissions.has(at.user, permissions.FLOW_MANAGE),
    )
    approvals.on_task(task=task, command=command, **at.common)


def _reassign(at: _Steer) -> None:
    to = _person(at.user, str(at.said.get("to", "")))
    kind, _dash, number = str(at.said.get("what", "")).partition("-")
    if kind == "held":
        administration.assign_held(
            activation=access.row_id(number), to=to, reason=at.reason, **at.of_instance
        )
        return
    task = access.task(at.user, access.row_id(number))
    if task.instance_id != at.reading.instance.pk:
        raise not_found()
    administration.reassign(task=task, to=to, reason=at.reason, **at.common)


def _person(user: User, login: str) -> User:
    """The person of the tenant; somebody whom nobody is when there is none (422 by the engine)."""
    return User.objects.for_tenant(user.tenant_id).filter(login=login).first() or User(pk=0)


def _retry(at: _Steer) -> None:
    number = access.row_id(str(at.said.get("step", "")))
    administration.retry(activation=number, reason=at.reason, **at.of_instance)


def _edit_future(at: _Steer) -> None:
    edits = wanted_of(at.user, at.said)
    editing.edit_future(edits=edits, reason=at.reason, **at.of_instance)


STEERS: Mapping[str, Callable[[_Steer], object]] = {
    "take-back": _take_back,
    "remove-signer": _remove_signer,
    "withdraw": lambda at: requests.withdraw(comment=at.comment, **at.of_instance),
    "suspend": lambda at: administration.pause(reason=at.reason, **at.of_instance),
    "resume": lambda at: administration.resume(reason=at.reason, **at.of_instance),
    "cancel": lambda at: administration.terminate(reason=at.reason, **at.of_instance),
    "jump": lambda at: administration.jump(
        to=str(at.said.get("to", "")), reason=at.reason, **at.of_instance
    ),
    "reassign": _reassign,
    "retry": _retry,
    "edit-future": _edit_future,
}
_DONE: Mapping[str, Callable[[], str]] = {
    "take-back": lambda: _("You took your decision on “%(title)s” back."),
    "remove-signer": lambda: _("The person was removed."),
    "withdraw": lambda: _("You withdrew “%(title)s”."),
    "suspend": lambda: _("“%(title)s” is paused."),
    "resume": lambda: _("“%(title)s” goes on."),
    "cancel": lambda: _("You ended “%(title)s”."),
    "jump": lambda: _("“%(title)s” continues at another step."),
    "reassign": lambda: _("“%(title)s” goes on with another person."),
    "retry": lambda: _("“%(title)s” tries again."),
    "edit-future": lambda: _("You changed what comes next in “%(title)s”."),
}


def _is_offered(reading: Reading, task: Task | None, act: str) -> bool:
    """Whether a wrong form is what stands in the way; else the action says what does."""
    if act == "remove-signer":
        return bool(removable_tasks(reading, situation_of(reading)))
    verbs = instance_verbs(reading.user, reading.definition, reading.state)
    return task is not None or act in verbs


def _refused(
    request: HttpRequest, user: User, instance: Instance, act: str, problem: Problem
) -> HttpResponse:
    """The page as it is now, with the form and the reason of the refusal."""
    reading = reading_of(user, access.instance(user, instance.pk))
    task = None
    if act == "take-back":
        task = own_task(request, user, reading.instance)
    panel = open_panel(reading, task, act, request.POST)
    panel.form.is_valid()
    draft = Draft(panel=panel)
    if problem.status == 422:
        place_errors(draft, problem)
        return _again(request, reading, task, draft, 422)
    typed = panel.form.cleaned_data.get("reason") or panel.form.cleaned_data.get("comment") or ""
    conflict = Conflict(
        text=str(problem.detail), at=problem.members.get("handled_at"), comment=str(typed)
    )
    return _again(request, reading, task, Draft(), problem.status, conflict)


def _again(
    request: HttpRequest,
    reading: Reading,
    task: Task | None,
    draft: Draft,
    status: int,
    conflict: Conflict | None = None,
) -> HttpResponse:
    shown = task or chosen_task(reading, "")
    if shown is not None:
        around = fresh(reading, shown)
        around.panel, around.refused = draft.panel, draft.refused
        draft = around
    return show(request, reading, shown, status=status, draft=draft, conflict=conflict)
