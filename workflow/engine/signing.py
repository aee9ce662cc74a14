"""A person decides a task: for it, against it, done, or back to an earlier step."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from workflow.engine import going_back, routing
from workflow.engine.acting import carry_on, refuse_values, seen_by, take_up
from workflow.engine.commands import Approve, Complete, Reject, Return
from workflow.engine.dedupe import may_be_reused
from workflow.engine.events import (
    TaskApproved,
    TaskClaimed,
    TaskCompleted,
    TaskRejected,
    TaskReturned,
)
from workflow.engine.evidence import CommentRule, comment_rule
from workflow.engine.flowdoc.rules import RejectBack
from workflow.engine.flowdoc.steps import ApproveStep
from workflow.engine.guarding import return_targets
from workflow.engine.picking import take_picks
from workflow.engine.rejections import Invalid
from workflow.engine.state import Reason
from workflow.engine.tallying import OWN_GROUP, is_pool
from workflow.forms.findings import Finding

if TYPE_CHECKING:
    from workflow.engine.decision import Decision
    from workflow.engine.guarding import Stand, Verb

__all__ = ["CommentRule", "comment_rule", "decide_task", "refuse_values"]

_VERBS: dict[type, Verb] = {
    Approve: "approve",
    Reject: "reject",
    Complete: "complete",
    Return: "return",
}


def decide_task(run: Decision, command: Approve | Reject | Complete | Return) -> None:
    """Decide a task (contract, A task is one seat).

    Raises NotAllowed, NotOpen, VersionMoved, Invalid, tested in this order; then the decision is
    recorded with the digest of what the person could see, and its consequence follows.
    """
    stand = take_up(run, _VERBS[type(command)], command)
    match command:
        case Approve() | Complete():
            needed = stand.seat.group == OWN_GROUP
            take_picks(run, stand.activation.step, command.picked, needed=needed)
        case Reject():
            _check_target_of_rejection(run, stand, command)
        case Return():
            if command.to not in return_targets(stand):
                _refuse_target()
        case _:
            assert_never(command)
    _claim(run, stand)
    _record(run, stand, command)
    if isinstance(command, Return):
        move = going_back.send_back(
            run,
            run.state.activation(stand.activation.number) or stand.activation,
            command.to,
            resume=command.resume == "here",
            by_seat=command.seat,
            comment=command.comment,
        )
        routing.go(run, [move], Reason.RETURNED, by_seat=command.seat)
        return
    carry_on(run, stand.activation.number)


def _check_target_of_rejection(run: Decision, stand: Stand, command: Reject) -> None:
    """Where the step lets the person choose what to go back to, he has to; elsewhere never."""
    step = stand.step
    then = step.reject.then if isinstance(step, ApproveStep) else None
    if isinstance(then, RejectBack) and then.to == "ask":
        if command.to not in return_targets(stand):
            _refuse_target()
        run.asked_target = command.to
    elif command.to:
        _refuse_target()


def _refuse_target() -> None:
    raise Invalid("return.bad_target", findings=(Finding("return.bad_target", "/to"),))


def _claim(run: Decision, stand: Stand) -> None:
    """Whoever decides work of a pool that nobody has taken, takes it."""
    step = stand.step
    free = not stand.activation.claimed and stand.seat.group == OWN_GROUP
    if step is not None and is_pool(step) and free:
        run.emit(TaskClaimed(seat=stand.seat.number, version=stand.seat.version + 1))


def _record(run: Decision, stand: Stand, command: Approve | Reject | Complete | Return) -> None:
    found = run.state.seat(command.seat)
    version = (found[1] if found is not None else stand.seat).version + 1
    seen = seen_by(run, stand)
    match command:
        case Approve():
            run.emit(
                TaskApproved(
                    seat=command.seat,
                    version=version,
                    comment=command.comment,
                    form=seen,
                    files=command.files,
                    signature=command.signature,
                    reusable=may_be_reused(run.plan),
                )
            )
        case Reject():
            run.emit(
                TaskRejected(
                    seat=command.seat,
                    version=version,
                    comment=command.comment,
                    form=seen,
                    files=command.files,
                    signature=command.signature,
                    to=command.to,
                )
            )
        case Complete():
            run.emit(
                TaskCompleted(
                    seat=command.seat,
                    version=version,
                    comment=command.comment,
                    form=seen,
                    files=command.files,
                    signature=command.signature,
                )
            )
        case Return():
            run.emit(
                TaskReturned(
                    seat=command.seat,
                    version=version,
                    to=command.to,
                    comment=command.comment,
                    form=seen,
                    files=command.files,
                    signature=command.signature,
                )
            )
        case _:
            assert_never(command)
