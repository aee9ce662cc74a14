"""The acts of this administration: list what was chosen, ask the reason, call the one action.

Theory of operation. An action of Django's list, and the button on a row's own page, both lead to
one page that lists the rows and asks. Its answer goes to the list again, now ``confirmed``, and
each row is one command of its own: what is refused is told beside what was done. The history is
written by the action, as from pages and REST; Django's log says besides who pressed the button.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.http import HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from flowadmin import clock
from flowadmin.directory.models import User
from flowadmin.rest.problems import Problem
from workflow import queries
from workflow.actions import administration
from workflow.admin.reading import page_of
from workflow.engine.plan import START
from workflow.models import Instance, Task
from workflow.offering import jump_steps, retry_steps
from workflow.published import definition_of
from workflow.wording.states import step_name

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from django.contrib import admin
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse
    from django_stubs_ext import StrOrPromise

MOST_AT_ONCE = 100
MOST_SUGGESTED = 300


class ReasonForm(forms.Form):
    """Why; no act goes without."""

    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3, "cols": 60}),
        help_text=gettext_lazy(
            "It stays in the history, where everybody on the request reads it."
        ),
    )

    def __init__(self, rows: Sequence[Any], data: Any = None) -> None:
        super().__init__(data)
        self.tenant_id: int = rows[0].tenant_id


class JumpForm(ReasonForm):
    """Where the request continues: a step of its process outside parallel branches."""

    field_order = ("to", "reason")

    def __init__(self, rows: Sequence[Any], data: Any = None) -> None:
        super().__init__(rows, data)
        definition = definition_of(rows[0].version_id)
        ends = {START: _("Start: whoever filed it"), "end": _("End: approved")}
        self.fields["to"] = forms.ChoiceField(
            label=_("Continue at"),
            choices=[
                (step, ends.get(step) or step_name(definition, step))
                for step in jump_steps(definition)
            ],
        )
        self.order_fields(self.field_order)


class PersonForm(ReasonForm):
    """Whom, and why."""

    to = forms.CharField(
        label=gettext_lazy("New holder"),
        max_length=150,
        widget=forms.TextInput(attrs={"list": "people", "autocomplete": "off"}),
        help_text=gettext_lazy("The login name; begin to type a name to get suggestions."),
    )
    field_order = ("to", "reason")

    def clean_to(self) -> User:
        login = self.cleaned_data["to"].strip()
        found = self._people().filter(login=login).first()
        if found is None:
            raise forms.ValidationError(
                _("There is no active person with this login name here."), code="person.unknown"
            )
        return found

    def suggested(self) -> list[tuple[str, str]]:
        """Login and name of the people that may be named, for the field's suggestions."""
        rows = self._people().order_by("name", "login").values_list("login", "name")
        return list(rows[:MOST_SUGGESTED])

    def _people(self) -> QuerySet[User]:
        return User.objects.for_tenant(self.tenant_id).filter(is_active=True)


@dataclass(frozen=True, slots=True)
class Act:
    """One thing to do with rows. ``carry_out(row, answers, user, now)`` calls the action.

    ``offer`` stands in the list of actions and on a row's own page, ``title`` above the question.
    """

    name: str
    offer: StrOrPromise
    title: StrOrPromise
    button: StrOrPromise
    done: StrOrPromise
    form: type[ReasonForm]
    carry_out: Callable[[Any, dict[str, Any], User, datetime], object]
    applies: Callable[[Any], bool]


def _terminate(row: Instance, answers: dict[str, Any], user: User, now: datetime) -> object:
    return administration.terminate(instance=row, user=user, reason=answers["reason"], now=now)


def _reassign(row: Task, answers: dict[str, Any], user: User, now: datetime) -> object:
    return administration.reassign(
        task=row, to=answers["to"], user=user, reason=answers["reason"], now=now
    )


def _assign_held(row: Instance, answers: dict[str, Any], user: User, now: datetime) -> object:
    # An activation that is not held, or none at all, is refused by the engine: 409.
    open_now = queries.state_of(row).activations
    activation = next((each.number for each in open_now if not each.seats), 0)
    return administration.assign_held(
        instance=row,
        activation=activation,
        to=answers["to"],
        user=user,
        reason=answers["reason"],
        now=now,
    )


def _pause(row: Instance, answers: dict[str, Any], user: User, now: datetime) -> object:
    return administration.pause(instance=row, user=user, reason=answers["reason"], now=now)


def _resume(row: Instance, answers: dict[str, Any], user: User, now: datetime) -> object:
    return administration.resume(instance=row, user=user, reason=answers["reason"], now=now)


def _jump(row: Instance, answers: dict[str, Any], user: User, now: datetime) -> object:
    return administration.jump(
        instance=row, to=answers["to"], user=user, reason=answers["reason"], now=now
    )


def _retry(row: Instance, answers: dict[str, Any], user: User, now: datetime) -> object:
    # A step that cannot be tried again, or none at all, is refused by the engine: 409.
    held = retry_steps(definition_of(row.version_id), queries.state_of(row))
    return administration.retry(
        instance=row, activation=next(iter(held), 0), user=user, reason=answers["reason"], now=now
    )


def _may_retry(row: Instance) -> bool:
    state = queries.state_of(row)
    return not state.paused and bool(retry_steps(definition_of(row.version_id), state))


def _is_running(row: Instance) -> bool:
    return row.state == Instance.State.RUNNING


def _is_paused(row: Instance) -> bool:
    return _is_running(row) and queries.state_of(row).paused


PAUSE = Act(
    name="pause",
    offer=gettext_lazy("Pause with a reason…"),
    title=gettext_lazy("Pause requests"),
    button=gettext_lazy("Pause with this reason"),
    done=gettext_lazy("%(row)s: paused."),
    form=ReasonForm,
    carry_out=_pause,
    applies=lambda row: _is_running(row) and not _is_paused(row),
)
RESUME = Act(
    name="resume",
    offer=gettext_lazy("Resume with a reason…"),
    title=gettext_lazy("Resume requests"),
    button=gettext_lazy("Resume with this reason"),
    done=gettext_lazy("%(row)s: goes on."),
    form=ReasonForm,
    carry_out=_resume,
    applies=_is_paused,
)
JUMP = Act(
    name="jump",
    offer=gettext_lazy("Jump to a step…"),
    title=gettext_lazy("Jump to a step"),
    button=gettext_lazy("Continue there"),
    done=gettext_lazy("%(row)s: continues at another step."),
    form=JumpForm,
    carry_out=_jump,
    applies=lambda row: _is_running(row) and not _is_paused(row),
)
TERMINATE = Act(
    name="terminate",
    offer=gettext_lazy("End with a reason…"),
    title=gettext_lazy("End requests"),
    button=gettext_lazy("End with this reason"),
    done=gettext_lazy("%(row)s: ended."),
    form=ReasonForm,
    carry_out=_terminate,
    applies=_is_running,
)
RETRY = Act(
    name="retry",
    offer=gettext_lazy("Held: try again…"),
    title=gettext_lazy("Try held steps again"),
    button=gettext_lazy("Try again with this reason"),
    done=gettext_lazy("%(row)s: tries again."),
    form=ReasonForm,
    carry_out=_retry,
    applies=lambda row: bool(row.held) and _may_retry(row),
)
REASSIGN = Act(
    name="reassign",
    offer=gettext_lazy("Give to another person…"),
    title=gettext_lazy("Give tasks to another person"),
    button=gettext_lazy("Give to this person"),
    done=gettext_lazy("%(row)s: given to %(to)s."),
    form=PersonForm,
    carry_out=_reassign,
    applies=lambda row: (
        row.kind == Task.Kind.DECIDE and row.state in {Task.State.OPEN, Task.State.BLOCKED}
    ),
)
ASSIGN_HELD = Act(
    name="assign_held",
    offer=gettext_lazy("Held: name the person…"),
    title=gettext_lazy("Name the person for held requests"),
    button=gettext_lazy("Name this person"),
    done=gettext_lazy("%(row)s: goes on with %(to)s."),
    form=PersonForm,
    carry_out=_assign_held,
    applies=lambda row: bool(row.held),
)


def ask(
    model_admin: admin.ModelAdmin[Any], request: HttpRequest, rows: QuerySet[Any], act: Act
) -> HttpResponse | None:
    """The page that lists the rows and asks; or, when it was answered, the act on each row."""
    chosen = list(rows[: MOST_AT_ONCE + 1])
    if trouble := _trouble(chosen, act):
        model_admin.message_user(request, trouble, messages.ERROR)
        return None
    confirmed = request.method == "POST" and "confirmed" in request.POST
    form = act.form(chosen, request.POST if confirmed else None)
    if confirmed and form.is_valid():
        _act_on_each(model_admin, request, chosen, act, form.cleaned_data)
        if len(chosen) == 1:
            return HttpResponseRedirect(reverse(page_of(chosen[0]), args=[chosen[0].pk]))
        return None
    context = {
        **model_admin.admin_site.each_context(request),
        "title": act.title,
        "opts": model_admin.opts,
        "act": act,
        "form": form,
        "rows": chosen,
        "row_page": page_of(chosen[0]),
        "list_page": reverse(page_of(chosen[0], "changelist")),
        "action_checkbox_name": ACTION_CHECKBOX_NAME,
    }
    return TemplateResponse(request, "admin/workflow/confirm.html", context)


def _trouble(chosen: list[Any], act: Act) -> str:
    """Why nothing can be asked about these rows."""
    if not chosen:
        return _("Nothing was chosen that exists.")
    if len(chosen) > MOST_AT_ONCE:
        return _("At most %(count)d at once, please.") % {"count": MOST_AT_ONCE}
    if issubclass(act.form, PersonForm) and len({row.tenant_id for row in chosen}) > 1:
        return _("Choose rows of one tenant: a person belongs to one.")
    if issubclass(act.form, JumpForm) and len({row.version_id for row in chosen}) > 1:
        return _("Choose requests of one process and version: their steps differ.")
    return ""


def _act_on_each(
    model_admin: admin.ModelAdmin[Any],
    request: HttpRequest,
    chosen: list[Any],
    act: Act,
    answers: dict[str, Any],
) -> None:
    user = request.user
    if not isinstance(user, User):
        return
    now = clock.now()
    for row in chosen:
        named = {"row": str(row), "to": str(answers.get("to", ""))}
        try:
            act.carry_out(row, answers, user, now)
        except Problem as problem:
            model_admin.message_user(request, f"{row}: {told(problem)}", messages.ERROR)
            continue
        message = str(act.done) % named
        model_admin.log_change(request, row, f"{message} {answers['reason']}")
        model_admin.message_user(request, message, messages.SUCCESS)


def told(problem: Problem) -> str:
    """A refusal in words, each said once."""
    said = [str(problem.detail), *(str(each["message"]) for each in problem.errors or ())]
    return "; ".join(dict.fromkeys(said))
