"""The page of one request: what is shown, what may be filled in, and the bar to decide with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from workflow import queries
from workflow.access import row_id
from workflow.engine.flowdoc.steps import HumanStep
from workflow.engine.signing import CommentRule, comment_rule
from workflow.engine.state import InstanceState
from workflow.models import Task
from workflow.pages.answers import language_of_page, new_key, page
from workflow.pages.forms import ValuesForm
from workflow.pages.now_with import now_with
from workflow.pages.reading import rows_of, timeline_of

if TYPE_CHECKING:
    from datetime import datetime

    from django.http import HttpRequest, HttpResponse, QueryDict

    from workflow.forms.rights import Right
    from workflow.reading import Reading

LONGEST_COMMENT = 2000
_WRITABLE = ("edit", "must")


@dataclass(frozen=True, slots=True)
class Bar:
    """The buttons of a task, in the words of the process where it has its own."""

    task: Task
    key: str
    approve: str
    reject: str
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


@dataclass(slots=True)
class Draft:
    """What the person has typed so far, to be shown again."""

    form: ValuesForm | None = None
    comment: str = ""
    comment_error: str = ""
    key: str = field(default_factory=new_key)


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
    """Whether the reader can approve or reject this task now."""
    return (
        task.holder_id == reading.user.pk
        and task.kind == Task.Kind.DECIDE
        and task.state == Task.State.OPEN
        and reading.state.status is InstanceState.RUNNING
    )


def values_form(reading: Reading, task: Task, data: QueryDict | None = None) -> ValuesForm | None:
    """The fields that the holder of a task may change; nothing where there is no form."""
    form = reading.definition.form
    if form is None:
        return None
    return ValuesForm(
        form,
        reading.definition.rights_at(task.step),
        reading.state.values,
        language=language_of_page(),
        data=data,
    )


def show(
    request: HttpRequest,
    reading: Reading,
    task: Task | None,
    *,
    status: int = 200,
    draft: Draft | None = None,
    conflict: Conflict | None = None,
) -> HttpResponse:
    """Render the page. ``task`` is the reader's own, open or past; ``draft`` what was typed."""
    instance = reading.instance
    acting = task is not None and is_to_decide(reading, task)
    draft = draft or Draft()
    if acting and task is not None and draft.form is None:
        draft.form = values_form(reading, task)
    editable = draft.form if acting and draft.form is not None and draft.form.fields else None
    context: dict[str, Any] = {
        "instance": instance,
        "state": "held" if reading.state.held and _runs(reading) else instance.state,
        "rows": rows_of(reading, _reading_rights(reading, editable)),
        "form": editable,
        "has_form": reading.definition.form is not None,
        "open_steps": now_with([instance])[instance.pk],
        "held": bool(reading.state.held),
        "timeline": timeline_of(reading),
        "running": _runs(reading),
        "mine": instance.initiator_id == reading.user.pk,
        "draft": draft,
        "conflict": conflict,
        "troubles": _troubles(editable, draft),
        "longest_comment": LONGEST_COMMENT,
    }
    if acting and task is not None:
        context |= {"bar": _bar(reading, task, draft.key), "note": _note(reading, task)}
    elif task is not None and conflict is None:
        context |= {"past": past_text(task), "past_at": task.decided_at}
        context["other_task"] = next(
            (each for each in reading.tasks if is_to_decide(reading, each)), None
        )
    return page(request, "workflow/request.html", context, status=status)


def _runs(reading: Reading) -> bool:
    return reading.state.status is InstanceState.RUNNING


def _note(reading: Reading, task: Task) -> str:
    return queries.note_of(reading.definition, task.step)


def _reading_rights(reading: Reading, editable: ValuesForm | None) -> dict[str, Right]:
    """The rights for the rows to read: without what stands in the form below them."""
    edited = {} if editable is None else editable.fields
    return {name: "edit" if name in edited else right for name, right in reading.rights.items()}


def _bar(reading: Reading, task: Task, key: str) -> Bar:
    step = reading.definition.plan.steps[task.step].step
    approve, reject = "", ""
    if isinstance(step, HumanStep):
        approve, reject = step.acts.labels.approve, step.acts.labels.reject
    return Bar(
        task=task,
        key=key,
        approve=approve or _("Approve"),
        reject=reject or _("Reject"),
        comment=comment_rule(reading.definition, task.step),
    )


def _troubles(form: ValuesForm | None, draft: Draft) -> list[Trouble]:
    found: list[Trouble] = []
    if form is not None:
        found += [Trouble(str(text)) for text in form.non_field_errors()]
        found += [
            Trouble(str(text), str(bound.label), bound.id_for_label)
            for bound in form
            for text in bound.errors
        ]
    if draft.comment_error:
        found.append(Trouble(draft.comment_error, _("Comment"), "comment"))
    return found


# Words about what happened -------------------------------------------------------------------


def handled_text(decision: str, person: str | None) -> str:
    """Who ended a task, and how: the head of the message to whoever comes second."""
    texts = {
        Task.State.APPROVED.value: _("Approved by %(person)s"),
        Task.State.REJECTED.value: _("Rejected by %(person)s"),
    }
    text = texts.get(decision, _("Ended by %(person)s"))
    return text % {"person": person or _("the system")}


def past_text(task: Task) -> str:
    """What became of the reader's own task; nothing for one that waits for its turn."""
    own = {
        Task.State.APPROVED.value: _("You approved this"),
        Task.State.REJECTED.value: _("You rejected this"),
        Task.State.DONE.value: _("This was copied to you"),
        Task.State.BLOCKED.value: _("It is not your turn yet: others decide first"),
    }
    if task.state == Task.State.APPROVED and task.decided_by_id != task.holder_id:
        return ""
    if task.state in own:
        return own[task.state]
    who = task.decided_by.name if task.decided_by else _("the system")
    return _("Your decision is no longer needed: %(person)s ended it") % {"person": who}


def changes_typed(form: ValuesForm | None) -> tuple[tuple[str, str], ...]:
    """Label and text of the fields that the person had changed, as they typed them."""
    if form is None:
        return ()
    return tuple(
        (str(bound.label), str(bound.value()))
        for bound in form
        if bound.name in form.changed_data and bound.value() not in (None, "")
    )
