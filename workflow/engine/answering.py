"""A step that asked outside has its answer: what is saved of it, and what a failure leads to.

The question itself is a durable row and is asked outside of any decision (decision 9). Whoever
comes late, because the request went back or ended meanwhile, is told that the step is over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine import going_back, routing
from workflow.engine.children import plan_again, rule_version
from workflow.engine.computing import fitted
from workflow.engine.entering import ask_worker
from workflow.engine.events import (
    Commented,
    FormChanged,
    InstanceHeld,
    InstanceReleased,
    StepEnded,
    VariablesSet,
    WorkEnded,
)
from workflow.engine.flowdoc.steps import GotoRef, HttpStep, RuleStep, SubflowStep
from workflow.engine.rejections import Invalid, NotOpen
from workflow.engine.state import ActivationState, InstanceState, Reason
from workflow.forms.findings import Finding
from workflow.forms.scalars import says_something

if TYPE_CHECKING:
    from workflow.engine.commands import Answered, Retry
    from workflow.engine.decision import Decision
    from workflow.engine.state import Activation, Work

FAILED = "failed"
BAD_ANSWER = "bad_answer"


def answered(run: Decision, command: Answered) -> None:
    """Go on with the answer to the question of an activation (approvals.md 3.2, http and rule).

    What is saved is checked by the form's own rules; a value that does not fit is a failure
    (``http.bad_answer``, ``rule.bad_answer``), and then nothing of the answer is kept.
    Raises NotOpen: work.not_open when the step is over or waits for nothing, instance.paused when
    the answer has to be given again later.
    """
    activation, step, work = _asking(run, command.activation)
    if run.state.paused:
        raise NotOpen("instance.paused")
    if not command.ok:
        _fail(run, activation, step, work, command.code or f"{step.kind}.{FAILED}", command.about)
        return
    found = fitted(run, command.values)
    if found.refused:
        _fail(run, activation, step, work, f"{step.kind}.{BAD_ANSWER}", found.refused)
        return
    if found.changed:
        run.emit(FormChanged(changes=dict(found.changed)))
    if command.variables:
        run.emit(VariablesSet(changes=dict(command.variables)))
    _pass(run, activation, "approved")


def _asking(run: Decision, number: int) -> tuple[Activation, HttpStep | RuleStep, Work]:
    activation = run.state.activation(number)
    planned = run.plan.steps.get(activation.step) if activation is not None else None
    step = planned.step if planned is not None else None
    work = run.state.work_of(number)
    if activation is None or work is None or not isinstance(step, HttpStep | RuleStep):
        raise NotOpen("work.not_open")
    return activation, step, work


def _pass(run: Decision, activation: Activation, outcome: str) -> None:
    run.emit(
        StepEnded(
            activation=activation.number,
            state=ActivationState.PASSED,
            reason=Reason.AUTO_STEP,
            outcome=outcome,
        )
    )
    routing.leave(run, activation, passed=True, reason=Reason.AUTO_STEP)


def _fail(
    run: Decision,
    activation: Activation,
    step: HttpStep | RuleStep,
    work: Work,
    code: str,
    about: str,
) -> None:
    """What the step says that follows; a rule is always a manager's affair."""
    on_fail = step.on_fail if isinstance(step, HttpStep) else "hold"
    if isinstance(on_fail, GotoRef):
        move = going_back.send_back(
            run, activation, on_fail.goto, resume=False, by_seat=0, reason=Reason.AUTO_STEP
        )
        routing.go(run, [move], Reason.AUTO_STEP)
    elif on_fail == "continue":
        # Later conditions may ask how it went.
        _pass(run, activation, "rejected")
    else:
        run.emit(WorkEnded(job=work.number))
        run.emit(InstanceHeld(activation=activation.number, code=code, about=about))


def retry(run: Decision, command: Retry) -> None:
    """Ask once more in a step that is held because asking outside failed (a manager's act).

    Raises NotOpen (instance.not_running, instance.paused, step.not_held), Invalid
    (reason.required).
    """
    if run.state.status is not InstanceState.RUNNING:
        raise NotOpen("instance.not_running", state=run.state.status.value)
    if run.state.paused:
        raise NotOpen("instance.paused")
    activation = run.state.activation(command.activation)
    planned = run.plan.steps.get(activation.step) if activation is not None else None
    step = planned.step if planned is not None else None
    if (
        activation is None
        or command.activation not in run.state.incidents
        or not isinstance(step, HttpStep | RuleStep | SubflowStep)
    ):
        raise NotOpen("step.not_held")
    if not says_something(command.comment):
        raise Invalid("reason.required", findings=(Finding("reason.required", "/reason"),))
    run.emit(Commented(comment=command.comment, step=activation.step))
    run.emit(InstanceReleased(activation=activation.number))
    if isinstance(step, SubflowStep):
        plan_again(run, activation, step)
    else:
        ask_worker(run, activation.number, step.kind, version=rule_version(run, step))
