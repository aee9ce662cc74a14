"""What workers report of the requests that a subflow step started, and how the step counts them.

Every report can come late, when the step is over: then it is refused and changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine import routing
from workflow.engine.children import CHILD, plain
from workflow.engine.computing import fitted
from workflow.engine.ending import finish
from workflow.engine.entering import ask_worker
from workflow.engine.events import (
    ChildEnded,
    ChildStarted,
    FormChanged,
    InstanceHeld,
    StepEnded,
    WorkEnded,
)
from workflow.engine.flowdoc.steps import AtLeast, SubflowStep
from workflow.engine.rejections import NotOpen
from workflow.engine.state import ActivationState, InstanceState, Reason
from workflow.forms.scalars import ROW_ID, rows_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workflow.engine.commands import ChildBegun, ChildOver, ChildRefused, EndChild
    from workflow.engine.decision import Decision
    from workflow.engine.state import Activation, Child, Work
    from workflow.forms.scalars import Value

REJECTED = "subflow.rejected"
BAD_ANSWER = "subflow.bad_answer"


def begun(run: Decision, command: ChildBegun) -> None:
    """A child was started. A step that does not wait passes when all of its children have begun.

    Raises NotOpen (work.not_open, instance.paused).
    """
    activation, step, work, child = _asked(run, command.job)
    if not child.instance:
        run.emit(_started(activation, child, command))
    if not step.wait:
        _one_has_begun(run, activation.number, step, work)


def _one_has_begun(run: Decision, number: int, step: SubflowStep, work: Work) -> None:
    """A step that does not wait passes when each of its children is there, whatever came of it."""
    run.emit(WorkEnded(job=work.number))
    activation = _activation(run, number)
    if all(each.instance or each.state == "again" for each in activation.children):
        _end(run, activation, passed=True)
    else:
        _start_next(run, activation, step)


def _started(
    activation: Activation, child: Child, command: ChildBegun | ChildOver
) -> ChildStarted:
    return ChildStarted(
        activation=activation.number,
        child=child.number,
        instance=command.instance,
        number=command.number,
    )


def over(run: Decision, command: ChildOver) -> None:
    """A child has ended: take its values over, count it, and go on when the join has decided.

    Raises NotOpen (work.not_open, instance.paused).
    """
    activation, step, work, child = _asked(run, command.job)
    if not child.instance:
        # It ended before anybody could report that it had begun.
        run.emit(_started(activation, child, command))
    if not step.wait:
        _one_has_begun(run, activation.number, step, work)
        return
    run.emit(WorkEnded(job=work.number))
    approved = command.result is InstanceState.APPROVED
    refused = _take_over(run, step, child, command.values) if approved else ""
    counts = approved or step.on_child_reject == "continue"
    trouble = BAD_ANSWER if refused else ""
    if not counts and step.on_child_reject == "hold":
        trouble = REJECTED
    run.emit(
        ChildEnded(
            activation=activation.number,
            child=child.number,
            result=command.result,
            counts="held" if trouble else "passed" if counts else "failed",
        )
    )
    activation = _activation(run, activation.number)
    if trouble:
        run.emit(InstanceHeld(activation=activation.number, code=trouble, about=refused))
    else:
        _count(run, activation, step)


def refused(run: Decision, command: ChildRefused) -> None:
    """A child could not be started: an incident of the step, and the others go on.

    Raises NotOpen (work.not_open, also when it is there after all; instance.paused).
    """
    activation, _step, work, child = _asked(run, command.job)
    if child.instance:
        # Another worker has started it meanwhile, so its end will be reported.
        raise NotOpen("work.not_open")
    run.emit(WorkEnded(job=work.number))
    run.emit(InstanceHeld(activation=activation.number, code=command.code, about=command.about))


def _asked(run: Decision, job: int) -> tuple[Activation, SubflowStep, Work, Child]:
    for work in run.state.work:
        if work.number == job and work.kind == CHILD:
            activation = _activation(run, work.activation)
            step = run.plan.steps[activation.step].step
            child = activation.child(work.child)
            if isinstance(step, SubflowStep) and child is not None:
                if run.state.paused:
                    raise NotOpen("instance.paused")
                return activation, step, work, child
    raise NotOpen("work.not_open")


def _take_over(run: Decision, step: SubflowStep, child: Child, values: Mapping[str, Value]) -> str:
    """Values of an approved child become the parent's; the first field that refuses its value.

    A column of the table of ``each`` means the cell of the item's row.
    """
    if not step.output:
        return ""
    each = step.each.field if step.each is not None else ""
    rows = rows_of(run.state.values.get(each)) if each else ()
    submitted: dict[str, object] = {}
    cells: dict[str, object] = {}
    for name, theirs in step.output.items():
        table, dot, column = name.partition(".")
        if dot and table == each:
            cells[column] = plain(values.get(theirs))
        else:
            submitted[name] = plain(values.get(theirs))
    if cells and rows:
        submitted[each] = [
            {ROW_ID: row[ROW_ID]} | (cells if row[ROW_ID] == child.item else {}) for row in rows
        ]
    found = fitted(run, submitted, step.output)
    if found.changed and not found.refused:
        run.emit(FormChanged(changes=dict(found.changed)))
    return found.refused


def _count(run: Decision, activation: Activation, step: SubflowStep) -> None:
    """What the join says now (the rules of `blocks.join`), or the next child."""
    states = [each.state for each in activation.children if each.state != "again"]
    match step.each.join if step.each is not None else "all":
        case AtLeast(at_least=number):
            needed = min(number, len(states))
        case "first":
            needed = 1
        case _:
            needed = len(states)
    passed = states.count("passed")
    if passed >= needed:
        _end(run, activation, passed=True)
    elif len(states) - states.count("failed") < needed:
        _end(run, activation, passed=False)
    else:
        _start_next(run, activation, step)


def _start_next(run: Decision, activation: Activation, step: SubflowStep) -> None:
    """One by one: the next request once the one before has ended (not waited for: has begun)."""
    if step.each is None or step.each.mode != "one_by_one":
        return
    if any(each.activation == activation.number for each in run.state.work):
        return
    waiting = next((each for each in activation.children if each.state == "planned"), None)
    if waiting is not None:
        ask_worker(run, activation.number, CHILD, child=waiting.number)


def _end(run: Decision, activation: Activation, *, passed: bool) -> None:
    """End the step; children that nobody waits for any more are ended by a worker."""
    for work in run.state.work:
        if work.activation == activation.number:
            run.emit(WorkEnded(job=work.number, done=False))
    run.emit(
        StepEnded(
            activation=activation.number,
            state=ActivationState.PASSED if passed else ActivationState.REFUSED,
            reason=Reason.AUTO_STEP,
            outcome="approved" if passed else "rejected",
        )
    )
    routing.leave(run, activation, passed=passed, reason=Reason.AUTO_STEP)


def _activation(run: Decision, number: int) -> Activation:
    found = run.state.activation(number)
    if found is None:
        raise NotOpen("work.not_open")
    return found


def end_child(run: Decision, _command: EndChild) -> None:
    """The request that started this one needs it no more. Raises NotOpen when it has ended."""
    if run.state.status is not InstanceState.RUNNING:
        raise NotOpen("instance.not_running", state=run.state.status.value)
    finish(run, InstanceState.TERMINATED, Reason.CANCELLED)
