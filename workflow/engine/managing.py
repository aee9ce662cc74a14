"""What a manager does to a running request: hand a task over, name somebody, end it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.ending import WAITING, finish
from workflow.engine.events import Commented, InstanceReleased, TaskAssigned, TaskReassigned
from workflow.engine.rejections import Invalid, NotOpen
from workflow.engine.state import Activation, InstanceState, Reason
from workflow.forms.findings import Finding
from workflow.forms.scalars import says_something

if TYPE_CHECKING:
    from workflow.engine.commands import AssignHeld, Comment, Reassign, Terminate
    from workflow.engine.decision import Decision
    from workflow.engine.facts import Person


def reassign(run: Decision, command: Reassign) -> None:
    """Give a waiting seat to another person. The old holder's page becomes stale (version).

    Raises NotOpen, Invalid (reason.required, person.unknown, person.already_holds).
    """
    _require_running(run)
    found = run.state.seat(command.seat)
    if found is None or found[1].state not in WAITING:
        raise NotOpen("task.not_open")
    activation, seat = found
    _require_reason(command.comment)
    person = _person(run, command.to)
    _refuse_second_seat(activation, person)
    run.emit(
        TaskReassigned(
            seat=seat.number,
            version=seat.version + 1,
            before=seat.holder,
            holder=person.id,
            comment=command.comment,
        )
    )


def assign_held(run: Decision, command: AssignHeld) -> None:
    """Name the person for a step that is held because nobody was found.

    Raises NotOpen, Invalid.
    """
    _require_running(run)
    activation = run.state.activation(command.activation)
    if activation is None or activation.seats or run.state.held is None:
        raise NotOpen("step.not_held")
    _require_reason(command.comment)
    person = _person(run, command.to)
    run.emit(Commented(comment=command.comment, step=activation.step))
    run.emit(
        TaskAssigned(activation=activation.number, seat=run.state.last_seat + 1, holder=person.id)
    )
    run.emit(InstanceReleased(activation=activation.number))


def terminate(run: Decision, command: Terminate) -> None:
    """End a running request with a reason. Raises NotOpen, Invalid (reason.required)."""
    _require_running(run)
    _require_reason(command.comment)
    finish(run, InstanceState.TERMINATED, Reason.ADMIN, command.comment)


def comment(run: Decision, command: Comment) -> None:
    """Say something for the record. Raises NotOpen, Invalid (comment.required)."""
    _require_running(run)
    if not says_something(command.comment):
        raise Invalid("comment.required", findings=(Finding("comment.required", "/comment"),))
    run.emit(Commented(comment=command.comment, step=command.step))


def _require_running(run: Decision) -> None:
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
        if seat.holder == person.id and seat.state in WAITING:
            raise Invalid(
                "person.already_holds", findings=(Finding("person.already_holds", "/to"),)
            )
