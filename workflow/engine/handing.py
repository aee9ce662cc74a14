"""A task goes to another person: for good, or for an opinion that comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine import deadlines
from workflow.engine.acting import carry_on, seen_by, take_up
from workflow.engine.asking import assign
from workflow.engine.events import (
    GroupAdded,
    OpinionGiven,
    TaskAssigned,
    TaskHandedOn,
    TaskReassigned,
)
from workflow.engine.guarding import DEEPEST, too_deep
from workflow.engine.people import excluded_by
from workflow.engine.rejections import Invalid
from workflow.engine.state import Reason, SeatState
from workflow.engine.tallying import OWN_GROUP
from workflow.forms.findings import Finding

if TYPE_CHECKING:
    from workflow.engine.commands import Delegate, HandBack, Transfer
    from workflow.engine.decision import Decision
    from workflow.engine.facts import Person
    from workflow.engine.guarding import Stand
    from workflow.engine.state import Activation, Seat

_DECIDED = frozenset({SeatState.APPROVED, SeatState.REJECTED, SeatState.DONE})


def transfer(run: Decision, command: Transfer) -> None:
    """Give a task to another person for good; the chain of its holders grows.

    Raises what `acting.take_up` raises, and Invalid for the person (see `check_receiver`).
    """
    stand = take_up(run, "transfer", command)
    person = check_receiver(run, stand, command.to, "/to", decides=True)
    due = _due_of_new_holder(run, stand)
    run.emit(
        TaskReassigned(
            seat=stand.seat.number,
            version=stand.seat.version + 1,
            before=stand.seat.holder,
            holder=person.id,
            comment=command.comment,
            reason=Reason.HUMAN,
            files=command.files,
            signature=command.signature,
            due=due,
        )
    )
    if due and stand.step is not None:
        deadlines.watch(run, stand.activation.number, stand.seat.number, due, stand.step)
    carry_on(run, stand.activation.number)


def delegate(run: Decision, command: Delegate) -> None:
    """Ask another person for an opinion; the task waits for it and then comes back.

    Raises what `acting.take_up` raises, and Invalid (people.too_deep, or for the person).
    """
    stand = take_up(run, "delegate", command)
    check_depth(stand)
    person = check_receiver(run, stand, command.to, "/to", decides=False)
    activation = stand.activation
    group = len(activation.groups) + 1
    run.emit(
        TaskHandedOn(
            seat=stand.seat.number,
            version=stand.seat.version + 1,
            comment=command.comment,
            files=command.files,
            signature=command.signature,
        )
    )
    run.emit(
        GroupAdded(
            activation=activation.number, group=group, seat=stand.seat.number, place="delegate"
        )
    )
    seat = TaskAssigned(
        activation=activation.number,
        seat=run.state.last_seat + 1,
        holder=person.id,
        group=group,
        origin="delegated",
        by=stand.user,
    )
    assign(run, seat)
    carry_on(run, activation.number)


def hand_back(run: Decision, command: HandBack) -> None:
    """Give the opinion that one was asked for; everything that comes with it is kept.

    Raises what `acting.take_up` raises.
    """
    stand = take_up(run, "hand-back", command)
    run.emit(
        OpinionGiven(
            seat=stand.seat.number,
            version=stand.seat.version + 1,
            comment=command.comment,
            form=seen_by(run, stand),
            files=command.files,
            signature=command.signature,
        )
    )
    carry_on(run, stand.activation.number)


def check_receiver(run: Decision, stand: Stand, user: int, at: str, *, decides: bool) -> Person:
    """The person who is to get a seat in this step (approvals.md 2.5).

    ``decides``: with the say of the step itself, which the initiator and excluded people do not
    get where the step forbids it. Raises Invalid with a finding at ``at``: `person.unknown`
    (also: disabled), `person.in_chain`, `person.already_holds`, `person.already_decided`,
    `person.is_initiator`, `person.excluded`.
    """
    person = next((each for each in run.facts.people_by_id([user]) if each.active), None)
    if person is None:
        raise refused("person.unknown", at)
    if user in _chain(stand.activation, stand.seat):
        raise refused("person.in_chain", at)
    for seat in stand.activation.seats:
        if seat.holder == user and seat.group >= OWN_GROUP:
            if seat.waits:
                raise refused("person.already_holds", at)
            if seat.state in _DECIDED:
                raise refused("person.already_decided", at)
    if decides:
        _check_say(run, stand, user, at)
    return person


def check_depth(stand: Stand) -> None:
    """Raises Invalid (people.too_deep) when nobody more may be added to this seat."""
    if too_deep(stand):
        raise Invalid("people.too_deep", most=DEEPEST)


def refused(code: str, at: str) -> Invalid:
    """A refusal because of one member of the command."""
    return Invalid(code, findings=(Finding(code, at),))


def _check_say(run: Decision, stand: Stand, user: int, at: str) -> None:
    """The rules about who decides a step hold for whoever gets a say in it later, too."""
    step = stand.step
    if step is None:
        return
    rule = step.on_self or run.plan.doc.policy.on_self
    if user == run.state.initiator and rule in {"forbid", "head"}:
        raise refused("person.is_initiator", at)
    if user in excluded_by(run, step.who, step.id):
        raise refused("person.excluded", at)


def _chain(activation: Activation, seat: Seat) -> set[int]:
    """Everybody who holds or held this seat or one that it was added to."""
    chain: set[int] = set()
    above: Seat | None = seat
    while above is not None:
        chain |= {above.holder, *above.chain}
        group = activation.group(above.group)
        above = activation.seat(group.seat) if group is not None else None
    return chain


def _due_of_new_holder(run: Decision, stand: Stand) -> str:
    """Only a deadline that counts from the assignment begins anew (approvals.md 3.2)."""
    step = stand.step
    if step is None or step.deadline is None or step.deadline.count_from != "assignment":
        return ""
    return deadlines.due_of(run, step)
