"""What the holder of a task does with it on its page: each act of the decision form.

Theory of operation. Every act posts the whole form, so that nothing typed is lost: the act's own
panel, the comment, the changed fields, files, and the version that the person saw. The engine
alone judges; what it refuses comes back on the same page, beside what it speaks of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from flowadmin import clock
from flowadmin.rest.idempotency import recall, receipt_of_form
from flowadmin.rest.problems import Problem, not_found
from workflow import access
from workflow.actions import approvals
from workflow.engine import commands
from workflow.engine.plan import START
from workflow.lists import beside, tasks_of
from workflow.models import SPAN, Instance, Task
from workflow.offering import Held, task_offers, verbs
from workflow.pages import drafts
from workflow.pages.answers import go_on, sent_version
from workflow.pages.detail import (
    Conflict,
    address_of,
    changes_typed,
    handled_text,
    is_to_decide,
    show,
)
from workflow.pages.now_with import now_with
from workflow.pages.offered import situation_of
from workflow.pages.opening import open_panel, require_offered
from workflow.pages.papers import take_in
from workflow.reading import reading_of
from workflow.runtime.execute import Once
from workflow.wording.states import instance_state, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from django.http import HttpRequest, HttpResponse

    from flowadmin.directory.models import User
    from workflow.engine.commands import Command
    from workflow.pages.drafts import Draft
    from workflow.reading import Reading
    from workflow.runtime.execute import Outcome

# Answered on the page itself, where what was typed still stands; every other refusal is not ours.
ON_THE_PAGE = frozenset({409, 412, 422})
# Acts after which the request may be with others.
_DECIDES = frozenset({"approve", "reject", "complete", "return", "hand-back"})
# Acts that only move a task about have no place for files in the history.
_WITHOUT_FILES = frozenset({"claim", "release", "snooze", "wake", "ask-substitute", "copy"})

Said = dict[str, Any]


def _cleaned(draft: Draft, name: str, default: Any = "") -> Any:
    """A field of the panel; its default where it cannot be read, which only a task that is over
    lets through, to be refused for that.
    """
    return default if draft.panel is None else draft.panel.form.cleaned_data.get(name, default)


def _one(draft: Draft, user: User) -> int:
    return access.people_ids(user, [_cleaned(draft, "to")])[0]


def _many(draft: Draft, user: User) -> tuple[int, ...]:
    return access.people_ids(user, _cleaned(draft, "people", ()))


def _picked(draft: Draft, user: User) -> Mapping[str, tuple[int, ...]]:
    return {} if draft.picks is None else access.picked_people(user, draft.picks.picked)


MAKERS: Mapping[str, Callable[[Said, Draft, User], Command]] = {
    "approve": lambda said, draft, user: commands.Approve(**said, picked=_picked(draft, user)),
    "complete": lambda said, draft, user: commands.Complete(**said, picked=_picked(draft, user)),
    "reject": lambda said, draft, _user: commands.Reject(**said, to=_cleaned(draft, "to")),
    "hand-back": lambda said, _draft, _user: commands.HandBack(**said),
    "return": lambda said, draft, _user: commands.Return(
        **said,
        to=_cleaned(draft, "to"),
        resume="here" if _cleaned(draft, "resume") == "here" else "forward",
    ),
    "transfer": lambda said, draft, user: commands.Transfer(**said, to=_one(draft, user)),
    "delegate": lambda said, draft, user: commands.Delegate(**said, to=_one(draft, user)),
    "add-signer": lambda said, draft, user: commands.AddSigners(
        **said,
        people=_many(draft, user),
        place=_cleaned(draft, "place") or "before",
        decide=_cleaned(draft, "decide") or "all",
        counts=_cleaned(draft, "counts") or "any_one",
    ),
    "copy": lambda said, draft, user: commands.SendCopy(**said, to=_many(draft, user)),
    "claim": lambda said, _draft, _user: commands.Claim(**said),
    "release": lambda said, _draft, _user: commands.Release(**said),
    "snooze": lambda said, draft, _user: commands.Snooze(
        **said, until=_cleaned(draft, "until", None)
    ),
    "wake": lambda said, _draft, _user: commands.Snooze(**said, until=None),
    "ask-substitute": lambda said, _draft, _user: commands.AskSubstitute(**said),
}


def act_on_task(request: HttpRequest, user: User, instance: Instance, act: str) -> HttpResponse:
    """Carry out one act of the decision form; ``act`` is a key of ``MAKERS``.

    Raises Problem 404 and 403 for a task that is not the reader's, 400 for a form that was bent.
    """
    task = own_task(request, user, instance)
    version = sent_version(request, "task_version")
    receipt = receipt_of_form(request, f"pages.{act}")
    now = clock.now()
    reading = reading_of(user, instance)
    draft = drafts.sent(request, reading, task, act)
    try:
        if recall(receipt, now) is not None:
            return _next(request, user, task, act)
        if is_to_decide(reading, task) and task.version == version:
            take_in(request, draft.papers, user, now)
            if not draft.is_sound and _is_offered(reading, task, act):
                return show(request, reading, task, status=422, draft=draft)
        approvals.on_task(
            task=task,
            user=user,
            command=MAKERS[act](_said(task, user, version, draft, act), draft, user),
            now=now,
            once=Once(receipt, _answer(task)),
        )
    except Problem as problem:
        if problem.status not in ON_THE_PAGE:
            raise
        return _refused(request, user, task, act, draft, problem)
    return _next(request, user, task, act)


def show_panel(request: HttpRequest, user: User, instance: Instance, act: str) -> HttpResponse:
    """The page again with the panel of an act, and everything that was typed: without a script."""
    task = own_task(request, user, instance)
    reading = reading_of(user, instance)
    draft = drafts.sent(request, reading, task)
    if is_to_decide(reading, task):
        take_in(request, draft.papers, user, clock.now())
    if act != "none":
        require_offered(reading, task, act)
        draft.panel = open_panel(reading, task, act)
    return show(request, reading, task, draft=draft)


def own_task(request: HttpRequest, user: User, instance: Instance) -> Task:
    """The reader's own task that the form speaks of. Raises Problem 404, 403."""
    task = access.own_task(user, access.row_id(request.POST.get("task", "")))
    if task.instance_id != instance.pk:
        raise not_found()
    return task


def _is_offered(reading: Reading, task: Task, act: str) -> bool:
    """Whether a wrong form is what stands in the way; else the engine says what does (403)."""
    verb = "snooze" if act == "wake" else act
    return verb in verbs(task_offers(situation_of(reading), Held.of(task)))


def _said(task: Task, user: User, version: int, draft: Draft, act: str) -> Said:
    papers = draft.papers
    without = act in _WITHOUT_FILES
    return {
        "seat": task.pk % SPAN,
        "by": user.pk,
        "version": version,
        "comment": draft.comment.replace("\r\n", "\n").strip(),
        "changes": {} if draft.form is None else draft.form.submitted,
        "files": () if without else papers.files,
        "signature": "" if without else papers.signature,
    }


def _answer(task: Task) -> Callable[[Outcome], tuple[int, dict[str, str]]]:
    def worded(outcome: Outcome) -> tuple[int, dict[str, str]]:
        return 200, {"task": str(task.pk), "instance": str(outcome.instance_id)}

    return worded


# What comes next ------------------------------------------------------------------------------


def _done(task: Task, act: str) -> str:
    """What was done, for the message on the next page."""
    if act == "complete" and task.step == START:
        return _("You submitted “%(title)s” again.")
    return {
        "approve": _("You approved “%(title)s”."),
        "reject": _("You rejected “%(title)s”."),
        "complete": _("You completed “%(title)s”."),
        "hand-back": _("You gave your opinion on “%(title)s”."),
        "return": _("You returned “%(title)s”."),
        "transfer": _("You transferred “%(title)s”."),
        "delegate": _("You asked for an opinion on “%(title)s”."),
        "add-signer": _("You added people to “%(title)s”."),
        "copy": _("You sent a copy of “%(title)s”."),
        "claim": _("You took on “%(title)s”."),
        "release": _("You gave “%(title)s” back."),
        "snooze": _("“%(title)s” is snoozed."),
        "wake": _("“%(title)s” is back in your inbox."),
        "ask-substitute": _("You asked for a substitute for “%(title)s”."),
    }[act]


def _next(request: HttpRequest, user: User, task: Task, act: str) -> HttpResponse:
    """Stay while the task is still to be decided; else the next row, with a way back to this."""
    said = _done(task, act) % {"title": task.instance.title}
    page = reverse("request", args=[task.instance_id])
    row = Task.objects.get(pk=task.pk)
    if row.state == Task.State.OPEN and row.holder_id == user.pk and act != "snooze":
        messages.success(request, said)
        return go_on(request, f"{page}?task={task.pk}")
    onward = _goes_on(task) if act in _DECIDES else ""
    text = format_html('{} {} <a href="{}">{}</a>', said, onward, page, _("Back to this request"))
    messages.success(request, text)
    now = clock.now()
    found = beside(user, task.pk, now)[1] or tasks_of(user, "todo", now).first()
    return go_on(request, reverse("inbox") if found is None else address_of(found))


def _goes_on(task: Task) -> str:
    """Where the request is after a decision (interface.md 7.4): `Next: HR.`"""
    instance = Instance.objects.get(pk=task.instance_id)
    if instance.state != Instance.State.RUNNING:
        return _("It has ended: %(state)s.") % {"state": instance_state(instance.state)}
    steps = list(dict.fromkeys(each.name for each in now_with([instance])[instance.pk]))
    if not steps:
        return ""
    if steps == [task.step_name]:
        return _("Others decide at this step too.")
    return _("Next: %(steps)s.") % {"steps": listed(steps)}


# Refused --------------------------------------------------------------------------------------


def _refused(
    request: HttpRequest, user: User, task: Task, act: str, before: Draft, problem: Problem
) -> HttpResponse:
    """The page again with what happened and with everything that was typed."""
    reading = reading_of(user, access.instance(user, task.instance_id))
    now = next(each for each in reading.tasks if each.pk == task.pk)
    draft = drafts.sent(request, reading, now, act)
    # What was uploaded a moment ago is stored, and need not be chosen again.
    draft.papers = before.papers
    if not is_to_decide(reading, now):
        # Also when the key was used with other words: the first decision stands.
        return show(request, reading, now, status=409, conflict=_too_late(now, draft, problem))
    if problem.status == 422:
        drafts.place_errors(draft, problem)
        return show(request, reading, now, status=422, draft=draft)
    conflict = Conflict(text=_moved(problem), at=problem.members.get("changed_at"))
    return show(request, reading, now, status=problem.status, draft=draft, conflict=conflict)


def _too_late(task: Task, draft: Draft, problem: Problem) -> Conflict:
    known = problem.members
    name = known.get("handled_by") or (task.decided_by.name if task.decided_by else None)
    decided = task.decided_at is not None or known.get("handled_at") is not None
    text = handled_text(str(known.get("decision") or task.state), name)
    return Conflict(
        text=text if decided else str(problem.detail),
        at=known.get("handled_at") or task.decided_at,
        comment=draft.comment,
        changes=changes_typed(draft.form),
    )


def _moved(problem: Problem) -> str:
    person = problem.members.get("changed_by")
    if person is None:
        return str(problem.detail)
    return _("%(person)s changed this task while you had it open") % {"person": person}
