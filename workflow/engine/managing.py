"""What managers and the initiator do to a running request as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.asking import assign
from workflow.engine.deadlines import due_of, watch
from workflow.engine.ending import close_step, finish
from workflow.engine.events import (
    Commented,
    InstancePaused,
    InstanceReleased,
    InstanceResumed,
    TaskAssigned,
    TaskReassigned,
    WentBack,
    WorkAsked,
    WorkEnded,
)
from workflow.engine.flowdoc.steps import HumanStep
from workflow.engine.moves import ROOT, Entry, Move
from workflow.engine.plan import START, Target
from workflow.engine.rejections import Invalid, NotAllowed, NotOpen, Rejection
from workflow.engine.routing import go
from workflow.engine.state import Activation, ActivationState, InstanceState, Reason, State
from workflow.forms.findings import Finding
from workflow.forms.scalars import says_something

if TYPE_CHECKING:
    from workflow.engine.commands import (
        AssignHeld,
        Comment,
        Jump,
        Pause,
        Reassign,
        Resume,
        Terminate,
        Withdraw,
    )
    from workflow.engine.decision import Decision, Definition
    from workflow.engine.facts import Person


def reassign(run: Decision, command: Reassign) -> None:
    """Give a waiting seat to another person. The old holder's page becomes stale (version).

    Raises NotOpen, Invalid (reason.required, person.unknown, person.already_holds).
    """
    require_running(run)
    found = run.state.seat(command.seat)
    if found is None or not found[1].waits:
        raise NotOpen("task.not_open")
    activation, seat = found
    _require_reason(command.comment)
    person = _person(run, command.to)
    _refuse_second_seat(activation, person)
    planned = run.plan.steps.get(activation.step)
    step = planned.step if planned is not None else None
    anew = (
        isinstance(step, HumanStep)
        and step.deadline is not None
        and step.deadline.count_from == "assignment"
    )
    due = due_of(run, step) if anew and isinstance(step, HumanStep) else ""
    run.emit(
        TaskReassigned(
            seat=seat.number,
            version=seat.version + 1,
            before=seat.holder,
            holder=person.id,
            comment=command.comment,
            due=due,
        )
    )
    if due and isinstance(step, HumanStep):
        watch(run, activation.number, seat.number, due, step)


def assign_held(run: Decision, command: AssignHeld) -> None:
    """Name the person for a step that is held because nobody was found.

    Raises NotOpen, Invalid.
    """
    require_running(run)
    activation = run.state.activation(command.activation)
    if activation is None or activation.seats or command.activation not in run.state.incidents:
        raise NotOpen("step.not_held")
    planned = run.plan.steps.get(activation.step)
    if planned is not None and not isinstance(planned.step, HumanStep):
        # An automatic step that is held asks nobody: it is jumped over, or tried again.
        raise NotOpen("step.asks_nobody")
    _require_reason(command.comment)
    person = _person(run, command.to)
    run.emit(Commented(comment=command.comment, step=activation.step))
    assign(
        run,
        TaskAssigned(
            activation=activation.number,
            seat=run.state.last_seat + 1,
            holder=person.id,
            origin="named",
            by=command.by,
        ),
    )
    run.emit(InstanceReleased(activation=activation.number))


def terminate(run: Decision, command: Terminate) -> None:
    """End a running request with a reason. Raises NotOpen, Invalid (reason.required)."""
    require_running(run)
    _require_reason(command.comment)
    finish(run, InstanceState.TERMINATED, Reason.ADMIN, command.comment)


def withdraw(run: Decision, command: Withdraw) -> None:
    """The initiator calls the request off, if the process lets him (contract, Withdraw).

    Raises NotAllowed (withdraw.not_yours, withdraw.never), NotOpen (withdraw.decided …).
    """
    refusal = why_no_withdrawal(run.definition, run.state, command.by)
    if refusal is not None:
        raise refusal
    finish(run, InstanceState.CANCELLED, Reason.CANCELLED, command.comment)


def why_no_withdrawal(definition: Definition, state: State, user: int) -> Rejection | None:
    """Why this person may not withdraw the request now; nothing when he may."""
    policy = definition.plan.doc.policy.initiator_cancel
    if user != state.initiator:
        return NotAllowed("withdraw.not_yours")
    if policy == "never":
        return NotAllowed("withdraw.never")
    if state.status is not InstanceState.RUNNING:
        return NotOpen("instance.not_running", state=state.status.value)
    # A lap begins with somebody's decision, and a step entered anew forgets its deciders.
    if policy == "before_first_decision" and (any(state.deciders.values()) or state.lap > 1):
        return NotOpen("withdraw.decided")
    return None


def pause(run: Decision, command: Pause) -> None:
    """Nothing moves from now on; deadlines keep their moments. Raises NotOpen, Invalid."""
    require_running(run)
    if run.state.paused:
        raise NotOpen("instance.paused")
    _require_reason(command.comment)
    run.emit(InstancePaused(comment=command.comment))


def resume(run: Decision, command: Resume) -> None:
    """Go on. Work that fell due meanwhile is asked for again, at once. Raises NotOpen."""
    require_running(run)
    if not run.state.paused:
        raise NotOpen("instance.not_paused")
    run.emit(InstanceResumed(comment=command.comment))
    for work in run.state.work:
        if work.put_off:
            run.emit(WorkEnded(job=work.number, done=False))
            run.emit(
                WorkAsked(
                    activation=work.activation,
                    kind=work.kind,
                    job=run.state.last_job + 1,
                    seat=work.seat,
                )
            )


def jump(run: Decision, command: Jump) -> None:
    """Continue at another step of the process, or at its "end" (approved).

    A step inside a parallel block cannot be jumped to: its siblings would be missing at the join.
    Raises NotOpen, Invalid (reason.required, jump.unknown_step, jump.into_branch).
    """
    require_running(run)
    require_moving(run)
    _require_reason(command.comment)
    if command.to == "end":
        finish(run, InstanceState.APPROVED, Reason.ADMIN, command.comment)
        return
    planned = run.plan.steps.get(command.to)
    if planned is None and command.to != START:
        raise Invalid("jump.unknown_step", findings=(Finding("jump.unknown_step", "/to"),))
    if planned is not None and planned.lanes:
        raise Invalid("jump.into_branch", findings=(Finding("jump.into_branch", "/to"),))
    for activation in run.state.activations:
        close_step(run, activation, ActivationState.CLOSED, Reason.ADMIN)
    run.emit(WentBack(to=command.to, reason=Reason.ADMIN, comment=command.comment))
    go(run, [Move(Target("step", command.to), ROOT, Entry(Reason.ADMIN))], Reason.ADMIN)


def comment(run: Decision, command: Comment) -> None:
    """Say something for the record: on the request, or on a task where its step lets holders.

    Raises NotOpen, NotAllowed (act.switched_off), Invalid (comment.required).
    """
    require_running(run)
    planned = run.plan.steps.get(command.step)
    if planned and isinstance(planned.step, HumanStep) and not planned.step.acts.comment:
        raise NotAllowed("act.switched_off", act="comment")
    if not says_something(command.comment):
        raise Invalid("comment.required", findings=(Finding("comment.required", "/comment"),))
    run.emit(Commented(comment=command.comment, step=command.step))


def require_moving(run: Decision) -> None:
    """Raises NotOpen while the request is paused."""
    if run.state.paused:
        raise NotOpen("instance.paused")


def require_running(run: Decision) -> None:
    """Raises NotOpen when the request has ended."""
    if run.state.status is not InstanceState.RUNNING:
        raise NotOpen("instance.not_running", state=run.state.status.value)


def _require_reason(text: str) -> None:
    if not says_something(text):
        raise Invalid("reason.required", findings=(Finding("reason.required", "/reason"),))


def _person(run: Decision, user: int) -> Person:
    for person in run.facts.people_by_id([user]):
        if person.active:
            return person
    raise Invalid("person.unknown", findings=(Finding("person.unknown", "/to"),))


def _refuse_second_seat(activation: Activation, person: Person) -> None:
    """A person holds at most one open seat of a step (approvals.md 2.5)."""
    for seat in activation.seats:
        if seat.holder == person.id and seat.waits:
            raise Invalid(
                "person.already_holds", findings=(Finding("person.already_holds", "/to"),)
            )
