"""A step that asks people: who gets a seat, when the step has passed, and when it was refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.ending import WAITING, close_seats, finish
from workflow.engine.events import (
    InstanceHeld,
    StepEnded,
    StepEntered,
    TaskApproved,
    TaskAssigned,
    TaskOpened,
)
from workflow.engine.flowdoc.rules import DecideAny, DecideInOrder, Empty, EmptyPeople, Self
from workflow.engine.flowdoc.steps import ApproveStep
from workflow.engine.people import Assignment, apply_self_rule, resolve
from workflow.engine.rejections import Invalid
from workflow.engine.state import (
    Activation,
    ActivationState,
    InstanceState,
    Reason,
    Seat,
    SeatState,
)

if TYPE_CHECKING:
    from workflow.engine.decision import Decision
    from workflow.engine.plan import PlanStep, Target

NOBODY = "people.nobody"


def ask_people(run: Decision, at: PlanStep, step: ApproveStep) -> Target | None:
    """Enter an approval. Returns where to go on when it passed at once, else nothing.

    Raises Invalid (people.nobody) when nobody is found, the step says *refuse_start*, and this is
    the start.
    """
    rule = step.on_self or run.plan.doc.policy.on_self
    found = resolve(run, step.who)
    apply_self_rule(run, rule, found)
    verdict = ""
    if not found.chosen:
        verdict = _when_empty(run, step.on_empty, rule, found)
        if verdict == "refuse_start" and run.starting:
            raise Invalid(NOBODY, step=step.id, name=step.name)
    activation = run.state.last_activation + 1
    run.emit(
        StepEntered(
            activation=activation,
            step=at.id,
            round=run.state.rounds.get(at.id, 0) + 1,
            chosen=found.reasons,
            dropped=tuple(found.dropped),
            when_empty=verdict,
        )
    )
    if not found.chosen:
        return _without_people(run, at, activation, verdict)
    seat_people(run, activation, step, found)
    return settle(run, activation)


def _when_empty(run: Decision, rule: Empty, on_self: Self, found: Assignment) -> str:
    """Follow the empty rule to people or to its last word; who was found lands in ``found``.

    The chain of ``people … then`` is as deep as the document, whose depth is bounded.
    """
    while isinstance(rule, EmptyPeople):
        _add(run, found, resolve(run, rule.who), on_self)
        if found.chosen:
            return "people"
        rule = rule.then
    if rule.do == "managers":
        managers = run.plan.doc.managers
        if managers is not None:
            _add(run, found, resolve(run, managers), on_self)
        return "managers" if found.chosen else "hold"
    return rule.do


def _add(run: Decision, found: Assignment, others: Assignment, on_self: Self) -> None:
    apply_self_rule(run, on_self, others)
    found.chosen = others.chosen
    found.passes_itself = others.passes_itself
    found.dropped.extend(others.dropped)


def _without_people(run: Decision, at: PlanStep, activation: int, verdict: str) -> Target | None:
    if verdict == "approve":
        run.emit(
            StepEnded(
                activation=activation,
                state=ActivationState.SKIPPED,
                reason=Reason.EMPTY_RULE,
                outcome="skipped",
            )
        )
        return at.after
    if verdict == "reject":
        run.emit(
            StepEnded(
                activation=activation,
                state=ActivationState.REFUSED,
                reason=Reason.EMPTY_RULE,
                outcome="rejected",
            )
        )
        finish(run, InstanceState.REJECTED, Reason.EMPTY_RULE)
        return None
    # hold, and refuse_start when it is no start any more: an incident, never a silent wait.
    run.emit(InstanceHeld(activation=activation, code=NOBODY))
    return None


def seat_people(run: Decision, activation: int, step: ApproveStep, found: Assignment) -> None:
    """Give each person a seat; one by one, only the first is open."""
    in_order = isinstance(step.decide, DecideInOrder)
    for place, (person, _) in enumerate(found.chosen):
        number = run.state.last_seat + 1
        waits = in_order and place > 0
        run.emit(
            TaskAssigned(
                activation=activation,
                seat=number,
                holder=person.id,
                state=SeatState.BLOCKED if waits else SeatState.OPEN,
            )
        )
    if found.passes_itself is not None:
        _pass_itself(run, activation, found.passes_itself)


def _pass_itself(run: Decision, activation: int, user: int) -> None:
    """The initiator's own seat approves itself (self rule *skip*)."""
    current = run.state.activation(activation)
    for seat in current.seats if current else ():
        if seat.holder == user:
            run.emit(
                TaskApproved(seat=seat.number, version=seat.version + 1, reason=Reason.SELF_RULE)
            )


def settle(run: Decision, number: int) -> Target | None:
    """After every change of seats: has the step passed, was it refused, whose turn is it?

    Returns where to go on when it passed; when it was refused the request has ended.
    """
    activation = run.state.activation(number)
    if activation is None:
        return None
    at = run.plan.steps[activation.step]
    if not isinstance(at.step, ApproveStep):
        return None
    refused = _first(activation, SeatState.REJECTED)
    if refused is not None:
        _refuse(run, activation, refused)
        return None
    passing = _passing_seat(activation, anybody=isinstance(at.step.decide, DecideAny))
    if passing is not None:
        return _pass(run, activation, passing, at)
    if isinstance(at.step.decide, DecideInOrder):
        _open_next(run, activation)
    return None


def _first(activation: Activation, state: SeatState) -> Seat | None:
    return next((seat for seat in activation.seats if seat.state is state), None)


def _passing_seat(activation: Activation, *, anybody: bool) -> Seat | None:
    """The approval that carries the step, if it is carried: any one, or the last one of all."""
    approved = [seat for seat in activation.seats if seat.state is SeatState.APPROVED]
    if not approved:
        return None
    if not anybody and any(seat.state in WAITING for seat in activation.seats):
        return None
    return approved[0] if anybody else approved[-1]


def _pass(run: Decision, activation: Activation, passing: Seat, at: PlanStep) -> Target:
    close_seats(run, activation, Reason.SIBLING_DECIDED, passing.number)
    # Only where nobody but the self rule approved, the rule is the reason.
    by_people = bool(run.state.deciders.get(at.id))
    run.emit(
        StepEnded(
            activation=activation.number,
            state=ActivationState.PASSED,
            reason=Reason.HUMAN if by_people else Reason.SELF_RULE,
            outcome="approved",
        )
    )
    return at.after


def _refuse(run: Decision, activation: Activation, refused: Seat) -> None:
    close_seats(run, activation, Reason.SIBLING_DECIDED, refused.number)
    run.emit(
        StepEnded(
            activation=activation.number,
            state=ActivationState.REFUSED,
            reason=Reason.HUMAN,
            outcome="rejected",
        )
    )
    finish(run, InstanceState.REJECTED, Reason.HUMAN, by_seat=refused.number)


def _open_next(run: Decision, activation: Activation) -> None:
    if _first(activation, SeatState.OPEN) is None:
        waiting = _first(activation, SeatState.BLOCKED)
        if waiting is not None:
            run.emit(TaskOpened(seat=waiting.number, version=waiting.version + 1))
