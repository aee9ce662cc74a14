"""Where a request goes next: enter steps until somebody, or some worker, has to act."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from workflow.engine.asking import ask_people
from workflow.engine.branching import take_branch
from workflow.engine.ending import finish
from workflow.engine.events import StepEntered, WorkAsked
from workflow.engine.flowdoc.steps import ApproveStep, AutoStep, ChoiceStep, CopyStep, FinishStep
from workflow.engine.state import InstanceState, Reason

if TYPE_CHECKING:
    from workflow.engine.decision import Decision
    from workflow.engine.plan import PlanStep, Target

RESULTS: dict[Literal["approved", "rejected", "cancelled"], InstanceState] = {
    "approved": InstanceState.APPROVED,
    "rejected": InstanceState.REJECTED,
    "cancelled": InstanceState.CANCELLED,
}


def go_on(run: Decision, target: Target, reason: Reason) -> None:
    """Follow the plan from ``target`` until it waits or ends.

    ``reason`` is why the last step was left, and so why the request ends if it ends here. The walk
    is bounded: without jumps a plan is a tree that is walked downwards.
    """
    at: Target | None = target
    while at is not None:
        if at.kind == "end":
            finish(run, InstanceState.APPROVED, reason)
            return
        if at.kind == "join":
            message = "Parallel blocks are not run by this version."
            raise ValueError(message)
        at = _enter(run, run.plan.steps[at.id])


def _enter(run: Decision, at: PlanStep) -> Target | None:
    """Enter one step; where to go on at once, or nothing when it waits or the request ended."""
    match at.step:
        case ApproveStep():
            return ask_people(run, at, at.step)
        case ChoiceStep():
            return take_branch(run, at, at.step)
        case CopyStep() | AutoStep():
            _ask_worker(run, at)
            return None
        case FinishStep():
            finish(run, RESULTS[at.step.result], Reason.AUTO_STEP)
            return None
        case _:
            # Publishing refuses every other kind until the engine runs it (runnable.py).
            message = f"A step of kind {at.step.kind} is not run by this version."
            raise ValueError(message)


def _ask_worker(run: Decision, at: PlanStep) -> None:
    """The step becomes a durable row; a worker carries it out and the answer is a command."""
    activation = run.state.last_activation + 1
    run.emit(
        StepEntered(activation=activation, step=at.id, round=run.state.rounds.get(at.id, 0) + 1)
    )
    run.emit(WorkAsked(activation=activation, kind=at.step.kind))
