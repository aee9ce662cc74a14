"""How a request ends: everything that is open is closed with a reason, then the result stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.events import InstanceFinished, StepEnded, TaskClosed
from workflow.engine.state import Activation, ActivationState, InstanceState, Reason, SeatState

if TYPE_CHECKING:
    from workflow.engine.decision import Decision

WAITING = (SeatState.OPEN, SeatState.BLOCKED)


def close_seats(run: Decision, activation: Activation, reason: Reason, by_seat: int = 0) -> None:
    """Close the seats that nobody decided; ``by_seat`` is the decision that made them needless."""
    for seat in activation.seats:
        if seat.state in WAITING:
            run.emit(
                TaskClosed(
                    seat=seat.number, version=seat.version + 1, reason=reason, by_seat=by_seat
                )
            )


def finish(
    run: Decision, result: InstanceState, reason: Reason, comment: str = "", by_seat: int = 0
) -> None:
    """End the request. No seat and no step stays open (invariant I4)."""
    for activation in run.state.activations:
        close_seats(run, activation, Reason.CANCELLED, by_seat)
        run.emit(
            StepEnded(
                activation=activation.number,
                state=ActivationState.CLOSED,
                reason=Reason.CANCELLED,
            )
        )
    run.emit(InstanceFinished(result=result, reason=reason, comment=comment))
