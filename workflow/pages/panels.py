"""The small forms that open beside the buttons: whom, where to, until when, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from workflow.pages.people import PeopleField, PersonField
from workflow.wording.findings import sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from workflow.forms.findings import Finding
    from workflow.pages.people import Offered

PREFIX = "act"
LONGEST_REASON = 2000


class Radios(forms.RadioSelect):
    """A few answers of which one is given, one below the other."""

    template_name = "components/boxes.html"


class Panel(forms.Form):
    """One panel; `places` says which field a pointer into the command means."""

    use_required_attribute = False
    places: ClassVar[dict[str, str]] = {}

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, prefix=PREFIX)

    def takes(self, finding: Finding) -> bool:
        """Whether the finding speaks of something that was asked here."""
        return self._field_at(finding.at) is not None

    def add_findings(self, findings: Iterable[Finding]) -> None:
        """Show each beside its field; one about a person names the person."""
        for finding in findings:
            name = self._field_at(finding.at)
            text = sentence(finding)
            person = self._person_at(finding.at, name)
            self.add_error(name, f"{person}: {text}" if person else text)

    def _field_at(self, at: str) -> str | None:
        for place, name in self.places.items():
            if name in self.fields and (at == place or at.startswith(f"{place}/")):
                return name
        return None

    def _person_at(self, at: str, name: str | None) -> str:
        number = at.rpartition("/")[2]
        field = self.fields.get(name or "")
        if not isinstance(field, PeopleField) or not number.isdecimal():
            return ""
        logins = field.to_python(self[str(name)].value())
        place = int(number)
        if place >= len(logins):
            return ""
        known = dict(getattr(field.widget, "choices", ()))
        return str(known.get(logins[place], logins[place]))


class RejectPanel(Panel):
    """Where a rejection sends the request, where the process lets the person choose."""

    places: ClassVar[dict[str, str]] = {"/to": "to"}

    def __init__(self, steps: Sequence[tuple[str, str]], data: Any = None) -> None:
        super().__init__(data)
        self.fields["to"] = forms.ChoiceField(label=_("Back to"), choices=steps)


class ReturnPanel(RejectPanel):
    """Where to, and how it goes on afterwards."""

    def __init__(self, steps: Sequence[tuple[str, str]], data: Any = None) -> None:
        super().__init__(steps, data)
        self.fields["resume"] = forms.ChoiceField(
            label=_("Afterwards"),
            choices=[
                ("forward", _("Step by step again")),
                ("here", _("Straight back to me")),
            ],
            initial="forward",
            widget=Radios,
        )


class PersonPanel(Panel):
    """One person: to transfer to, or to ask for an opinion."""

    places: ClassVar[dict[str, str]] = {"/to": "to"}

    def __init__(self, people: Offered, data: Any = None) -> None:
        super().__init__(data)
        self.fields["to"] = PersonField(people, label=_("To whom"))


class PeoplePanel(Panel):
    """Several people: who may read."""

    places: ClassVar[dict[str, str]] = {"/to": "people", "/people": "people"}

    def __init__(self, people: Offered, data: Any = None) -> None:
        super().__init__(data)
        self.fields["people"] = PeopleField(people, label=_("People"))


class AddPanel(PeoplePanel):
    """Who is added, where, and how those before and after decide among themselves."""

    def __init__(self, people: Offered, places: Sequence[str], data: Any = None) -> None:
        super().__init__(people, data)
        words = {
            "before": _("Before me: they decide first"),
            "after": _("After me: they decide once I approved"),
            "with": _("Beside me: with the same say"),
        }
        self.fields["place"] = forms.ChoiceField(
            label=_("When they decide"),
            choices=[(place, words[place]) for place in places],
            initial=places[0],
            widget=Radios,
        )
        if "before" not in places and "after" not in places:
            return
        self.fields["decide"] = forms.ChoiceField(
            label=_("How they decide"),
            choices=[
                ("all", _("All of them have to approve")),
                ("any", _("One of them is enough")),
                ("in_order", _("One after the other")),
            ],
            initial="all",
            help_text=_("For people before or after you; beside you the rule of the step holds."),
        )
        self.fields["counts"] = forms.ChoiceField(
            label=_("Rejections"),
            choices=[
                ("any_one", _("One rejection counts at once")),
                ("cannot_pass", _("Only when approval has become impossible")),
            ],
            initial="any_one",
        )


class SnoozePanel(Panel):
    """Until when the task stays out of the inbox."""

    places: ClassVar[dict[str, str]] = {"/until": "until"}

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        zone = timezone.get_current_timezone_name()
        self.fields["until"] = forms.DateTimeField(
            label=_("Show it again"),
            widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
            input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
            help_text=_("Time zone: %(zone)s") % {"zone": zone},
        )


class NothingPanel(Panel):
    """Nothing but the comment below: why."""


class RemarkPanel(Panel):
    """Words that may be said: to withdraw, to take back."""

    places: ClassVar[dict[str, str]] = {"/comment": "comment", "/reason": "comment"}

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        self.fields["comment"] = forms.CharField(
            label=_("Comment"),
            required=False,
            max_length=LONGEST_REASON,
            widget=forms.Textarea(attrs={"rows": 2}),
        )


class RemovePanel(RemarkPanel):
    """Whom to remove of those who were added."""

    def __init__(self, seats: Sequence[tuple[str, str]], data: Any = None) -> None:
        super().__init__(data)
        self.fields["seat"] = forms.ChoiceField(label=_("Whom to remove"), choices=seats)
        self.order_fields(["seat", "comment"])


class ReasonPanel(Panel):
    """Why; no manager's act goes without."""

    places: ClassVar[dict[str, str]] = {"/reason": "reason", "/comment": "reason"}

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        self.fields["reason"] = forms.CharField(
            label=_("Reason"),
            max_length=LONGEST_REASON,
            widget=forms.Textarea(attrs={"rows": 2}),
            help_text=_("It stays in the history, where everybody on the request reads it."),
        )


class JumpPanel(ReasonPanel):
    """Where the request continues."""

    places: ClassVar[dict[str, str]] = {"/to": "to", **ReasonPanel.places}

    def __init__(self, steps: Sequence[tuple[str, str]], data: Any = None) -> None:
        super().__init__(data)
        self.fields["to"] = forms.ChoiceField(label=_("Continue at"), choices=steps)
        self.order_fields(["to", "reason"])


class RetryPanel(ReasonPanel):
    """Which held step is tried again."""

    def __init__(self, steps: Sequence[tuple[str, str]], data: Any = None) -> None:
        super().__init__(data)
        self.fields["step"] = forms.ChoiceField(label=_("Held step"), choices=steps)
        self.order_fields(["step", "reason"])


class ReassignPanel(ReasonPanel):
    """Which task or held step, and who gets it."""

    places: ClassVar[dict[str, str]] = {"/to": "to", **ReasonPanel.places}

    def __init__(self, what: Sequence[tuple[str, str]], people: Offered, data: Any = None) -> None:
        super().__init__(data)
        self.fields["what"] = forms.ChoiceField(label=_("What"), choices=what)
        self.fields["to"] = PersonField(people, label=_("To whom"))
        self.order_fields(["what", "to", "reason"])
