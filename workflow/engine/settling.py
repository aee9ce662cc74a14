"""After every change of seats: has the step ended, who is closed, whose turn is it now?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine import deadlines
from workflow.engine.ending import close_seats
from workflow.engine.events import (
    InstanceHeld,
    InstanceReleased,
    StepEnded,
    TaskApproved,
    TaskBlocked,
    TaskClosed,
    TaskCompleted,
    TaskOpened,
    TaskRejected,
)
from workflow.engine.flowdoc.steps import HumanStep, WorkStep
from workflow.engine.moves import Asked, Verdict
from workflow.engine.state import ActivationState, Reason, SeatState
from workflow.engine.tallying import (
    OWN_GROUP,
    claimer,
    group_verdict,
    is_pool,
    rule_of,
    rule_of_group,
    say_of,
    tally,
    too_few,
    turn,
)

if TYPE_CHECKING:
    from workflow.engine.decision import Decision
    from workflow.engine.plan import Plan
    from workflow.engine.state import Activation, Group, Seat

TOO_FEW = "people.too_few"

_RULES = frozenset({Reason.SELF_RULE, Reason.DEDUPE})
_DECISIONS = TaskApproved | TaskRejected | TaskCompleted


def step_of(plan: Plan, activation: Activation) -> HumanStep | None:
    """The step that asks people; nothing for an automatic one, and for step ``start``."""
    planned = plan.steps.get(activation.step)
    return planned.step if planned is not None and isinstance(planned.step, HumanStep) else None


def settle(run: Decision, number: int) -> Asked | None:
    """Reckon a step anew after its seats have changed (approvals.md 2.2, 2.5).

    Nothing when that activation is not open or has no seats. While it stays open, seats whose
    turn it is are opened, others are made to wait, and those that nobody needs are closed. When
    it ends, its waiting seats are closed and StepEnded is out; routing knows where it goes on.
    """
    activation = run.state.activation(number)
    if activation is None or not any(seat.group >= OWN_GROUP for seat in activation.seats):
        return None
    step = step_of(run.plan, activation)
    verdict = tally(activation, step)
    reason, by_seat = _cause(run, activation)
    if verdict is None:
        _arrange(run, activation, step, by_seat)
        _name_shortage(run, number, step)
        return Asked(run.state.activation(number) or activation, None, reason)
    close_seats(run, activation, Reason.SIBLING_DECIDED, by_seat)
    passed = verdict is Verdict.PASSED
    run.emit(
        StepEnded(
            activation=number,
            state=ActivationState.PASSED if passed else ActivationState.REFUSED,
            reason=reason,
            outcome=_outcome(step, passed=passed),
        )
    )
    return Asked(activation, verdict, reason, by_seat)


def begin_watch(run: Decision, activation: int, seat: int, due: str) -> None:
    """Have the deadline of a seat that has just opened watched."""
    found = run.state.activation(activation)
    step = step_of(run.plan, found) if found is not None else None
    if step is not None:
        deadlines.watch(run, activation, seat, due, step)


def due_now(run: Decision, step: HumanStep | None) -> str:
    """When a seat that opens now is due; the initiator's own task is never due."""
    return "" if step is None else deadlines.due_of(run, step)


def _outcome(step: HumanStep | None, *, passed: bool) -> str:
    if not passed:
        return "rejected"
    return "done" if step is None or isinstance(step, WorkStep) else "approved"


def _cause(run: Decision, activation: Activation) -> tuple[Reason, int]:
    """The last thing in this decision that somebody, or a rule, decided about the step.

    A rule is the reason only where no person has decided in the step before.
    """
    numbers = {seat.number for seat in activation.seats}
    for event in reversed(run.events):
        if isinstance(event, TaskClosed) and event.removed and event.seat in numbers:
            return event.reason, 0
        if isinstance(event, _DECISIONS) and event.seat in numbers:
            by_people = event.reason in _RULES and run.state.deciders.get(activation.step)
            return Reason.HUMAN if by_people else event.reason, event.seat
    return Reason.HUMAN, 0


def _name_shortage(run: Decision, number: int, step: HumanStep | None) -> None:
    """A vote that lacks people is an incident as long as it does."""
    activation = run.state.activation(number)
    if activation is None:
        return
    known = run.state.incidents.get(number)
    if too_few(activation, step):
        if known is None:
            run.emit(InstanceHeld(activation=number, code=TOO_FEW))
    elif known == TOO_FEW:
        run.emit(InstanceReleased(activation=number))


def _arrange(run: Decision, activation: Activation, step: HumanStep | None, by_seat: int) -> None:
    """Bring each waiting seat into the state in which it ought to be."""
    for seat in activation.seats:
        if not seat.waits or seat.group < OWN_GROUP:
            continue
        if _is_over(activation, seat):
            run.emit(
                TaskClosed(
                    seat=seat.number,
                    version=seat.version + 1,
                    reason=Reason.SIBLING_DECIDED,
                    by_seat=by_seat,
                )
            )
            continue
        wanted = _wanted(activation, seat, step)
        if wanted is seat.state:
            continue
        if wanted is SeatState.OPEN:
            _open(run, activation, seat, step)
        elif seat.state is not SeatState.BLOCKED:
            # Blocked it stays also where it goes on waiting for an opinion: when somebody who
            # was added before it has decided, and had taken back a decision while it was asked.
            run.emit(TaskBlocked(seat=seat.number, version=seat.version + 1))


def _open(run: Decision, activation: Activation, seat: Seat, step: HumanStep | None) -> None:
    """A deadline begins when the seat opens for the first time; later it stays what it was."""
    due = "" if seat.due else due_now(run, step)
    run.emit(TaskOpened(seat=seat.number, version=seat.version + 1, due=due))
    if not seat.due:
        begin_watch(run, activation.number, seat.number, due)


def _is_over(activation: Activation, seat: Seat) -> bool:
    """Whether nobody needs a waiting seat any more: it, its group or its parent is decided."""
    if say_of(activation, seat) == "against":
        return True
    group = activation.group(seat.group)
    if group is None:
        return False
    parent = activation.seat(group.seat)
    if parent is None or group_verdict(activation, group) is not None:
        return True
    if group.place == "after" and not parent.waits:
        return say_of(activation, parent) != "open"
    return not parent.waits or _is_over(activation, parent)


def _wanted(activation: Activation, seat: Seat, step: HumanStep | None) -> SeatState:
    for added in activation.groups:
        if added.seat == seat.number and group_verdict(activation, added) is None:
            if added.place == "delegate":
                return SeatState.HANDED_ON
            if added.place == "before":
                return SeatState.BLOCKED
    group = activation.group(seat.group)
    if group is None:
        waits = _waits_in_step(activation, seat, step)
    else:
        waits = _waits_in_group(activation, seat, group)
    return SeatState.BLOCKED if waits else SeatState.OPEN


def _waits_in_group(activation: Activation, seat: Seat, group: Group) -> bool:
    parent = activation.seat(group.seat)
    if group.place == "after" and parent is not None and parent.waits:
        return True
    return rule_of_group(group).in_order and turn(activation, group.number) is not seat


def _waits_in_step(activation: Activation, seat: Seat, step: HumanStep | None) -> bool:
    if rule_of(step).in_order:
        return turn(activation, OWN_GROUP) is not seat
    taker = claimer(activation) if step is not None and is_pool(step) else None
    if taker is None or taker.number == seat.number:
        return False
    # Whoever took the work may ask somebody beside him; the rest of the pool waits.
    return not (seat.origin == "added" and seat.by == taker.holder)
