"""The page of one request: what is shown, what may be filled in, and the bar to decide with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from workflow import queries
from workflow.access import row_id
from workflow.engine.evidence import CommentRule, comment_rule
from workflow.engine.state import InstanceState, Reason
from workflow.lists import beside
from workflow.models import Task
from workflow.pages.answers import page
from workflow.pages.copying import again_address
from workflow.pages.drafts import LONGEST_COMMENT, Draft, fresh
from workflow.pages.known import outside_of
from workflow.pages.now_with import now_with
from workflow.pages.offered import buttons_of
from workflow.pages.reading import rows_of, timeline_of
from workflow.pages.tabs import FORM, tabs_of
from workflow.wording.states import task_state

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from django import forms
    from django.http import HttpRequest, HttpResponse

    from workflow.forms.rights import Right
    from workflow.pages.forms import ValuesForm
    from workflow.pages.tabs import Part
    from workflow.reading import Reading

_DECISIONS = frozenset({"approve", "reject", "complete", "return"})


@dataclass(frozen=True, slots=True)
class Bar:
    """What stands around the buttons of a task: its key, and what is asked of a comment."""

    task: Task
    key: str
    comment: CommentRule


@dataclass(frozen=True, slots=True)
class Conflict:
    """What happened meanwhile, with what the person had typed: nothing of it is lost (7.4)."""

    text: str
    at: datetime | None = None
    comment: str = ""
    changes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Trouble:
    """One line of the summary above a form that was refused."""

    text: str
    label: str = ""
    target: str = ""


def chosen_task(reading: Reading, wanted: str) -> Task | None:
    """The reader's task that the address means (`?task=`), else their first open one.

    Raises Problem 404 for a word that cannot be a task.
    """
    mine = [task for task in reading.tasks if task.holder_id == reading.user.pk]
    if wanted:
        pk = row_id(wanted)
        for task in mine:
            if task.pk == pk:
                return task
    return next((task for task in mine if is_to_decide(reading, task)), None)


def is_to_decide(reading: Reading, task: Task) -> bool:
    """Whether this task waits for the reader now; what he may do with it, `buttons_of` says."""
    return (
        task.holder_id == reading.user.pk
        and task.kind == Task.Kind.DECIDE
        and task.state == Task.State.OPEN
        and reading.state.status is InstanceState.RUNNING
    )


def show(
    request: HttpRequest,
    reading: Reading,
    task: Task | None,
    *,
    status: int = 200,
    draft: Draft | None = None,
    conflict: Conflict | None = None,
    part: Part | None = None,
) -> HttpResponse:
    """Render the page. ``task`` is the reader's own, open or past; ``draft`` what was typed.

    ``part`` is what stands in front when another tab than the form is asked for; the form is there
    all the same, so that nothing typed is lost and the buttons below go on working.
    """
    instance = reading.instance
    acting = task is not None and is_to_decide(reading, task)
    buttons = buttons_of(reading, task if task is not None else _last_decided(reading))
    if draft is None:
        draft = fresh(reading, task) if acting and task is not None else Draft()
    fills_in = acting and buttons.decides
    editable = draft.form if fills_in and draft.form is not None and draft.form.fields else None
    outside = outside_of(reading.user, reading.definition.form, reading.values())
    timeline = timeline_of(reading)
    context: dict[str, Any] = {
        **panel_context(reading, task, draft),
        **({} if part is None else part.context),
        "part": part,
        "tab": FORM if part is None else part.code,
        "tabs": tabs_of(reading, task, timeline),
        "bar_task": task,
        "instance": instance,
        "state": state_of(reading),
        "rows": rows_of(reading, _reading_rights(reading, editable), outside),
        "form": editable,
        "picks": draft.picks if fills_in else None,
        "papers": draft.papers if fills_in and draft.papers.asked else None,
        "has_form": reading.definition.form is not None,
        "open_steps": now_with([instance])[instance.pk],
        "timeline": timeline,
        "running": _runs(reading),
        "mine": instance.initiator_id == reading.user.pk,
        "again": _again(reading),
        "buttons": buttons,
        "conflict": conflict,
        "troubles": _troubles(editable, draft),
    }
    if acting and task is not None:
        context["beside"] = _beside(reading, task)
        context["note"] = queries.note_of(reading.definition, task.step)
        context["other_task"] = _other_task(reading, task)
    elif task is not None and conflict is None:
        context |= {"past": past_text(task), "past_at": task.decided_at}
        context["other_task"] = _other_task(reading, task)
    return page(request, "workflow/request.html", context, status=status)


def address_of(task: Task) -> str:
    """The page of a request with the buttons of this task."""
    return f"{reverse('request', args=[task.instance_id])}?task={task.pk}"


def _beside(reading: Reading, task: Task) -> tuple[str, ...]:
    """Where the to-dos before and after this one are; empty words at the ends, nothing alone."""
    found = beside(reading.user, task.pk, timezone.now())
    addresses = tuple("" if each is None else address_of(each) for each in found)
    return addresses if any(addresses) else ()


def _other_task(reading: Reading, task: Task) -> Task | None:
    """Another task of the request that waits for the reader, beside the one that is shown."""
    others = (each for each in reading.tasks if each.pk != task.pk)
    return next((each for each in others if is_to_decide(reading, each)), None)


def panel_context(reading: Reading, task: Task | None, draft: Draft) -> dict[str, Any]:
    """What the panel of an act needs, in the page and alone."""
    acting = task is not None and is_to_decide(reading, task)
    panel = draft.panel
    bar = None
    if acting and task is not None:
        bar = Bar(task, draft.key, comment_rule(reading.definition, task.step))
    # A decision of this step takes no comment; what else is done with the task may carry one.
    own_comment = (
        panel is not None
        and not panel.apart
        and panel.verb not in _DECISIONS
        and bar is not None
        and bar.comment == "no"
    )
    return {
        "instance": reading.instance,
        "bar": bar,
        "draft": draft,
        "panel": panel,
        "own_comment": own_comment,
        "longest_comment": LONGEST_COMMENT,
    }


def state_of(reading: Reading) -> str:
    """The state of the request; while it runs, what keeps it from moving goes before."""
    if not _runs(reading):
        return reading.instance.state
    if reading.state.paused:
        return "paused"
    return "held" if reading.state.held else reading.instance.state


def _again(reading: Reading) -> str:
    """Where a request of the reader's that has ended is filed anew (interface.md 2, number 14)."""
    is_own = reading.instance.initiator_id == reading.user.pk
    return again_address(reading.instance) if is_own and not _runs(reading) else ""


def _runs(reading: Reading) -> bool:
    return reading.state.status is InstanceState.RUNNING


def _last_decided(reading: Reading) -> Task | None:
    """The reader's latest decision, which he may want to take back."""
    decided = [
        task
        for task in reading.tasks
        if task.holder_id == reading.user.pk
        and task.decided_by_id == reading.user.pk
        and task.kind == Task.Kind.DECIDE
    ]
    return decided[-1] if decided and _runs(reading) else None


def _reading_rights(reading: Reading, editable: ValuesForm | None) -> dict[str, Right]:
    """The rights for the rows to read: without what stands in the form below them."""
    if editable is None:
        return dict(reading.rights)
    fields = editable.fields
    # A table is edited by its rows, which only the rights of the step speak of.
    own = {name: right for name, right in editable.rights.items() if "+" in name}
    shown: dict[str, Right] = {
        name: "edit" if name in fields else right for name, right in reading.rights.items()
    }
    return shown | own


def _troubles(form: ValuesForm | None, draft: Draft) -> list[Trouble]:
    found: list[Trouble] = [Trouble(draft.refused)] if draft.refused else []
    shown: tuple[forms.Form | None, ...] = (
        form,
        draft.picks,
        draft.panel.form if draft.panel is not None else None,
    )
    for each in shown:
        if each is not None:
            found += _troubles_of(each)
    if draft.comment_error:
        found.append(Trouble(draft.comment_error, _("Comment"), "comment"))
    if draft.papers.files_error:
        found.append(Trouble(draft.papers.files_error, _("Files"), "new-files"))
    if draft.papers.signature_error:
        found.append(Trouble(draft.papers.signature_error, _("Signature"), "new-signature"))
    return found


def _troubles_of(form: forms.Form) -> Iterable[Trouble]:
    yield from (Trouble(str(text)) for text in form.non_field_errors())
    for bound in form:
        for text in bound.errors:
            yield Trouble(str(text), str(bound.label), bound.id_for_label)


# Words about what happened -------------------------------------------------------------------


def handled_text(decision: str, person: str | None) -> str:
    """Who ended a task, and how: the head of the message to whoever comes second."""
    texts = {
        Task.State.APPROVED.value: _("Approved by %(person)s"),
        Task.State.REJECTED.value: _("Rejected by %(person)s"),
        Task.State.DONE.value: _("Done by %(person)s"),
    }
    text = texts.get(decision, _("Ended by %(person)s"))
    return text % {"person": person or _("the system")}


def past_text(task: Task) -> str:
    """What became of the reader's own task; nothing for one that waits for its turn."""
    own = {
        Task.State.APPROVED.value: _("You approved this"),
        Task.State.REJECTED.value: _("You rejected this"),
        Task.State.DONE.value: _done_text(task),
        Task.State.OPINION_GIVEN.value: _("You gave your opinion on this"),
        Task.State.TAKEN_BACK.value: _("You took your decision on this back"),
        Task.State.HANDED_ON.value: _("You asked for an opinion, and the task waits for it"),
        Task.State.BLOCKED.value: _("It is not your turn yet: others decide first"),
    }
    if task.state == Task.State.APPROVED and task.decided_by_id != task.holder_id:
        return ""
    if task.state in own:
        return own[task.state]
    if task.state != Task.State.CLOSED:
        return task_state(task.state)
    who = task.decided_by.name if task.decided_by else _("the system")
    return _("Your decision is no longer needed: %(person)s ended it") % {"person": who}


def _done_text(task: Task) -> str:
    if task.kind == Task.Kind.COPY:
        return _("This was copied to you")
    return _("You returned this") if task.reason == Reason.RETURNED else _("You completed this")


def changes_typed(form: ValuesForm | None) -> tuple[tuple[str, str], ...]:
    """Label and text of the fields that the person had changed, as they typed them."""
    return () if form is None else tuple(form.typed_texts())
