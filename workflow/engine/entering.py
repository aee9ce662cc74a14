"""A step is entered: the one place where activations get their numbers and rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.events import StepEntered, WorkAsked

if TYPE_CHECKING:
    from workflow.engine.decision import Decision
    from workflow.engine.events import Chosen, Dropped
    from workflow.engine.moves import Entry, Lane


def enter(
    run: Decision,
    step: str,
    lane: Lane,
    entry: Entry,
    *,
    branches: tuple[str, ...] = (),
    chosen: tuple[Chosen, ...] = (),
    dropped: tuple[Dropped, ...] = (),
    when_empty: str = "",
) -> int:
    """Record that a step was entered; the number of the new activation.

    The last members are those of StepEntered: the branches that a block begins to run, and for
    people who was found, who was left out and what the empty rule said. A step whose rules have
    answered keeps its number and its round.
    """
    said = run.consulted
    again = None if said is None else run.state.activation(said.activation)
    activation = run.state.last_activation + 1 if again is None else again.number
    run.emit(
        StepEntered(
            activation=activation,
            step=step,
            round=run.state.rounds.get(step, 0) + 1 if again is None else again.round,
            chosen=chosen,
            dropped=dropped,
            when_empty=when_empty,
            within=lane.within,
            branch=lane.branch,
            branches=branches,
            because=entry.because,
            resume=entry.resume,
        )
    )
    return activation


def ask_worker(
    run: Decision, activation: int, kind: str, *, due: str = "", child: int = 0, version: int = 0
) -> None:
    """Leave something to a worker as a durable row; the members are those of WorkAsked."""
    run.emit(
        WorkAsked(
            activation=activation,
            kind=kind,
            job=run.state.last_job + 1,
            due=due,
            child=child,
            version=version,
        )
    )
