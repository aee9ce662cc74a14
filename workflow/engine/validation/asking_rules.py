"""Where a process may mention a rule: where a step can wait for its answer, and nowhere else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from workflow.engine.flowdoc.people import ByRule
from workflow.engine.questions import mentions
from workflow.engine.validation.look import fault
from workflow.forms.findings import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workflow.engine.plan import PlanStep
    from workflow.engine.questions import Question
    from workflow.engine.validation.look import Look, Spot
    from workflow.forms.findings import Finding

# Below a step: its own people, and those whom the empty rule names, however many times.
_ASKED_AT_ENTRY = re.compile(r"/(?:who|on_empty(?:/then)*/who)/any_of/[0-9]+")


def check(look: Look) -> Iterator[Finding]:
    """`rule.not_here` and `rule.type`: what could not be asked, or not be compared.

    A rule is asked outside of any decision (decision 9), so only a step that may wait can name
    one: not who may start, managers, whom to pick from, whom `without` leaves out, and not whom a
    deadline hands a task to. Nor can one answer be compared with values of different kinds.
    """
    for spot in look.spots():
        if isinstance(spot.part, ByRule) and not _may_wait(spot):
            yield fault("rule.not_here", spot, spot.at, rule=printable(spot.part.key))
    for placed in look.steps:
        if placed.questions:
            yield from _kinds(placed)


def _may_wait(spot: Spot) -> bool:
    placed = spot.placed
    return placed is not None and bool(_ASKED_AT_ENTRY.fullmatch(spot.at[len(placed.at) :]))


def _kinds(placed: PlanStep) -> Iterator[Finding]:
    kinds: dict[Question, type] = {}
    for each in mentions(placed.step, placed.at):
        kind = type(each.expected)
        if kinds.setdefault(each.question, kind) is not kind:
            yield fault("rule.type", placed, each.at, rule=printable(each.question.rule))
