"""People whom the reader picks for later steps, when filing and when deciding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from flowadmin.directory.queries import people_by_id
from workflow.engine.decision import Decision
from workflow.engine.people import resolve
from workflow.engine.picking import picks_asked
from workflow.pages.people import MOST_LISTED, Offered, PeopleField, PersonField, everybody
from workflow.runtime.facts import Organisation
from workflow.wording.findings import sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from django.http import QueryDict

    from flowadmin.directory.models import User
    from workflow.engine.decision import Definition
    from workflow.engine.picking import Pick
    from workflow.engine.state import State
    from workflow.forms.findings import Finding

PREFIX = "picked"
# As long as a step's id can be, and as many as REST reads.
LONGEST_STEP = 128
MOST_SENT = 500


class PicksForm(forms.Form):
    """One field for each step for which people are picked now.

    After `is_valid`, `picked` is what a REST client would have sent: login names by step. It says
    nothing about who may be picked: that is the engine's, and comes back as findings.
    """

    use_required_attribute = False

    def __init__(
        self,
        asked: Mapping[str, tuple[Pick, str, Offered, tuple[str, ...]]],
        data: QueryDict | None = None,
    ) -> None:
        super().__init__(data, prefix=PREFIX)
        self.picked: dict[str, tuple[str, ...]] = {}
        for step, (pick, name, offered, before) in asked.items():
            self.fields[step] = _field_of(pick, name, offered, before)

    def clean(self) -> dict[str, Any]:
        """Take what was sent, also for a step that was not asked: the engine refuses that."""
        for step, value in self.cleaned_data.items():
            chosen = (value,) if isinstance(value, str) else value
            self.picked[step] = tuple(each for each in chosen or () if each)
        start = f"{PREFIX}-"
        for name in list(self.data)[:MOST_SENT]:
            step = name.removeprefix(start)
            if name.startswith(start) and step not in self.fields and len(step) <= LONGEST_STEP:
                self.picked[step] = (str(self.data[name]).replace("\x00", ""),)
        return self.cleaned_data

    def add_findings(self, findings: Iterable[Finding]) -> None:
        """Show what the engine found at `/picked/<step>` beside the field of that step."""
        for finding in findings:
            step = finding.at.removeprefix("/picked/").replace("~1", "/").replace("~0", "~")
            self.add_error(step if step in self.fields else None, sentence(finding))


def _field_of(pick: Pick, name: str, offered: Offered, before: tuple[str, ...]) -> forms.Field:
    options: dict[str, Any] = {
        "label": name,
        "required": bool(pick.needed and pick.least and not before),
        "help_text": _how_many(pick),
        "initial": list(before),
    }
    if pick.most == 1:
        options["initial"] = before[0] if before else ""
        field: forms.Field = PersonField(offered, **options)
    else:
        field = PeopleField(offered, **options)
    if field.required:
        field.widget.attrs["aria-required"] = "true"
    return field


def _how_many(pick: Pick) -> str:
    if pick.most == 1:
        return ""
    if pick.least == pick.most:
        text = ngettext(
            "Choose exactly %(count)d person.", "Choose exactly %(count)d people.", pick.most
        )
        return text % {"count": pick.most}
    if pick.least == 0:
        text = ngettext(
            "Choose at most %(count)d person.", "Choose at most %(count)d people.", pick.most
        )
        return text % {"count": pick.most}
    return _("Choose %(least)d to %(most)d people.") % {"least": pick.least, "most": pick.most}


def picks_form(
    definition: Definition,
    state: State,
    at: str,
    user: User,
    now: datetime,
    data: QueryDict | None = None,
) -> PicksForm | None:
    """What is to be picked at this step, or when filing (``start``); nothing when nobody is.

    ``state`` holds the form values, on which it may depend who can be picked; ``data`` is what
    was sent. Whom the process lets choose only from some people gets a list of these.
    """
    asked = picks_asked(definition.plan, at)
    if not asked:
        return None
    run = Decision(definition, Organisation(user.tenant_id, now), now, state)
    all_people: Offered | None = None
    found: dict[str, tuple[Pick, str, Offered, tuple[str, ...]]] = {}
    for pick in asked:
        if pick.of is None:
            all_people = all_people or everybody(user)
            offered = all_people
        else:
            offered = _among(run, pick)
        before = tuple(person.login for person in people_by_id(state.picks.get(pick.step, ())))
        name = definition.plan.steps[pick.step].step.name
        found[pick.step] = (pick, name, offered, before)
    form = PicksForm(found, data)
    if data is not None:
        form.is_valid()
        # Who is missing is the engine's to say: a rejection, say, needs nobody.
        for step, errors in list(form.errors.as_data().items()):
            if all(error.code == "required" for error in errors):
                del form.errors[step]
    return form


def _among(run: Decision, pick: Pick) -> Offered:
    if pick.of is None:
        return Offered(None)
    chosen = resolve(run, pick.of, pick.step).chosen
    if len(chosen) > MOST_LISTED:
        return Offered(None)
    return Offered({person.login: person.name for person, _why in chosen})
