"""How steps and requests end: what is open is closed with a reason, then the result stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.events import InstanceFinished, StepEnded, TaskClosed
from workflow.engine.state import Activation, ActivationState, InstanceState, Reason

if TYPE_CHECKING:
    from workflow.engine.decision import Decision


def close_seats(run: Decision, activation: Activation, reason: Reason, by_seat: int = 0) -> None:
    """Close the seats that nobody decided; ``by_seat`` is the decision that made them needless."""
    for seat in activation.seats:
        if seat.waits:
            run.emit(
                TaskClosed(
                    seat=seat.number, version=seat.version + 1, reason=reason, by_seat=by_seat
                )
            )


def close_step(
    run: Decision,
    activation: Activation,
    state: ActivationState,
    reason: Reason,
    by_seat: int = 0,
) -> None:
    """End a step that nobody has to decide any more, with its waiting seats."""
    close_seats(run, run.state.activation(activation.number) or activation, reason, by_seat)
    run.emit(StepEnded(activation=activation.number, state=state, reason=reason))


def finish(
    run: Decision, result: InstanceState, reason: Reason, comment: str = "", by_seat: int = 0
) -> None:
    """End the request. No seat and no step stays open (invariant I4)."""
    for activation in run.state.activations:
        close_step(run, activation, ActivationState.CLOSED, Reason.CANCELLED, by_seat)
    run.emit(InstanceFinished(result=result, reason=reason, comment=comment))
