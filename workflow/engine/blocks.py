"""Parallel and inclusive blocks: lanes are opened, arrive at the join, and the join decides.

Theory of operation. A block that is entered is an activation of its own, and everything inside
it belongs to that activation. A join counts only what its own activation saw: after a return the
block is entered anew, with a new number, so arrivals of an earlier round cannot be counted
(approvals.md 2.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from workflow.engine.branching import ask_branch
from workflow.engine.ending import close_step
from workflow.engine.entering import enter
from workflow.engine.events import BranchArrived, BranchLeft, BranchTaken, StepEnded
from workflow.engine.flowdoc.steps import AtLeast, InclusiveStep, ParallelStep
from workflow.engine.moves import Lane, Move, Verdict
from workflow.engine.state import ActivationState, Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workflow.engine.decision import Decision
    from workflow.engine.moves import Entry
    from workflow.engine.plan import PlanBranch, PlanStep
    from workflow.engine.state import Activation


@dataclass(frozen=True, slots=True)
class Joined:
    """A block whose join has decided; ``by_seat`` made it so (0: a rule)."""

    block: Activation
    passed: bool
    by_seat: int = 0


def open_block(
    run: Decision, at: PlanStep, step: ParallelStep | InclusiveStep, lane: Lane, entry: Entry
) -> Sequence[Move]:
    """Enter a block: a move for each branch that runs, in document order.

    An inclusive block of which no branch holds, and which has no *otherwise*, is passed over.
    """
    running = _running(run, at, step)
    if not running:
        number = enter(run, at.id, lane, entry)
        run.emit(
            StepEnded(
                activation=number,
                state=ActivationState.SKIPPED,
                reason=Reason.AUTO_STEP,
                outcome="skipped",
            )
        )
        return (Move(at.after, lane),)
    number = enter(run, at.id, lane, entry, branches=tuple(each.id for each in running))
    return tuple(Move(each.first, Lane(number, each.id)) for each in running)


def _running(
    run: Decision, at: PlanStep, step: ParallelStep | InclusiveStep
) -> Sequence[PlanBranch]:
    if isinstance(step, ParallelStep):
        return at.branches
    taken: list[PlanBranch] = []
    otherwise: PlanBranch | None = None
    for branch, planned in zip(step.branches, at.branches, strict=True):
        if branch.when is None:
            otherwise = planned
            continue
        held, leaves = ask_branch(run, branch.when)
        event = BranchTaken if held else BranchLeft
        run.emit(event(step=at.id, branch=branch.id, leaves=leaves))
        if held:
            taken.append(planned)
    if not taken and otherwise is not None:
        run.emit(BranchTaken(step=at.id, branch=otherwise.id))
        return (otherwise,)
    return taken


def arrive(
    run: Decision,
    lane: Lane,
    outcome: Literal["passed", "rejected"],
    reason: Reason,
    by_seat: int,
) -> Joined | None:
    """A lane has come to its end. What the join says, or nothing while it waits for more."""
    run.emit(BranchArrived(activation=lane.within, branch=lane.branch, outcome=outcome))
    return counted(run, lane.within, reason, by_seat)


def counted(run: Decision, number: int, reason: Reason, by_seat: int) -> Joined | None:
    """End a block if its join is complete or has become impossible; nothing while it waits."""
    block = run.state.activation(number)
    if block is None:
        message = f"The block {number} is not open."
        raise ValueError(message)
    verdict = join(block, run.plan.steps[block.step].step)
    if verdict is None:
        return None
    passed = verdict is Verdict.PASSED
    for inner in run.state.inside(block.number):
        close_step(run, inner, ActivationState.CLOSED, Reason.SIBLING_DECIDED, by_seat)
    run.emit(
        StepEnded(
            activation=block.number,
            state=ActivationState.PASSED if passed else ActivationState.REFUSED,
            reason=reason,
            outcome="approved" if passed else "rejected",
        )
    )
    return Joined(block, passed, by_seat)


def join(block: Activation, step: object) -> Verdict | None:
    """Whether the join of a block is complete, has become impossible, or waits.

    ``at_least n`` asks for no more branches than run; ``first`` is the first one that passes.
    """
    if not isinstance(step, ParallelStep | InclusiveStep):
        message = f"{block.step} is no block."
        raise TypeError(message)
    states = [each.state for each in block.branches]
    match step.join:
        case AtLeast(at_least=number):
            needed = min(number, len(states))
        case "first":
            needed = 1
        case _:
            needed = len(states)
    passed, running = states.count("passed"), states.count("running")
    if passed >= needed:
        return Verdict.PASSED
    return Verdict.REFUSED if passed + running < needed else None


def ends_branch_only(run: Decision, lane: Lane) -> bool:
    """Whether a rejection here ends only its branch (the block's rule, or the policy's)."""
    block = run.state.activation(lane.within)
    step = run.plan.steps[block.step].step if block is not None else None
    if not isinstance(step, ParallelStep | InclusiveStep):
        return False
    return (step.branch_reject or run.plan.doc.policy.branch_reject) == "branch_only"
