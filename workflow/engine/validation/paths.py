"""Ways through a process: what is reached, where it ends, and what may be gone back to.

Invariants 4, 5 and 8 of approvals 3.2. A sequence *surely ends* when no request gets past it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from workflow.engine.flowdoc import (
    Acts,
    ApproveStep,
    AutoStep,
    BackTo,
    ChoiceStep,
    Deadline,
    FinishStep,
    GotoRef,
    GotoStep,
    HttpStep,
    HumanStep,
    InclusiveStep,
    Overdue,
    ParallelStep,
    RejectBack,
    RejectBranch,
)
from workflow.engine.plan import branches_of
from workflow.engine.validation.look import fault
from workflow.forms.findings import Finding, child, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workflow.engine.flowdoc import AnyStep, Policy
    from workflow.engine.plan import PlanStep
    from workflow.engine.validation.look import Look

# How a sequence surely ends; "" when a request may get past it.
Ending = Literal["", "finish", "reject", "goto"]


def check(look: Look) -> Iterator[Finding]:
    """Every finding about reachability, loops and targets."""
    policy = look.doc.policy
    yield from _unreachable(look.doc.steps, "/steps", policy)
    if _ending(look.doc.steps, policy) == "goto":
        yield fault("flow.no_end", None, "/steps")
    for placed in look.steps:
        yield from _unreachable_branches(placed, policy)
        yield from _gotos(placed, look)
        if isinstance(placed.step, HumanStep):
            yield from _human_targets(placed, look)


def _unreachable_branches(placed: PlanStep, policy: Policy) -> Iterator[Finding]:
    for number, branch in enumerate(branches_of(placed.step)):
        at = child(child(child(placed.at, "branches"), number), "steps")
        yield from _unreachable(branch.steps, at, policy)


def _unreachable(steps: tuple[AnyStep, ...], at: str, policy: Policy) -> Iterator[Finding]:
    for number, step in enumerate(steps[:-1]):
        if _step_ending(step, policy):
            code = "flow.after_finish" if isinstance(step, FinishStep) else "flow.unreachable"
            lost = steps[number + 1]
            yield Finding(code, child(at, number + 1), lost.id, args={"after": step.id})
            return


def _ending(steps: tuple[AnyStep, ...], policy: Policy) -> Ending:
    # Blocks nest at most as deep as a document may be (64 levels), so this recursion is bounded.
    endings = (_step_ending(step, policy) for step in steps)
    return next((ending for ending in endings if ending), "")


def _step_ending(step: AnyStep, policy: Policy) -> Ending:
    if isinstance(step, FinishStep):
        return "finish"
    if isinstance(step, AutoStep):
        return "reject" if step.verdict == "reject" else ""
    if isinstance(step, GotoStep):
        return "goto" if step.when is None else ""
    return _block_ending(step, policy)


def _block_ending(step: AnyStep, policy: Policy) -> Ending:
    endings = [_ending(branch.steps, policy) for branch in branches_of(step)]
    own = step.branch_reject if isinstance(step, ParallelStep | InclusiveStep) else "whole_flow"
    if (own or policy.branch_reject) == "branch_only":
        # The join sees a rejected branch and applies its own rule.
        endings = ["" if ending == "reject" else ending for ending in endings]
    if isinstance(step, ParallelStep) and step.join == "all":
        return next((ending for ending in endings if ending), "")
    if isinstance(step, InclusiveStep) and not any(each.otherwise for each in step.branches):
        return ""
    if not endings or not all(endings):
        return ""
    return next((ending for ending in endings if ending != "goto"), "goto")


def _gotos(placed: PlanStep, look: Look) -> Iterator[Finding]:
    step = placed.step
    if isinstance(step, GotoStep):
        yield from _goto(
            step.to, placed, child(placed.at, "to"), look, has_limit=step.max is not None
        )
    if isinstance(step, HttpStep) and isinstance(step.on_fail, GotoRef):
        at = child(child(placed.at, "on_fail"), "goto")
        yield from _goto(step.on_fail.goto, placed, at, look, has_limit=False)


def _goto(to: str, placed: PlanStep, at: str, look: Look, *, has_limit: bool) -> Iterator[Finding]:
    if to not in placed.dominators:
        inside = to in look.known and bool(_other_branch(look.known[to], placed))
        code = "goto.into_branch" if inside else "goto.not_dominator"
        yield fault(code, placed, at, target=printable(to))
    elif not has_limit and not _passes_people(to, placed, look):
        yield fault("goto.no_limit", placed, at, target=to)


def _other_branch(target: PlanStep, placed: PlanStep) -> bool:
    return not set(target.region) <= set(placed.region)


def _passes_people(to: str, placed: PlanStep, look: Look) -> bool:
    """Whether every way from the target back to here asks somebody."""
    around = {block for block, _ in placed.region}
    way = placed.dominators[placed.dominators.index(to) :]
    return any(name not in around and _asks(look.known[name].step) for name in way)


def _asks(step: AnyStep) -> bool:
    if isinstance(step, HumanStep):
        return True
    asking = [any(_asks(inner) for inner in branch.steps) for branch in branches_of(step)]
    if isinstance(step, ParallelStep) and step.join == "all":
        return any(asking)
    if isinstance(step, InclusiveStep) and not any(each.otherwise for each in step.branches):
        return False
    return bool(asking) and all(asking)


def _human_targets(placed: PlanStep, look: Look) -> Iterator[Finding]:
    step = placed.step
    if not isinstance(step, HumanStep):
        return
    yield from _return_targets(step.acts, placed, look)
    yield from _deadline_target(step.deadline, placed)
    if isinstance(step, ApproveStep):
        yield from _reject_target(step, placed, look)


def _reject_target(step: ApproveStep, placed: PlanStep, look: Look) -> Iterator[Finding]:
    then, at = step.reject.then, child(child(placed.at, "reject"), "then")
    if isinstance(then, RejectBranch):
        blocks = (look.known[block].step for block, _ in placed.region if block in look.known)
        if all(isinstance(block, ChoiceStep) for block in blocks):
            yield fault("reject.no_branch", placed, at)
    if not isinstance(then, RejectBack):
        return
    if isinstance(then.to, BackTo):
        where = child(child(at, "to"), "step")
        yield from _back_to(then.to.step, placed, where, look)
    elif then.to == "ask" and step.acts.return_to == "none":
        yield fault("reject.ask_without_targets", placed, child(at, "to"))


def _return_targets(acts: Acts, placed: PlanStep, look: Look) -> Iterator[Finding]:
    if isinstance(acts.return_to, str):
        return
    at = child(child(placed.at, "acts"), "return_to")
    for number, name in enumerate(acts.return_to):
        yield from _back_to(name, placed, child(at, number), look)


def _back_to(name: str, placed: PlanStep, at: str, look: Look) -> Iterator[Finding]:
    if name == "start" or name in placed.dominators:
        return
    known = name in look.known
    code = "reject.target_not_dominator" if known else "reject.target_missing"
    yield fault(code, placed, at, target=printable(name))


def _deadline_target(deadline: Deadline | None, placed: PlanStep) -> Iterator[Finding]:
    if deadline is None or not isinstance(deadline.then, Overdue) or deadline.then.goto is None:
        return
    if deadline.then.goto not in placed.dominators:
        at = child(child(child(placed.at, "deadline"), "then"), "goto")
        target = printable(deadline.then.goto)
        yield fault("deadline.target_not_dominator", placed, at, target=target)
