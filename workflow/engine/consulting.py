"""Rules are asked before a step goes on: the questions as work, and whether the answers fit.

Theory of operation. A step that mentions rules is entered and waits: `RulesAsked` fixes the
version of each rule, and one piece of work has a worker ask all of them outside of any decision
(decisions 9 and 14). Their answers are a command and stand in the history (`RulesAnswered`);
then the step is entered once more, under its number, and goes on at once with what was said. An
answer that cannot be used holds the request: it is never taken for a no.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.children import plain
from workflow.engine.computing import computed
from workflow.engine.entering import ask_worker, enter
from workflow.engine.events import RulesAsked
from workflow.engine.flowdoc.steps import Computed, SetStep
from workflow.engine.questions import Consulted, Question, mentions
from workflow.engine.state import Ask
from workflow.forms.scalars import SAFE_INTEGER, bad_character

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workflow.engine.decision import Decision
    from workflow.engine.facts import Facts
    from workflow.engine.moves import Entry, Lane
    from workflow.engine.plan import PlanStep
    from workflow.engine.questions import Mention
    from workflow.engine.state import Activation, Reason, State

# The work of asking rules; that of a rule step has the same name and the same workers.
RULE = "rule"
BAD_ANSWER = "rule.bad_answer"
BAD_VALUE = "set.bad_value"
# What a history takes of one answer: people, rows of a table, and the length of each text.
MOST_LISTED = 1_000
LONGEST_TEXT = 20_000
_DEEPEST = 3


def consult(run: Decision, at: PlanStep, lane: Lane, entry: Entry) -> None:
    """Enter a step that asks rules: it waits until all of them have answered."""
    number = enter(run, at.id, lane, entry)
    ask_rules(run, number, at, entry.because)


def ask_rules(run: Decision, activation: int, at: PlanStep, because: Reason | None) -> None:
    """Have a worker ask everything that the step mentions, in the versions of this moment."""
    asks = tuple(
        Ask(
            rule=each.rule,
            pinned=each.pinned,
            version=each.pinned or run.facts.rule_version(each.rule),
        )
        for each in at.questions
    )
    run.emit(RulesAsked(activation=activation, asks=asks, because=because))
    ask_worker(run, activation, RULE)


def covers(activation: Activation, at: PlanStep) -> bool:
    """Whether all was asked that the step mentions; not after a move to another version."""
    return {(each.rule, each.pinned) for each in activation.asks}.issuperset(at.questions)


def inputs_of(state: State, facts: Facts) -> dict[str, object]:
    """What a rule that stands in a step is asked with, as plain JSON.

    ``form``: all values of the request by field, whoever may see them, since a rule acts for the
    process and not for a reader; a field without a value is left out. ``initiator``: ``login`` and
    ``department`` (its code, or null) of whoever filed it. Source: issue 3, item 1.
    """
    person = next(iter(facts.people_by_id([state.initiator])), None)
    department = facts.departments_of([state.initiator]).get(state.initiator)
    return {
        "form": {name: plain(value) for name, value in state.values.items()},
        "initiator": {"login": "" if person is None else person.login, "department": department},
    }


def unfit(run: Decision, activation: Activation, at: PlanStep, said: Consulted) -> tuple[str, str]:
    """The code and the rule or field of the first answer that cannot be used; "" when all can.

    ``rule.bad_answer`` where the answer is no login names, not what the condition compares with,
    or no value of the field; ``set.bad_value`` where another change of the same step does not fit.
    """
    for ask in activation.asks:
        question = Question(ask.rule, ask.pinned)
        if question not in said.answers or not _is_json(said.answers[question]):
            return BAD_ANSWER, ask.rule
    for each in mentions(at.step):
        if not _fits(each, said.answers[each.question]):
            return BAD_ANSWER, each.question.rule
    if isinstance(at.step, SetStep):
        return _unfit_value(run, at.step, said)
    return "", ""


def _unfit_value(run: Decision, step: SetStep, said: Consulted) -> tuple[str, str]:
    run.consulted = said
    refused = computed(run, step).refused
    run.consulted = None
    for change in step.changes:
        by_rule = isinstance(change.to, Computed) and change.to.rule is not None
        if by_rule and refused and refused.partition(".")[0] == change.field.partition(".")[0]:
            return BAD_ANSWER, refused
    return (BAD_VALUE, refused) if refused else ("", "")


def _fits(mention: Mention, value: object) -> bool:
    if mention.use == "people":
        return isinstance(value, list) and all(isinstance(each, str) and each for each in value)
    # A number is no truth, and no text either (approvals.md 3.2: types never coerce).
    return mention.use == "value" or type(value) is type(mention.expected)


def _is_json(value: object, depth: int = 0) -> bool:
    """Whether a history can keep it: no floats, no odd characters, nothing endless."""
    match value:
        case None | bool():
            return True
        case int():
            return abs(value) <= SAFE_INTEGER
        case str():
            return len(value) <= LONGEST_TEXT and bad_character(value, lines=True) is None
        case list():
            return depth < _DEEPEST and _are_json(dict(enumerate(value)), depth)
        case dict():
            named = all(isinstance(name, str) and _is_json(name) for name in value)
            return depth < _DEEPEST and named and _are_json(value, depth)
        case _:
            return False


def _are_json(members: Mapping[object, object], depth: int) -> bool:
    fits = len(members) <= MOST_LISTED
    return fits and all(_is_json(each, depth + 1) for each in members.values())
