"""Automatic steps as a worker carries them out: copies, notices, verdicts, values, delays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.computing import computed
from workflow.engine.consulting import ask_rules
from workflow.engine.deadlines import delay_until
from workflow.engine.entering import enter
from workflow.engine.events import (
    CopySent,
    FormChanged,
    InstanceHeld,
    StepEnded,
    WorkEnded,
    WorkPutOff,
)
from workflow.engine.flowdoc.steps import (
    AutoStep,
    CopyStep,
    DelayStep,
    NoticeStep,
    SetStep,
)
from workflow.engine.messages import message_of
from workflow.engine.moves import REACHED, lane_of
from workflow.engine.people import readers
from workflow.engine.rejections import NotOpen
from workflow.engine.routing import leave
from workflow.engine.state import ActivationState, Reason

if TYPE_CHECKING:
    from workflow.engine.commands import FinishWork
    from workflow.engine.decision import Decision
    from workflow.engine.state import Activation

NO_VALUE = "delay.no_value"
BAD_VALUE = "set.bad_value"

Worked = CopyStep | NoticeStep | AutoStep | SetStep | DelayStep


def finish_work(run: Decision, command: FinishWork) -> None:
    """Carry out the automatic step of an activation, once.

    While the request is paused it is only put off. Raises NotOpen (work.not_open) when the step
    is over, or is held because it could not be carried out.
    """
    activation, step = _open_step(run, command.activation)
    work = run.state.work_of(activation.number)
    # Histories from before work was numbered have none in their state, and no incident here.
    held = work is None and activation.number in run.state.incidents
    if held or activation.is_asking:
        # What is held was carried out already; what asks rules waits for their answers.
        raise NotOpen("work.not_open")
    job = work.number if work is not None else activation.number
    if run.state.paused:
        run.emit(WorkPutOff(job=job))
        return
    at = run.plan.steps[activation.step]
    if at.questions:
        # The request was moved to a version whose step asks rules, while it waited for a worker.
        run.emit(WorkEnded(job=job))
        ask_rules(run, activation.number, at, None)
        return
    carry_out(run, activation, step, job)


def carry_out(
    run: Decision,
    activation: Activation,
    step: Worked,
    job: int,
) -> None:
    """Do what an automatic step says, now; ``job`` is the work that this is."""
    match step:
        case CopyStep():
            _send_copies(run, activation, step)
        case NoticeStep():
            _send_notice(run, activation, step)
        case AutoStep():
            _give_verdict(run, activation, step)
        case SetStep():
            _set_values(run, activation, step, job)
        case DelayStep():
            _end_delay(run, activation, step, job)


def _open_step(run: Decision, number: int) -> tuple[Activation, Worked]:
    activation = run.state.activation(number)
    planned = run.plan.steps.get(activation.step) if activation is not None else None
    step = planned.step if planned is not None else None
    if activation is None or not isinstance(step, Worked):
        # Also when the request has ended: then no step is open.
        raise NotOpen("work.not_open")
    return activation, step


def _send_copies(run: Decision, activation: Activation, step: CopyStep) -> None:
    """Nobody to send to is no incident: a copy never holds a request up."""
    found = readers(run, step)
    if run.consulted is not None and found.dropped:
        # Whom a rule named in vain is told where the step is entered.
        enter(run, activation.step, lane_of(activation), REACHED, dropped=tuple(found.dropped))
    for _, why in found.chosen:
        run.emit(CopySent(activation=activation.number, seat=run.state.last_seat + 1, why=why))
    _pass(run, activation)


def _send_notice(run: Decision, activation: Activation, step: NoticeStep) -> None:
    """Nobody to tell is no incident either; what reaches people is for whoever is told of it."""
    sent = message_of(run, activation, step)
    if sent.chosen:
        run.emit(sent)
    _pass(run, activation)


def _give_verdict(run: Decision, activation: Activation, step: AutoStep) -> None:
    if step.verdict == "approve":
        _pass(run, activation, "approved")
        return
    run.emit(
        StepEnded(
            activation=activation.number,
            state=ActivationState.REFUSED,
            reason=Reason.AUTO_STEP,
            outcome="rejected",
        )
    )
    leave(run, activation, passed=False, reason=Reason.AUTO_STEP, comment=step.reason)


def _set_values(run: Decision, activation: Activation, step: SetStep, job: int) -> None:
    found = computed(run, step)
    if found.refused:
        _hold(run, activation, job, BAD_VALUE, found.refused)
        return
    if found.changed:
        run.emit(FormChanged(changes=dict(found.changed)))
    _pass(run, activation)


def _end_delay(run: Decision, activation: Activation, step: DelayStep, job: int) -> None:
    """The moment was fixed when the step was entered; only a field without one has to be said."""
    if step.until_field is not None and delay_until(run, step) is None:
        _hold(run, activation, job, NO_VALUE, step.until_field)
        return
    _pass(run, activation)


def _hold(run: Decision, activation: Activation, job: int, code: str, about: str) -> None:
    """The step stays open as an incident, and its work is over: trying again changes nothing."""
    run.emit(WorkEnded(job=job))
    run.emit(InstanceHeld(activation=activation.number, code=code, about=about))


def _pass(run: Decision, activation: Activation, outcome: str = "") -> None:
    run.emit(
        StepEnded(
            activation=activation.number,
            state=ActivationState.PASSED,
            reason=Reason.AUTO_STEP,
            outcome=outcome,
        )
    )
    leave(run, activation, passed=True, reason=Reason.AUTO_STEP)
