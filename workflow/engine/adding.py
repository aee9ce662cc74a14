"""People are added to a task before it, after it or beside it, and removed again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.acting import carry_on, stand_before, take_up
from workflow.engine.asking import assign, weight_of
from workflow.engine.events import GroupAdded, PeopleAdded, TaskAssigned, TaskClosed
from workflow.engine.guarding import why_no_place, why_no_removal
from workflow.engine.handing import check_depth, check_receiver, refused
from workflow.engine.rejections import Invalid
from workflow.engine.state import Reason, SeatState
from workflow.engine.tallying import OWN_GROUP, rule_of, rule_of_group
from workflow.forms.findings import Finding, child

if TYPE_CHECKING:
    from workflow.engine.commands import AddSigners, RemoveSigner
    from workflow.engine.decision import Decision
    from workflow.engine.guarding import Stand

# As many as a step may have by itself (`cap`).
MOST_ADDED = 100


def add_signers(run: Decision, command: AddSigners) -> None:
    """Add people to a task (approvals.md 2.5).

    Before: they decide first, and the task waits for them. After: they decide once it was
    approved. With: beside it, with the same say. Raises what `acting.take_up` raises, NotAllowed
    (act.switched_off) for the place, Invalid (people.required, .too_many, .too_deep, or for a
    person at `/people/<number>`).
    """
    before = stand_before(run, command.seat, command.by)
    refusal = why_no_place(command.place, before)
    if refusal is not None and before.seat.holder == command.by:
        raise refusal
    stand = take_up(run, "add-signer", command)
    people = _people(run, stand, command)
    if command.place == "with":
        _beside(run, stand, command, people)
    else:
        _in_a_group(run, stand, command, people)
    carry_on(run, stand.activation.number)


def remove_signer(run: Decision, command: RemoveSigner) -> None:
    """Remove a person who was added; without the last one of a group its seat goes on alone.

    Raises NotOpen, NotAllowed (signer.not_added, signer.not_yours, act.switched_off).
    """
    stand = stand_before(run, command.seat, command.by)
    refusal = why_no_removal(stand, stand.seat, manager=command.manager)
    if refusal is not None:
        raise refusal
    run.emit(
        TaskClosed(
            seat=command.seat,
            version=stand.seat.version + 1,
            reason=Reason.ADMIN if command.manager else Reason.HUMAN,
            removed=True,
            comment=command.comment,
        )
    )
    carry_on(run, stand.activation.number)


def _people(run: Decision, stand: Stand, command: AddSigners) -> tuple[int, ...]:
    if not command.people:
        raise refused("people.required", "/people")
    people = tuple(dict.fromkeys(command.people))
    if len(people) > MOST_ADDED:
        finding = Finding("people.too_many", "/people", args={"max": MOST_ADDED})
        raise Invalid("people.too_many", findings=(finding,))
    if command.place != "with":
        check_depth(stand)
    for user in people:
        at = child("/people", command.people.index(user))
        check_receiver(run, stand, user, at, decides=command.place == "with")
    return people


def _beside(run: Decision, stand: Stand, command: AddSigners, people: tuple[int, ...]) -> None:
    """Where people decide one by one, whoever is added beside comes last."""
    own = stand.seat.group == OWN_GROUP
    group = stand.activation.group(stand.seat.group)
    rule = rule_of(stand.step) if group is None else rule_of_group(group)
    run.emit(
        PeopleAdded(
            seat=stand.seat.number,
            comment=command.comment,
            files=command.files,
            signature=command.signature,
        )
    )
    for user in people:
        seat = TaskAssigned(
            activation=stand.activation.number,
            seat=run.state.last_seat + 1,
            holder=user,
            state=SeatState.BLOCKED if rule.in_order else SeatState.OPEN,
            group=stand.seat.group,
            weight=weight_of(run, stand.step, user) if own else 1,
            origin="added",
            by=stand.user,
        )
        assign(run, seat)


def _in_a_group(run: Decision, stand: Stand, command: AddSigners, people: tuple[int, ...]) -> None:
    activation = stand.activation
    number = len(activation.groups) + 1
    run.emit(
        GroupAdded(
            activation=activation.number,
            group=number,
            seat=stand.seat.number,
            place="before" if command.place == "before" else "after",
            decide=command.decide,
            counts=command.counts,
            comment=command.comment,
            files=command.files,
            signature=command.signature,
        )
    )
    for place, user in enumerate(people):
        waits = command.place == "after" or (command.decide == "in_order" and place > 0)
        seat = TaskAssigned(
            activation=activation.number,
            seat=run.state.last_seat + 1,
            holder=user,
            state=SeatState.BLOCKED if waits else SeatState.OPEN,
            group=number,
            origin="added",
            by=stand.user,
        )
        assign(run, seat)
