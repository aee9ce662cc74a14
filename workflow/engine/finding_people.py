"""Whom a step asks: its sources, the self rule and the empty rule, before anybody is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.flowdoc.rules import EmptyPeople
from workflow.engine.people import present

if TYPE_CHECKING:
    from workflow.engine.decision import Decision
    from workflow.engine.flowdoc.rules import Empty, Self
    from workflow.engine.flowdoc.steps import HumanStep
    from workflow.engine.sources import Assignment


def find_people(run: Decision, step: HumanStep) -> tuple[Assignment, str]:
    """Who is asked, and the empty rule's word; "" when the step's own sources gave somebody.

    Nothing is recorded: a run that enters the step and a preview of it ask the same question
    (approvals.md 2.7 and 3.2, Empty).
    """
    on_self = step.on_self or run.plan.doc.policy.on_self
    found = present(run, step.who, on_self, step.id)
    if found.chosen:
        return found, ""
    return found, _when_empty(run, step.on_empty, on_self, found, step.id)


def _when_empty(run: Decision, rule: Empty, on_self: Self, found: Assignment, step: str) -> str:
    """Follow the empty rule to people or to its last word; who was found lands in ``found``.

    The chain of ``people … then`` is as deep as the document, whose depth is bounded.
    """
    while isinstance(rule, EmptyPeople):
        _add(found, present(run, rule.who, on_self, step))
        if found.chosen:
            return "people"
        rule = rule.then
    if rule.do == "managers":
        managers = run.plan.doc.managers
        if managers is not None:
            _add(found, present(run, managers, on_self, step))
        return "managers" if found.chosen else "hold"
    return rule.do


def _add(found: Assignment, others: Assignment) -> None:
    found.chosen = others.chosen
    found.passes_itself = others.passes_itself
    found.dropped.extend(others.dropped)
