"""The panel of one act on one request: its form for this reader, and where it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.urls import reverse
from django.utils.translation import gettext as _

from flowadmin.rest.problems import Problem, not_found
from workflow.engine.plan import START
from workflow.models import Task
from workflow.offering import (
    Held,
    jump_steps,
    rejection_steps,
    retry_steps,
    return_steps,
    task_offers,
)
from workflow.pages import panels
from workflow.pages.editing import edit_panel
from workflow.pages.offered import (
    APART,
    MANAGING,
    bare_label,
    buttons_of,
    removable_tasks,
    situation_of,
)
from workflow.pages.people import everybody
from workflow.wording.not_yet import refusal_text
from workflow.wording.states import step_name, task_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from django.http import QueryDict

    from workflow.pages.panels import Panel
    from workflow.reading import Reading

# Acts of the decision form whose panel asks more.
BESIDE = (
    "reject", "return", "transfer", "delegate", "add-signer", "copy", "snooze", "ask-substitute",
)  # fmt: skip
WITH_PANEL = frozenset({*BESIDE, *APART, *MANAGING})
_WAITING = (Task.State.OPEN, Task.State.BLOCKED, Task.State.HANDED_ON)
_DANGEROUS = frozenset({"cancel", "withdraw", "reject"})


@dataclass(slots=True)
class OpenPanel:
    """An open panel. ``apart``: with a form of its own, above the page."""

    verb: str
    title: str
    form: Panel
    apart: bool
    text: str
    dangerous: bool
    closed: str
    task: Task | None
    # What would change, shown before it is confirmed, and the mark of what was shown.
    lines: tuple[str, ...] = ()
    shown: str = ""


def open_panel(
    reading: Reading, task: Task | None, verb: str, data: QueryDict | None = None
) -> OpenPanel:
    """The panel of an act, empty or with what was sent. Raises Problem 404 for an unknown act.

    Whether the act is offered is another question: see `require_offered`.
    """
    made = _FORMS.get(verb)
    if made is None:
        raise not_found()
    page = reverse("request", args=[reading.instance.pk])
    return OpenPanel(
        verb=verb,
        title=bare_label(reading, task, verb),
        form=made(reading, task, data),
        apart=verb not in BESIDE,
        text=_explained(verb),
        dangerous=verb in _DANGEROUS,
        closed=page if task is None else f"{page}?task={task.pk}",
        task=task,
    )


def has_panel(reading: Reading, task: Task, verb: str) -> bool:
    """Whether this act of the decision form asks more; to reject only where one chooses a step."""
    if verb == "reject":
        return bool(rejection_steps(situation_of(reading), Held.of(task)))
    return verb in BESIDE


def require_offered(reading: Reading, task: Task | None, verb: str) -> None:
    """Raises Problem 409 with the reason when this reader is not offered the act now, 404 when
    there is no such act.
    """
    if verb not in WITH_PANEL:
        raise not_found()
    buttons = buttons_of(reading, task)
    acts = (*buttons.primary, *buttons.more, *buttons.apart, *buttons.managing)
    if any(act.verb == verb for act in acts):
        return
    code = "act.not_here"
    if task is not None:
        offers = task_offers(situation_of(reading), Held.of(task))
        code = next((each.code for each in offers if each.verb == verb and each.code), code)
    raise Problem(409, code, refusal_text(code, "" if task is None else task.state))


def _explained(verb: str) -> str:
    texts = {
        "delegate": _("The task waits for the opinion, and then it is yours again."),
        "copy": _("They can read the request and decide nothing."),
        "snooze": _("Deadlines go on meanwhile."),
        "ask-substitute": _("The managers get to know. Say why in the comment."),
        "withdraw": _("The request ends, and nobody has to decide it any more."),
        "take-back": _("Your decision counts no longer, and the task is yours again."),
        "suspend": _("Nothing moves until it is resumed. Deadlines keep their moments."),
        "retry": _("What the step asks for outside is asked once more."),
        "edit-future": _(
            "For this request alone. First you see what would change, then you confirm it."
        ),
        "jump": _("All open steps are closed, and the request continues there."),
        "cancel": _("The request ends now. This cannot be undone."),
    }
    return texts.get(verb, "")


def _named(reading: Reading, steps: Iterable[str]) -> list[tuple[str, str]]:
    ends = {START: _("Start: whoever filed it"), "end": _("End: approved")}
    return [(step, ends.get(step) or step_name(reading.definition, step)) for step in steps]


def _return(reading: Reading, task: Task | None, data: QueryDict | None) -> Panel:
    found = () if task is None else return_steps(situation_of(reading), Held.of(task))
    # The nearest step first: that is what is meant most often.
    return panels.ReturnPanel(_named(reading, reversed(found)), data)


def _reject(reading: Reading, task: Task | None, data: QueryDict | None) -> Panel:
    found = () if task is None else rejection_steps(situation_of(reading), Held.of(task))
    return panels.RejectPanel(_named(reading, reversed(found)), data)


def _person(reading: Reading, _task: Task | None, data: QueryDict | None) -> Panel:
    return panels.PersonPanel(everybody(reading.user, without=(reading.user.pk,)), data)


def _people(reading: Reading, _task: Task | None, data: QueryDict | None) -> Panel:
    return panels.PeoplePanel(everybody(reading.user, without=(reading.user.pk,)), data)


def _add(reading: Reading, task: Task | None, data: QueryDict | None) -> Panel:
    places: tuple[str, ...] = ()
    if task is not None:
        offers = task_offers(situation_of(reading), Held.of(task))
        places = next(each.choices for each in offers if each.verb == "add-signer")
    people = everybody(reading.user, without=(reading.user.pk,))
    return panels.AddPanel(people, places or ("before", "after", "with"), data)


def _remove(reading: Reading, _task: Task | None, data: QueryDict | None) -> Panel:
    found = removable_tasks(reading, situation_of(reading))
    return panels.RemovePanel([(str(pk), name) for pk, name in found.items()], data)


def _jump(reading: Reading, _task: Task | None, data: QueryDict | None) -> Panel:
    return panels.JumpPanel(_named(reading, jump_steps(reading.definition)), data)


def _retry(reading: Reading, _task: Task | None, data: QueryDict | None) -> Panel:
    held = retry_steps(reading.definition, reading.state)
    steps = [(str(number), step_name(reading.definition, step)) for number, step in held.items()]
    return panels.RetryPanel(steps, data)


def _reassign(reading: Reading, _task: Task | None, data: QueryDict | None) -> Panel:
    waiting = [
        (f"task-{each.pk}", f"{each.step_name}: {each.holder.name} ({task_state(each.state)})")
        for each in reading.tasks
        if each.kind == Task.Kind.DECIDE and each.state in _WAITING
    ]
    state = reading.state
    held = [
        (
            f"held-{each.number}",
            _("%(step)s: held") % {"step": step_name(reading.definition, each.step)},
        )
        for each in state.activations
        if not each.seats and each.number in state.incidents
    ]
    return panels.ReassignPanel([*held, *waiting], everybody(reading.user), data)


_FORMS: Mapping[str, Callable[[Reading, Task | None, QueryDict | None], Panel]] = {
    "reject": _reject,
    "return": _return,
    "transfer": _person,
    "delegate": _person,
    "add-signer": _add,
    "copy": _people,
    "snooze": lambda _reading, _task, data: panels.SnoozePanel(data),
    "ask-substitute": lambda _reading, _task, data: panels.NothingPanel(data),
    "take-back": lambda _reading, _task, data: panels.RemarkPanel(data),
    "remove-signer": _remove,
    "withdraw": lambda _reading, _task, data: panels.RemarkPanel(data),
    "suspend": lambda _reading, _task, data: panels.ReasonPanel(data),
    "resume": lambda _reading, _task, data: panels.ReasonPanel(data),
    "cancel": lambda _reading, _task, data: panels.ReasonPanel(data),
    "jump": _jump,
    "retry": _retry,
    "edit-future": lambda reading, _task, data: edit_panel(reading, data),
    "reassign": _reassign,
}
