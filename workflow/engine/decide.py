"""`decide(definition, state, command, facts, now) -> events`: the whole of what may happen.

A pure function: the same input gives the same events. What it must know of the organisation it
asks `facts`, and the answers stand in the events, so that `evolve` and a replay never ask again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workflow.engine import (
    adding,
    answering,
    child_reports,
    claiming,
    handing,
    managing,
    moving_versions,
    noting,
    signing,
    taking_back,
    timing_out,
    working,
)
from workflow.engine.commands import (
    AddSigners,
    Answered,
    Approve,
    AskSubstitute,
    AssignHeld,
    ChildBegun,
    ChildOver,
    ChildRefused,
    Claim,
    Command,
    Comment,
    Complete,
    Delegate,
    EndChild,
    FinishWork,
    HandBack,
    Jump,
    Migrate,
    Pause,
    Reassign,
    Reject,
    Release,
    RemoveSigner,
    Resume,
    Retry,
    Return,
    SendCopy,
    Snooze,
    Start,
    TakeBack,
    Terminate,
    TimeOut,
    Transfer,
    UndoMigration,
    Withdraw,
)
from workflow.engine.decision import Decision, Definition
from workflow.engine.starting import start

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from workflow.engine.facts import Facts
    from workflow.engine.state import State


def decide(
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
    _CARRIED_OUT_BY[type(command)](run, command)
    return run


_CARRIED_OUT_BY: Mapping[type, Callable[[Decision, Any], None]] = {
    Approve: signing.decide_task,
    Reject: signing.decide_task,
    Complete: signing.decide_task,
    Return: signing.decide_task,
    HandBack: handing.hand_back,
    Transfer: handing.transfer,
    Delegate: handing.delegate,
    AddSigners: adding.add_signers,
    RemoveSigner: adding.remove_signer,
    SendCopy: noting.send_copy,
    Claim: claiming.claim,
    Release: claiming.release,
    Snooze: noting.snooze,
    AskSubstitute: noting.ask_substitute,
    TakeBack: taking_back.take_back,
    Comment: managing.comment,
    Withdraw: managing.withdraw,
    Reassign: managing.reassign,
    AssignHeld: managing.assign_held,
    Terminate: managing.terminate,
    Pause: managing.pause,
    Resume: managing.resume,
    Jump: managing.jump,
    Migrate: moving_versions.migrate,
    UndoMigration: moving_versions.undo,
    FinishWork: working.finish_work,
    TimeOut: timing_out.time_out,
    Answered: answering.answered,
    Retry: answering.retry,
    ChildBegun: child_reports.begun,
    ChildOver: child_reports.over,
    ChildRefused: child_reports.refused,
    EndChild: child_reports.end_child,
}
