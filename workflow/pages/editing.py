"""The panel in which what comes next is changed for one request, and the question before it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from flowadmin.directory.queries import people_by_id
from workflow import access, recorded
from workflow.actions import editing
from workflow.engine.editing import LONGEST_NAME, Wanted
from workflow.engine.rejections import Invalid
from workflow.pages.panels import PREFIX, Radios, ReasonPanel
from workflow.pages.people import PeopleField, everybody
from workflow.runtime.refusals import problem_of
from workflow.wording.editing import edits_told
from workflow.wording.following import Reader
from workflow.wording.states import step_name

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from django.http import QueryDict

    from flowadmin.directory.models import User
    from workflow.pages.people import Offered
    from workflow.reading import Reading

AFTER, PEOPLE, REMOVE = "after", "people", "remove"
# What was shown before it is confirmed; another edit has to be shown first.
SHOWN = f"{PREFIX}-shown"


class EditPanel(ReasonPanel):
    """One change: a step after another one, other people for a step, or an added step out."""

    places: ClassVar[dict[str, str]] = {
        "/edits/0/who": "who",
        "/edits/0/name": "name",
        **ReasonPanel.places,
        "/edits": "what",
    }

    def __init__(self, what: list[tuple[str, str]], people: Offered, data: Any = None) -> None:
        super().__init__(data)
        self.fields["what"] = forms.ChoiceField(label=gettext_lazy("What to change"), choices=what)
        self.fields["name"] = forms.CharField(
            label=gettext_lazy("Name of the added step"),
            required=self._kind_asked(what) == AFTER,
            max_length=LONGEST_NAME,
            error_messages={"required": gettext_lazy("Give the added step a name.")},
            help_text=gettext_lazy("Only for a step that is added."),
        )
        self.fields["who"] = PeopleField(
            people,
            label=gettext_lazy("People who are asked there"),
            required=self._kind_asked(what) != REMOVE,
        )
        self.fields["decide"] = forms.ChoiceField(
            label=gettext_lazy("How they decide in an added step"),
            choices=[
                ("any", gettext_lazy("One of them is enough")),
                ("all", gettext_lazy("All of them have to approve")),
                ("in_order", gettext_lazy("One after the other")),
            ],
            initial="any",
            required=False,
            widget=Radios,
        )
        self.order_fields(["what", "name", "who", "decide", "reason"])

    def _kind_asked(self, what: list[tuple[str, str]]) -> str:
        """The kind of change that is chosen; at first the one that the list begins with."""
        return _kind(self["what"].value() or (what[0][0] if what else ""))

    @property
    def mark(self) -> str:
        """A digest of the change, without its reason."""
        names = ("what", "name", "who", "decide")
        said = repr([self.cleaned_data.get(name) for name in names])
        return hashlib.sha256(said.encode()).hexdigest()

    @property
    def is_confirmed(self) -> bool:
        """Whether this very change was shown to the person before."""
        return str(self.data.get(SHOWN, "")) == self.mark


def _kind(what: object) -> str:
    return str(what or "").partition("-")[0]


def edit_panel(reading: Reading, data: QueryDict | None) -> EditPanel:
    """The panel with what lies ahead of the request now."""
    future = editing.editable(reading.instance, reading.definition, reading.state)
    groups = (
        (_("Add a step after “%(step)s”"), AFTER, future.insert_after),
        (_("Other people for “%(step)s”"), PEOPLE, future.set_people),
        (_("Take out “%(step)s”"), REMOVE, future.remove),
    )
    what = [
        (f"{kind}-{step}", text % {"step": step_name(reading.definition, step)})
        for text, kind, steps in groups
        for step in steps
    ]
    return EditPanel(what, everybody(reading.user), data)


def wanted_of(user: User, said: dict[str, Any]) -> list[Wanted]:
    """The change as the engine takes it; people whom nobody is get a number that nobody has."""
    kind, _dash, step = str(said.get("what", "")).partition("-")
    if kind == REMOVE:
        return [Wanted("remove", step=step)]
    people = access.people_ids(user, said.get("who", ()))
    if kind == PEOPLE:
        return [Wanted("set_people", step=step, people=people)]
    return [
        Wanted(
            "insert_approve",
            after=step,
            name=str(said.get("name", "")),
            people=people,
            decide=said.get("decide") or "any",
        )
    ]


def differences(reading: Reading, form: EditPanel, now: datetime) -> list[str]:
    """What would be another way, in sentences; nothing is written.

    Raises Problem 422 edit.invalid.
    """
    events = [each.event for each in recorded.read(reading.instance.pk)]
    try:
        found = editing.rehearse(
            instance=reading.instance,
            state=reading.state,
            events=events,
            edits=wanted_of(reading.user, form.cleaned_data),
            now=now,
        )
    except Invalid as refusal:
        raise problem_of(refusal) from refusal
    names = _names(user for edit in found.record for user in edit.people)
    reader = Reader(found.definition, names, reading.shows, {})
    return list(edits_told(found.record, reader))


def _names(users: Iterable[int]) -> dict[int, str]:
    return {person.id: person.name for person in people_by_id(set(users))}
