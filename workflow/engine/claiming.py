"""Work of a pool: somebody takes it, and may give it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.acting import carry_on, note, take_up
from workflow.engine.events import TaskClaimed, TaskReleased

if TYPE_CHECKING:
    from workflow.engine.commands import Claim, Release
    from workflow.engine.decision import Decision


def claim(run: Decision, command: Claim) -> None:
    """Take the work; the others of the pool wait. Raises what `acting.take_up` raises.

    Whoever comes second is told who was first: NotOpen (task.claimed).
    """
    stand = take_up(run, "claim", command)
    note(run, stand, command.comment)
    run.emit(TaskClaimed(seat=stand.seat.number, version=stand.seat.version + 1))
    carry_on(run, stand.activation.number)


def release(run: Decision, command: Release) -> None:
    """Give the work back to the pool. Raises what `acting.take_up` raises."""
    stand = take_up(run, "release", command)
    note(run, stand, command.comment)
    run.emit(TaskReleased(seat=stand.seat.number, version=stand.seat.version + 1))
    carry_on(run, stand.activation.number)
