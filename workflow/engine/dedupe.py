"""An approval that counts twice: who need not be asked again because he has approved, or will.

Only approvals since the request last went back count, and only while everything that the person
could see when he approved is unchanged (approvals.md 2.4). Whoever will surely be asked later
(*keep_last*) is passed over now; "surely" leaves out every way that may still turn out otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from workflow.engine.flowdoc.steps import ApproveStep
from workflow.engine.lookahead import asked_later
from workflow.engine.plan import START
from workflow.forms.digest import values_digest
from workflow.forms.rights import visible

if TYPE_CHECKING:
    from workflow.engine.decision import Decision
    from workflow.engine.flowdoc.steps import HumanStep
    from workflow.engine.plan import Plan, PlanStep
    from workflow.engine.state import Approval

_REUSE = frozenset({"adjacent", "keep_first"})


class Repeat(NamedTuple):
    """Why a person is not asked: the earlier seat that approved, or the later step that asks."""

    because: int = 0
    later: str = ""


def repeats_of(
    run: Decision, at: PlanStep, step: HumanStep, people: list[int]
) -> dict[int, Repeat]:
    """Which of these people need not be asked in this step, each with the reason.

    Work is never passed over: somebody has to do it each time.
    """
    if not isinstance(step, ApproveStep):
        return {}
    mode = step.repeat_skip or run.plan.doc.policy.dedupe
    if mode == "keep_last":
        later = asked_later(run, at, people)
        return {user: Repeat(later=name) for user, name in later.items()}
    if mode not in _REUSE:
        return {}
    approvals = _of_last_step(run, at) if mode == "adjacent" else run.state.approvals
    return {
        each.user: Repeat(because=each.seat)
        for each in approvals
        if each.user in people and each.form == digest_seen(run, each.step)
    }


def may_be_reused(plan: Plan) -> bool:
    """Whether any step of the process may count an earlier approval again."""
    if plan.doc.policy.dedupe in _REUSE:
        return True
    steps = (each.step for each in plan.steps.values())
    return any(isinstance(step, ApproveStep) and step.repeat_skip in _REUSE for step in steps)


def digest_seen(run: Decision, step_id: str) -> str:
    """The digest of what the holder of a task of this step can see of the form now."""
    if run.definition.form is None or (step_id != START and step_id not in run.plan.steps):
        return ""
    rights = run.definition.rights_at(step_id)
    return values_digest(visible(run.state.values, rights))


def _of_last_step(run: Decision, at: PlanStep) -> tuple[Approval, ...]:
    """The approvals of the approve step before this one, a sibling branch's left out."""
    approvals = [each for each in run.state.approvals if not _is_beside(run.plan, at, each.step)]
    if not approvals:
        return ()
    last = approvals[-1].step
    return tuple(each for each in approvals if each.step == last)


def _is_beside(plan: Plan, at: PlanStep, step_id: str) -> bool:
    """Whether a step stands in another branch of a block that this one stands in."""
    other = plan.steps.get(step_id)
    here = dict(at.region)
    return other is not None and any(
        here.get(block, branch) != branch for block, branch in other.region
    )
