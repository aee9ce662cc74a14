"""A step that asked outside has its answer: what is saved of it, and what a failure leads to.

The question itself is a durable row and is asked outside of any decision (decision 9). Whoever
comes late, because the request went back or ended meanwhile, is told that the step is over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine import going_back, routing, working
from workflow.engine.children import plan_again, rule_version
from workflow.engine.computing import fitted
from workflow.engine.consulting import ask_rules, covers, unfit
from workflow.engine.entering import ask_worker
from workflow.engine.events import (
    Commented,
    FormChanged,
    InstanceHeld,
    InstanceReleased,
    RuleAnswer,
    RulesAnswered,
    StepEnded,
    VariablesSet,
    WorkEnded,
)
from workflow.engine.flowdoc.steps import (
    CopyStep,
    GotoRef,
    HttpStep,
    NoticeStep,
    RuleStep,
    SetStep,
    SubflowStep,
)
from workflow.engine.questions import Consulted, Question
from workflow.engine.rejections import Invalid, NotOpen
from workflow.engine.state import ActivationState, InstanceState, Reason
from workflow.forms.findings import Finding
from workflow.forms.scalars import says_something

if TYPE_CHECKING:
    from workflow.engine.commands import Answered, Retry
    from workflow.engine.decision import Decision, Definition
    from workflow.engine.plan import PlanStep
    from workflow.engine.state import Activation, State, Work

RULE = "rule"
FAILED = "failed"
BAD_ANSWER = "bad_answer"


def answered(run: Decision, command: Answered) -> None:
    """Go on with the answer to the question of an activation (approvals.md 3.2, http and rule).

    What is saved is checked by the form's own rules; a value that does not fit is a failure
    (``http.bad_answer``, ``rule.bad_answer``), and then nothing of the answer is kept. The rules
    that a step asks before it goes on are answered in the same way.
    Raises NotOpen: work.not_open when the step is over or waits for nothing, instance.paused when
    the answer has to be given again later.
    """
    activation, at, work = _asking(run, command.activation)
    if run.state.paused:
        raise NotOpen("instance.paused")
    step = at.step
    if not isinstance(step, HttpStep | RuleStep):
        _consulted(run, activation, at, work, command)
        return
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


def _asking(run: Decision, number: int) -> tuple[Activation, PlanStep, Work]:
    activation = run.state.activation(number)
    at = run.plan.steps.get(activation.step) if activation is not None else None
    work = run.state.work_of(number)
    if activation is None or at is None or work is None:
        raise NotOpen("work.not_open")
    if not isinstance(at.step, HttpStep | RuleStep) and not activation.is_asking:
        raise NotOpen("work.not_open")
    return activation, at, work


def _consulted(
    run: Decision, activation: Activation, at: PlanStep, work: Work, command: Answered
) -> None:
    """The rules of a step have answered: it goes on with what they said, or is held."""
    if not covers(activation, at):
        # The request was moved to a version that asks something else here.
        run.emit(WorkEnded(job=work.number))
        ask_rules(run, activation.number, at, activation.because)
        return
    if not command.ok:
        code = command.code or f"{RULE}.{FAILED}"
        _hold(run, activation, work, code, command.about)
        return
    said = Consulted(
        activation.number,
        {Question(*name): value for name, value in command.rules.items()},
    )
    code, about = unfit(run, activation, at, said)
    if code:
        _hold(run, activation, work, code, about)
        return
    answers = tuple(
        RuleAnswer(
            rule=each.rule,
            version=each.version,
            value=said.answers[Question(each.rule, each.pinned)],
            pinned=each.pinned,
        )
        for each in activation.asks
    )
    run.emit(RulesAnswered(activation=activation.number, answers=answers))
    run.emit(WorkEnded(job=work.number))
    _go_on(run, activation, at, work, said)


def _go_on(
    run: Decision, activation: Activation, at: PlanStep, work: Work, said: Consulted
) -> None:
    step = at.step
    if isinstance(step, CopyStep | NoticeStep | SetStep):
        run.consulted = said
        working.carry_out(run, activation, step, work.number)
    else:
        routing.go_on(run, activation, said)


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
        _hold(run, activation, work, code, about)


def _hold(run: Decision, activation: Activation, work: Work, code: str, about: str) -> None:
    run.emit(WorkEnded(job=work.number))
    run.emit(InstanceHeld(activation=activation.number, code=code, about=about))


def may_retry(definition: Definition, state: State, number: int) -> bool:
    """Whether this activation is held because asking failed, so that asking again may help."""
    activation = state.activation(number)
    planned = definition.plan.steps.get(activation.step) if activation is not None else None
    if activation is None or planned is None or number not in state.incidents:
        return False
    asks_outside = isinstance(planned.step, HttpStep | RuleStep | SubflowStep)
    return asks_outside or activation.is_asking


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
    if activation is None or not may_retry(run.definition, run.state, activation.number):
        raise NotOpen("step.not_held")
    at = run.plan.steps[activation.step]
    step = at.step
    if not says_something(command.comment):
        raise Invalid("reason.required", findings=(Finding("reason.required", "/reason"),))
    run.emit(Commented(comment=command.comment, step=activation.step))
    run.emit(InstanceReleased(activation=activation.number))
    if isinstance(step, SubflowStep):
        plan_again(run, activation, step)
    elif activation.is_asking:
        ask_rules(run, activation.number, at, activation.because)
    else:
        ask_worker(run, activation.number, step.kind, version=rule_version(run, step))
