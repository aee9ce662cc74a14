"""A process as nested lists: for its own page, and with the way that one request has taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from django.utils.translation import gettext_lazy, pgettext_lazy

from workflow import recorded
from workflow.engine.events import BranchTaken, GotoDecided, StepEntered
from workflow.engine.flowdoc.steps import BlockStep
from workflow.engine.state import InstanceState
from workflow.models import Step
from workflow.pages.answers import language_of_page
from workflow.reading import titles_of
from workflow.wording.planned import Planned, named_in_process
from workflow.wording.timeline import Mentioned

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from django_stubs_ext import StrOrPromise

    from workflow.engine.decision import Definition
    from workflow.engine.flowdoc.steps import AnyStep, Branch
    from workflow.reading import Reading
    from workflow.wording.following import Titles

# What a request did with a step or a branch: nothing of it is known for a process alone.
Mark = Literal["", "done", "now", "refused", "skipped", "ahead", "untaken"]

KINDS: Mapping[str, StrOrPromise] = {
    "approve": pgettext_lazy("kind of step", "Approval"),
    "work": pgettext_lazy("kind of step", "Work"),
    "copy": pgettext_lazy("kind of step", "Copy"),
    "auto": pgettext_lazy("kind of step", "Automatic verdict"),
    "choice": pgettext_lazy("kind of step", "Choice"),
    "parallel": pgettext_lazy("kind of step", "Parallel branches"),
    "inclusive": pgettext_lazy("kind of step", "All branches that apply"),
    "subflow": pgettext_lazy("kind of step", "Subprocess"),
    "delay": pgettext_lazy("kind of step", "Pause"),
    "http": pgettext_lazy("kind of step", "HTTP request"),
    "set": pgettext_lazy("kind of step", "Fill in fields"),
    "rule": pgettext_lazy("kind of step", "Rule"),
    "notice": pgettext_lazy("kind of step", "Notice"),
    "goto": pgettext_lazy("kind of step", "Back to a step"),
    "finish": pgettext_lazy("kind of step", "End"),
}
_ICONS: Mapping[str, str] = {
    "approve": "user-check", "work": "pencil", "copy": "copy", "auto": "robot",
    "choice": "git-branch", "parallel": "git-branch", "inclusive": "git-branch",
    "subflow": "sitemap", "delay": "hourglass", "http": "external-link", "set": "file-text",
    "rule": "robot", "notice": "bell", "goto": "arrow-back-up", "finish": "flag",
}  # fmt: skip
WORDS: Mapping[str, StrOrPromise] = {
    "done": gettext_lazy("passed"),
    "now": gettext_lazy("now here"),
    "refused": gettext_lazy("refused"),
    "skipped": gettext_lazy("passed over"),
    "ahead": gettext_lazy("not reached yet"),
    "untaken": gettext_lazy("not taken"),
}
_MARKS: Mapping[str, Mark] = {
    Step.State.WAITING: "now",
    Step.State.OPEN: "now",
    Step.State.PASSED: "done",
    Step.State.REFUSED: "refused",
    Step.State.RETURNED: "done",
    Step.State.CLOSED: "done",
    Step.State.TIMED_OUT: "done",
    Step.State.SKIPPED: "skipped",
}


@dataclass(frozen=True, slots=True)
class Way:
    """A branch: when it is taken, and what stands in it."""

    name: str
    when: str
    mark: Mark
    word: str
    steps: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """A step: what it is, what it does in one line, and what the request did with it."""

    step: str
    kind: str
    icon: str
    name: str
    line: str
    mark: Mark
    word: str
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class Taken:
    """What a request did so far: a mark for each step, and of each block the branches taken."""

    steps: Mapping[str, Mark]
    branches: Mapping[str, frozenset[str]]
    runs: bool


def picture(
    definition: Definition,
    tenant_id: int,
    taken: Taken | None = None,
    *,
    others: Titles | None = None,
) -> tuple[Card, ...]:
    """The cards of a version, with the marks of one request when ``taken`` is given.

    ``others`` are titles of what the organisation does not have (a template names such posts).

    A step is marked by its last round. What a running request has not come to is *expected*, and
    of one that has ended it is *not taken* (interface.md 7.4, Flow picture).
    """
    mentioned = Mentioned(frozenset(), named_in_process(definition))
    titles = {**(others or {}), **titles_of(tenant_id, mentioned)}
    drawing = _Drawing(Planned(definition, titles, language_of_page()), taken)
    return drawing.cards(definition.plan.doc.steps, is_way=True)


def taken_by(reading: Reading) -> Taken:
    """The way of a request: later rounds of a step, and later choices, replace earlier ones."""
    rows = Step.objects.filter(instance=reading.instance).order_by("number")
    steps = {step: _MARKS[state] for step, state in rows.values_list("step", "state")}
    branches: dict[str, frozenset[str]] = {}
    for record in recorded.read(reading.instance.pk):
        event = record.event
        if isinstance(event, BranchTaken):
            branches[event.step] = frozenset({event.branch})
            steps.setdefault(event.step, "done")
        elif isinstance(event, StepEntered) and event.branches:
            branches[event.step] = frozenset(event.branches)
        elif isinstance(event, GotoDecided):
            steps.setdefault(event.step, "done")
    return Taken(steps, branches, reading.state.status is InstanceState.RUNNING)


class _Drawing:
    """One walk over the document; ``is_way``: the request came, or may come, along here."""

    def __init__(self, words: Planned, taken: Taken | None) -> None:
        self.words = words
        self.taken = taken

    def cards(self, steps: Sequence[AnyStep], *, is_way: bool) -> tuple[Card, ...]:
        return tuple(self._card(step, is_way=is_way) for step in steps)

    def _card(self, step: AnyStep, *, is_way: bool) -> Card:
        mark = self._mark(step.id, is_way=is_way)
        ways = step.branches if isinstance(step, BlockStep) else ()
        return Card(
            step=step.id,
            kind=str(KINDS[step.kind]),
            icon=_ICONS[step.kind],
            name=step.name,
            line=self.words.line(step),
            mark=mark,
            word=str(WORDS.get(mark, "")),
            ways=tuple(self._way(step, branch, is_way=is_way) for branch in ways),
        )

    def _way(self, step: AnyStep, branch: Branch, *, is_way: bool) -> Way:
        chosen = self.taken.branches.get(step.id) if self.taken is not None else None
        if chosen is not None:
            is_way = is_way and branch.id in chosen
        mark: Mark = ""
        if self.taken is not None and not (is_way and (self.taken.runs or chosen is not None)):
            mark = "untaken"
        return Way(
            name=branch.name,
            when=self.words.branch(branch),
            mark=mark,
            word=str(WORDS.get(mark, "")),
            steps=self.cards(branch.steps, is_way=is_way),
        )

    def _mark(self, step: str, *, is_way: bool) -> Mark:
        if self.taken is None:
            return ""
        if step in self.taken.steps:
            return self.taken.steps[step]
        return "ahead" if is_way and self.taken.runs else "untaken"
