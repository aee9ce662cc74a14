"""Automatic steps when a worker carries them out: copies are sent, verdicts are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.ending import finish
from workflow.engine.events import CopySent, StepEnded
from workflow.engine.flowdoc.steps import AutoStep, CopyStep
from workflow.engine.people import resolve
from workflow.engine.rejections import NotOpen
from workflow.engine.routing import go_on
from workflow.engine.state import Activation, ActivationState, InstanceState, Reason

if TYPE_CHECKING:
    from workflow.engine.commands import FinishWork
    from workflow.engine.decision import Decision


def finish_work(run: Decision, command: FinishWork) -> None:
    """Carry out the automatic step of an activation, once. Raises NotOpen when it is over."""
    activation = run.state.activation(command.activation)
    if activation is None or run.state.status is not InstanceState.RUNNING:
        raise NotOpen("work.not_open")
    step = run.plan.steps[activation.step].step
    match step:
        case CopyStep():
            _send_copies(run, activation, step)
        case AutoStep():
            _give_verdict(run, activation, step)
        case _:
            raise NotOpen("work.not_open")


def _send_copies(run: Decision, activation: Activation, step: CopyStep) -> None:
    """Nobody to send to is no incident: a copy never holds a request up."""
    for _, why in resolve(run, step.who).chosen:
        run.emit(CopySent(activation=activation.number, seat=run.state.last_seat + 1, why=why))
    run.emit(
        StepEnded(
            activation=activation.number,
            state=ActivationState.PASSED,
            reason=Reason.AUTO_STEP,
        )
    )
    go_on(run, run.plan.steps[step.id].after, Reason.AUTO_STEP)


def _give_verdict(run: Decision, activation: Activation, step: AutoStep) -> None:
    approved = step.verdict == "approve"
    run.emit(
        StepEnded(
            activation=activation.number,
            state=ActivationState.PASSED if approved else ActivationState.REFUSED,
            reason=Reason.AUTO_STEP,
            outcome="approved" if approved else "rejected",
        )
    )
    if approved:
        go_on(run, run.plan.steps[step.id].after, Reason.AUTO_STEP)
    else:
        finish(run, InstanceState.REJECTED, Reason.AUTO_STEP, step.reason)
