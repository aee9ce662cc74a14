"""Which rules a step mentions: in its people, its conditions and its values, as plain questions.

Theory of operation. A rule is never asked inside a decision (decision 9). What a step mentions is
known from the document alone, so it is a list in the plan; whoever comes to such a step has all of
it asked first, and goes on with the answers (`consulting`). A rule gives its answer under the name
`VALUE`: login names for people, what is compared for a condition, and what a field gets.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from workflow.engine.flowdoc.people import ByRule
from workflow.engine.flowdoc.rules import EmptyPeople
from workflow.engine.flowdoc.steps import (
    ChoiceStep,
    Computed,
    CopyStep,
    GotoStep,
    HumanStep,
    InclusiveStep,
    NoticeStep,
    SetStep,
)
from workflow.forms.conditions import leaves
from workflow.forms.findings import child

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from workflow.engine.flowdoc.people import People
    from workflow.engine.flowdoc.steps import AnyStep
    from workflow.forms.conditions import Cond, Scalar

# The member of a rule's answer that is meant wherever a document has room for one value only.
VALUE = "value"
Use = Literal["people", "condition", "value"]


class Question(NamedTuple):
    """A rule by its key, and the version that the document asks for (0: the newest at entry)."""

    rule: str
    pinned: int = 0


class Mention(NamedTuple):
    """One place of a step that needs an answer.

    ``at`` and ``version_at`` are the JSON Pointers of the rule's key and version. ``expected`` is
    what a condition compares with, ``field`` the field that a value is for.
    """

    question: Question
    use: Use
    at: str
    version_at: str
    expected: Scalar = True
    field: str = ""


@dataclass(frozen=True, slots=True)
class Consulted:
    """A step that goes on because its rules have answered: what they said, as plain JSON."""

    activation: int
    answers: Mapping[Question, object]


def mentions(step: AnyStep, at: str = "") -> Iterator[Mention]:
    """Every rule that a step asks before it goes on, in document order.

    ``at`` is the JSON Pointer of the step. Source: approvals.md 3.2, People, Conditions and set.
    """
    match step:
        case HumanStep():
            yield from _of_people(step.who, child(at, "who"))
            yield from _when_empty(step, child(at, "on_empty"))
        case CopyStep() | NoticeStep():
            yield from _of_people(step.who, child(at, "who"))
        case ChoiceStep() | InclusiveStep():
            for number, branch in enumerate(step.branches):
                if branch.when is not None:
                    place = child(child(child(at, "branches"), number), "when")
                    yield from _of_condition(branch.when, place)
        case GotoStep() if step.when is not None:
            yield from _of_condition(step.when, child(at, "when"))
        case SetStep():
            yield from _of_changes(step, child(at, "changes"))
        case _:
            return


def questions_of(step: AnyStep) -> tuple[Question, ...]:
    """What is asked before a step goes on, each question once, in document order."""
    return tuple(dict.fromkeys(each.question for each in mentions(step)))


def question_of(source: ByRule) -> Question:
    """The question of a source of people."""
    return Question(source.key, _pinned(source.version))


def _pinned(version: int | str | None) -> int:
    return version if isinstance(version, int) else 0


def _of_people(people: People, at: str) -> Iterator[Mention]:
    for number, source in enumerate(people.any_of):
        if isinstance(source, ByRule):
            place = child(child(at, "any_of"), number)
            question = question_of(source)
            yield Mention(question, "people", child(place, "key"), child(place, "version"))


def _when_empty(step: HumanStep, at: str) -> Iterator[Mention]:
    rule = step.on_empty
    while isinstance(rule, EmptyPeople):
        yield from _of_people(rule.who, child(at, "who"))
        rule, at = rule.then, child(at, "then")


def _of_condition(when: Cond, at: str) -> Iterator[Mention]:
    for place, leaf in leaves(when, at):
        if leaf.rule is not None:
            yield Mention(
                Question(leaf.rule, _pinned(leaf.version)),
                "condition",
                child(place, "rule"),
                child(place, "version"),
                expected=True if leaf.is_ is None else leaf.is_,
            )


def _of_changes(step: SetStep, at: str) -> Iterator[Mention]:
    for number, change in enumerate(step.changes):
        if isinstance(change.to, Computed) and change.to.rule is not None:
            place = child(child(child(at, number), "to"), "rule")
            question = Question(change.to.rule)
            yield Mention(question, "value", place, place, field=change.field)
