"""What a person has typed into a request's page so far, read from a POST and shown again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from django import forms
from django.utils import timezone

from workflow.engine.evidence import evidence_of
from workflow.forms.findings import Finding
from workflow.pages.answers import language_of_page, new_key
from workflow.pages.earlier import earlier_words
from workflow.pages.forms import ValuesForm
from workflow.pages.known import outside_of
from workflow.pages.opening import has_panel, open_panel
from workflow.pages.papers import Papers, papers_of, sent_papers
from workflow.pages.picking import picks_form

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.http import HttpRequest, QueryDict

    from flowadmin.rest.problems import Problem
    from workflow.models import Task
    from workflow.pages.opening import OpenPanel
    from workflow.pages.picking import PicksForm
    from workflow.reading import Reading

LONGEST_COMMENT = 2000


class CommentForm(forms.Form):
    """The comment as it came in: no NUL, not endless. Whether one is needed the engine says."""

    comment = forms.CharField(required=False, max_length=LONGEST_COMMENT)


@dataclass(slots=True)
class Draft:
    """Everything that stands in the forms of the page; ``refused`` is said above them."""

    form: ValuesForm | None = None
    picks: PicksForm | None = None
    papers: Papers = field(default_factory=Papers)
    panel: OpenPanel | None = None
    comment: str = ""
    comment_error: str = ""
    refused: str = ""
    # What the person said here the last time, to be taken again by a click.
    earlier: str = ""
    key: str = field(default_factory=new_key)

    @property
    def is_sound(self) -> bool:
        """Whether it can be read at all; what it says is the engine's to judge."""
        return not (
            self.comment_error
            or self.papers.faulty
            or (self.picks is not None and self.picks.errors)
            or (self.panel is not None and self.panel.form.errors)
        )


def values_form(reading: Reading, task: Task, data: QueryDict | None = None) -> ValuesForm | None:
    """The fields that the holder of a task may change; nothing where there is no form."""
    form = reading.definition.form
    if form is None:
        return None
    values = reading.state.values
    return ValuesForm(
        form,
        reading.definition.rights_at(task.step),
        values,
        language=language_of_page(),
        data=data,
        outside=outside_of(reading.user, form, values, data),
    )


def fresh(reading: Reading, task: Task) -> Draft:
    """A page that was just opened."""
    return Draft(
        form=values_form(reading, task),
        picks=_picks(reading, task),
        papers=papers_of(evidence_of(reading.definition, task.step)),
        earlier=earlier_words(reading, task),
    )


def sent(request: HttpRequest, reading: Reading, task: Task, act: str = "") -> Draft:
    """What was sent with the decision form; ``act`` says which panel belongs to it.

    The values are then those that REST would have received, and nothing is judged: the action
    says what is wrong, so that page and REST never differ.
    """
    form = values_form(reading, task, request.POST)
    if form is not None:
        form.is_valid()
        # The action says what is wrong; it alone knows that a rejection needs no field.
        form.errors.clear()
    panel = None
    if has_panel(reading, task, act):
        panel = open_panel(reading, task, act, request.POST)
        panel.form.is_valid()
    words = comment_alone(request)
    return Draft(
        form=form,
        picks=_picks(reading, task, request.POST),
        papers=sent_papers(request, evidence_of(reading.definition, task.step), reading.user),
        panel=panel,
        comment=words.comment,
        comment_error=words.comment_error,
    )


def comment_alone(request: HttpRequest) -> Draft:
    """What whoever only reads has sent: words."""
    typed = CommentForm(request.POST)
    typed.is_valid()
    return Draft(
        comment=request.POST.get("comment", ""),
        comment_error=" ".join(str(text) for text in typed.errors.get("comment", [])),
    )


def place_errors(draft: Draft, problem: Problem) -> None:
    """Put each finding of an action beside what it speaks of."""
    findings = [
        Finding(each["code"], each["at"], each["step"], each["level"], each["args"])
        for each in problem.errors or ()
    ]
    left = [each for each in findings if not _is_placed(draft, each, problem)]
    if draft.form is not None and left:
        draft.form.add_findings(left)
    elif left or not findings:
        draft.refused = str(problem.detail)


def _is_placed(draft: Draft, finding: Finding, problem: Problem) -> bool:
    """Whether it was put somewhere other than into the form of values."""
    if draft.panel is not None and draft.panel.form.takes(finding):
        draft.panel.form.add_findings([finding])
    elif finding.at == "/comment":
        draft.comment_error = _message(problem, finding)
    elif finding.at.startswith("/picked/") and draft.picks is not None:
        draft.picks.add_findings([finding])
    elif finding.at.startswith(("/attachments", "/files")):
        draft.papers.files_error = _message(problem, finding)
    elif finding.at.startswith("/signature"):
        draft.papers.signature_error = _message(problem, finding)
    else:
        return False
    return True


def _message(problem: Problem, finding: Finding) -> str:
    texts: Iterable[str] = (
        str(each["message"])
        for each in problem.errors or ()
        if each["at"] == finding.at and each["code"] == finding.code
    )
    return next(iter(texts), str(problem.detail))


def _picks(reading: Reading, task: Task, data: QueryDict | None = None) -> PicksForm | None:
    return picks_form(
        reading.definition, reading.state, task.step, reading.user, timezone.now(), data
    )
