"""Who will surely be asked later: the plan walked forwards as far as it is certain by now.

Certain is what nobody on the way can change. A condition on a field that may still be changed, a
source that asks who decides later, a jump, an end: there the walk stops, and nothing is assumed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workflow.engine.branching import RunningView
from workflow.engine.flowdoc.people import BaseOf, ByRule, DecidersOf, PickedBy, Source
from workflow.engine.flowdoc.places import parts_of
from workflow.engine.flowdoc.steps import (
    ApproveStep,
    AutoStep,
    ChoiceStep,
    FinishStep,
    GotoStep,
    HttpStep,
    HumanStep,
    InclusiveStep,
    ParallelStep,
    RuleStep,
    SetStep,
    SubflowStep,
)
from workflow.engine.people import present
from workflow.forms.conditions import Cond, leaves
from workflow.forms.evaluation import evaluate
from workflow.forms.formdoc import fields_by_id
from workflow.forms.rights import WRITABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workflow.engine.decision import Decision
    from workflow.engine.flowdoc.steps import Branch
    from workflow.engine.plan import PlanStep, Target


def asked_later(run: Decision, at: PlanStep, people: Sequence[int]) -> dict[int, str]:
    """Of these people those who are surely asked in a later approval, each with its step's id."""
    changing = changed_by(run, at)
    found: dict[int, str] = {}
    for placed in _certain(run, at.after, changing):
        if isinstance(placed.step, ApproveStep) and _is_fixed(placed.step, changing):
            for user in _asked_in(run, placed.step):
                if user in people:
                    found[user] = placed.id
    return found


def _asked_in(run: Decision, step: ApproveStep) -> list[int]:
    found = present(run, step.who, step.on_self or run.plan.doc.policy.on_self, step.id)
    if step.decide.mode == "draw" and len(found.chosen) > 1:
        return []
    return [user for user in found.people if user != found.passes_itself]


def _certain(run: Decision, target: Target, changing: set[str]) -> Iterator[PlanStep]:
    """The steps that surely follow, in order; ``changing`` grows with the fields they may change.

    The walk goes down a tree without jumps, so it ends.
    """
    while target.kind != "end":
        placed = run.plan.steps[target.id]
        if target.kind == "join":
            # Everything in the block may have been changed by its other branches.
            changing |= _changed_inside(run, placed)
            target = placed.after
            continue
        if isinstance(placed.step, FinishStep | GotoStep) or _rejects(placed):
            return
        yield placed
        changing |= changed_by(run, placed)
        following = _past(run, placed, changing)
        if following is None:
            return
        target = following


def _rejects(placed: PlanStep) -> bool:
    return isinstance(placed.step, AutoStep) and placed.step.verdict == "reject"


def _past(run: Decision, placed: PlanStep, changing: set[str]) -> Target | None:
    """Where the request surely goes after a step; nothing when that is not known."""
    if isinstance(placed.step, ChoiceStep):
        for branch, planned in zip(placed.step.branches, placed.branches, strict=True):
            holds = True if branch.when is None else _holds(run, branch.when, changing)
            if holds is None:
                return None
            if holds:
                return planned.first
        return None
    if isinstance(placed.step, ParallelStep | InclusiveStep):
        if _may_leave(placed.step.branches):
            return None
        changing |= _changed_inside(run, placed)
    return placed.after


def _may_leave(branches: tuple[Branch, ...]) -> bool:
    """Whether a branch may end the request or jump out of the block."""
    for branch in branches:
        for step in branch.steps:
            if isinstance(step, FinishStep | GotoStep):
                return True
            if isinstance(step, ChoiceStep | ParallelStep | InclusiveStep) and _may_leave(
                step.branches
            ):
                return True
    return False


def _holds(run: Decision, when: Cond, changing: set[str]) -> bool | None:
    """Whether a condition holds now and whatever happens on the way."""
    for _, leaf in leaves(when):
        if leaf.field is not None and leaf.field.partition(".")[0] in changing:
            return None
        if leaf.rule is not None:
            return None
        if leaf.step is not None and leaf.step not in run.state.outcomes:
            return None
    form = run.definition.form
    view = RunningView(run, fields_by_id(form) if form is not None else {})
    return evaluate(when, view).result


def _is_fixed(step: ApproveStep, changing: set[str]) -> bool:
    """Whether the people of a step are the same whoever decides what before it."""
    for part, _ in parts_of(step.who, ""):
        if isinstance(part, PickedBy | DecidersOf | ByRule):
            return False
        if isinstance(part, BaseOf) and part.decider_of is not None:
            return False
        if isinstance(part, BaseOf | Source) and getattr(part, "field", None) in changing:
            return False
    return True


def _changed_inside(run: Decision, block: PlanStep) -> set[str]:
    changed: set[str] = set()
    for placed in run.plan.steps.values():
        if any(name == block.id for name, _ in placed.region):
            changed |= changed_by(run, placed)
    return changed


def changed_by(run: Decision, placed: PlanStep) -> set[str]:
    """The fields that a step may change."""
    step: Any = placed.step
    match step:
        case HumanStep():
            rights = run.definition.rights_at(placed.id)
            changed = {
                name.partition(".")[0].partition("+")[0]
                for name in rights
                if rights[name] in WRITABLE
            }
            return changed | _sums_over(run, changed)
        case SetStep():
            changed = {change.field for change in step.changes}
            return changed | _sums_over(run, changed)
        case HttpStep():
            return {saved.to.field for saved in step.save if saved.to.field is not None}
        case RuleStep():
            return set(step.save)
        case SubflowStep():
            return set(step.output)
        case _:
            return set()


def _sums_over(run: Decision, changed: set[str]) -> set[str]:
    """The sums, and the fields shown or hidden, that follow from changed fields."""
    form = run.definition.form
    if form is None or not changed:
        return set()
    return {each.id for each in form.fields if each.sum_of or each.show_if is not None}
