"""A deadline has passed: what the step says that follows, once, and visibly so in the history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine import going_back, routing
from workflow.engine.deadlines import DEADLINE, due_of, watch
from workflow.engine.events import (
    InstanceHeld,
    TaskApproved,
    TaskClosed,
    TaskCompleted,
    TaskReassigned,
    TaskRejected,
    TimedOut,
    WorkEnded,
    WorkPutOff,
)
from workflow.engine.flowdoc.steps import HumanStep, WorkStep
from workflow.engine.people import present
from workflow.engine.rejections import NotOpen
from workflow.engine.settling import settle
from workflow.engine.state import Reason
from workflow.engine.tallying import READERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workflow.engine.commands import TimeOut
    from workflow.engine.decision import Decision
    from workflow.engine.facts import Person
    from workflow.engine.flowdoc.people import People
    from workflow.engine.flowdoc.rules import Overdue, Self
    from workflow.engine.state import Activation, Seat

NOBODY = "deadline.nobody"
NO_REJECTION = "deadline.no_rejection"


def time_out(run: Decision, command: TimeOut) -> None:
    """Do what follows from a deadline that has passed (approvals.md 3.2, Deadline).

    While the request is paused it is only put off; the moment on the seat stays. Raises NotOpen
    (work.not_open) when the seat was decided, or its deadline was replaced, in the meantime.
    """
    activation, seat, step = _watched(run, command.job)
    if run.state.paused:
        run.emit(WorkPutOff(job=command.job))
        return
    if activation.claimed not in {0, seat.number}:
        # Somebody else took this work out of the pool; his own deadline decides.
        run.emit(WorkEnded(job=command.job))
        return
    then = step.deadline.then if step.deadline is not None else "none"
    name = then if isinstance(then, str) else _name(then)
    run.emit(TimedOut(seat=seat.number, job=command.job, then=name))
    if isinstance(then, str):
        _decide(run, activation, seat, step, approve=then == "approve")
    elif then.goto is not None:
        move = going_back.send_back(
            run, activation, then.goto, resume=False, by_seat=0, reason=Reason.TIMEOUT
        )
        routing.go(run, [move], Reason.TIMEOUT)
    else:
        _hand_over(run, activation, seat, step, then)


def _watched(run: Decision, job: int) -> tuple[Activation, Seat, HumanStep]:
    for work in run.state.work:
        if work.number == job and work.kind == DEADLINE:
            found = run.state.seat(work.seat)
            planned = run.plan.steps.get(found[0].step) if found else None
            if found and planned and isinstance(planned.step, HumanStep) and found[1].waits:
                return (*found, planned.step)
    raise NotOpen("work.not_open")


def _name(then: Overdue) -> str:
    if then.reassign is not None:
        return "reassign"
    return "goto" if then.goto is not None else "escalate"


def _decide(
    run: Decision, activation: Activation, seat: Seat, step: HumanStep, *, approve: bool
) -> None:
    """The seat decides itself; whoever was added to it has nothing to say any more."""
    if isinstance(step, WorkStep) and not approve:
        # Publishing refuses it; work that nobody did is nobody's rejection.
        run.emit(InstanceHeld(activation=activation.number, code=NO_REJECTION))
        return
    for added in _added_to(activation, seat):
        run.emit(
            TaskClosed(
                seat=added.number,
                version=added.version + 1,
                reason=Reason.TIMEOUT,
                by_seat=seat.number,
            )
        )
    decided = TaskCompleted if isinstance(step, WorkStep) else TaskApproved
    run.emit(
        (decided if approve else TaskRejected)(
            seat=seat.number, version=seat.version + 1, reason=Reason.TIMEOUT
        )
    )
    _settle(run, activation)


def _added_to(activation: Activation, seat: Seat) -> Iterator[Seat]:
    """The waiting seats of the people who were added to a seat, and to those, and so on.

    A group is always younger than the seat that it was added to, so one pass finds them all.
    """
    groups: set[int] = set()
    seats = {seat.number}
    for group in activation.groups:
        if group.seat in seats:
            groups.add(group.number)
            seats |= {each.number for each in activation.seats if each.group == group.number}
    return (each for each in activation.seats if each.group in groups and each.waits)


def _hand_over(
    run: Decision, activation: Activation, seat: Seat, step: HumanStep, then: Overdue
) -> None:
    """Another person holds the seat from now on; nobody to be found is an incident."""
    if then.reassign is not None:
        candidates = _people(run, step, then.reassign)
    else:
        candidates = _heads_above(run, seat, step)[(then.escalate or 1) - 1 :]
    # Whoever has or had a seat in this step takes no second one: one person, one say.
    person = next((each for each in candidates if not _took_part(activation, each)), None)
    if person is None:
        run.emit(InstanceHeld(activation=activation.number, code=NOBODY))
        return
    # Only a deadline that counts from the assignment begins anew; any other has passed.
    due = due_of(run, step) if _counts_anew(step) else ""
    run.emit(
        TaskReassigned(
            seat=seat.number,
            version=seat.version + 1,
            before=seat.holder,
            holder=person.id,
            comment="",
            reason=Reason.TIMEOUT,
            due=due,
        )
    )
    if due:
        watch(run, activation.number, seat.number, due, step)
    _settle(run, activation)


def _counts_anew(step: HumanStep) -> bool:
    return step.deadline is not None and step.deadline.count_from == "assignment"


def _took_part(activation: Activation, person: Person) -> bool:
    return any(
        person.id == seat.holder or person.id in seat.chain
        for seat in activation.seats
        if seat.group != READERS
    )


def _people(run: Decision, step: HumanStep, people: People) -> list[Person]:
    found = present(run, people, _on_self(run, step), step.id)
    return [person for person, _ in found.chosen if person.id != found.passes_itself]


def _heads_above(run: Decision, seat: Seat, step: HumanStep) -> list[Person]:
    """The able heads of the holder's departments, nearest first, each once.

    Able is who is active, present, and neither the holder himself nor an initiator who may not
    decide his own request.
    """
    line = [each.head for each in run.facts.line_of_user(seat.holder) if each.head is not None]
    heads = {head.id: head for head in line if head.active and head.id != seat.holder}
    if _on_self(run, step) != "allow":
        heads.pop(run.state.initiator, None)
    absent = run.facts.substitutes_of(list(heads), run.plan.doc.key) if heads else {}
    return [head for head in heads.values() if head.id not in absent]


def _on_self(run: Decision, step: HumanStep) -> Self:
    return step.on_self or run.plan.doc.policy.on_self


def _settle(run: Decision, activation: Activation) -> None:
    asked = settle(run, activation.number)
    if asked is not None:
        routing.follow(run, asked)
