"""`decide(definition, state, command, facts, now) -> events`: the whole of what may happen.

A pure function: the same input gives the same events. What it must know of the organisation it
asks `facts`, and the answers stand in the events, so that `evolve` and a replay never ask again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from workflow.engine.commands import (
    Approve,
    AssignHeld,
    Command,
    Comment,
    FinishWork,
    Reassign,
    Reject,
    Start,
    Terminate,
)
from workflow.engine.decision import Decision, Definition
from workflow.engine.managing import assign_held, comment, reassign, terminate
from workflow.engine.signing import decide_task
from workflow.engine.starting import start
from workflow.engine.working import finish_work

if TYPE_CHECKING:
    from datetime import datetime

    from workflow.engine.facts import Facts
    from workflow.engine.state import State


def decide(  # noqa: C901 - one arm per command
    definition: Definition, state: State | None, command: Command, facts: Facts, now: datetime
) -> Decision:
    """Decide a command. The answer carries the events and the state that they lead to.

    ``state`` is nothing for `Start` alone. ``now`` is aware UTC. Raises a Rejection, and then
    nothing has happened.
    """
    if isinstance(command, Start):
        return start(definition, command, facts, now)
    if state is None:
        message = "Only a start needs no request."
        raise ValueError(message)
    run = Decision(definition, facts, now, state)
    match command:
        case Approve() | Reject():
            decide_task(run, command)
        case Comment():
            comment(run, command)
        case Reassign():
            reassign(run, command)
        case AssignHeld():
            assign_held(run, command)
        case Terminate():
            terminate(run, command)
        case FinishWork():
            finish_work(run, command)
        case _:
            assert_never(command)
    return run
