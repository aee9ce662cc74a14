"""What a holder does beside deciding: let others read, see it later, ask for somebody else."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from workflow.engine.acting import note, take_up
from workflow.engine.events import Chosen, CopySent, SubstituteAsked, TaskSnoozed
from workflow.engine.handing import refused
from workflow.engine.rejections import Invalid
from workflow.engine.tallying import READERS
from workflow.forms.findings import Finding, child
from workflow.forms.scalars import moment_text

if TYPE_CHECKING:
    from workflow.engine.commands import AskSubstitute, SendCopy, Snooze
    from workflow.engine.decision import Decision

MOST_READERS = 100
LONGEST_SNOOZE = timedelta(days=366)


def send_copy(run: Decision, command: SendCopy) -> None:
    """Let others read the request; whoever reads it from this step already is left out.

    Raises what `acting.take_up` raises, Invalid (people.required, people.too_many,
    person.unknown at `/to/<number>`, person.already_reads when nobody new is left).
    """
    stand = take_up(run, "copy", command)
    if not command.to:
        raise refused("people.required", "/to")
    if len(command.to) > MOST_READERS:
        finding = Finding("people.too_many", "/to", args={"max": MOST_READERS})
        raise Invalid("people.too_many", findings=(finding,))
    active = {each.id for each in run.facts.people_by_id(command.to) if each.active}
    for place, user in enumerate(command.to):
        if user not in active:
            raise refused("person.unknown", child("/to", place))
    readers = {each.holder for each in stand.activation.seats if each.group == READERS}
    new = [user for user in dict.fromkeys(command.to) if user not in readers]
    if not new:
        raise refused("person.already_reads", "/to")
    for user in new:
        run.emit(
            CopySent(
                activation=stand.activation.number,
                seat=run.state.last_seat + 1,
                why=Chosen(user=user, by="by_hand", of=str(stand.seat.number)),
                comment=command.comment,
            )
        )


def snooze(run: Decision, command: Snooze) -> None:
    """See the task again later; deadlines go on, and the task stays open (acceptance 67).

    Raises what `acting.take_up` raises, Invalid (snooze.bad_moment) unless the moment lies
    within the coming 366 days.
    """
    stand = take_up(run, "snooze", command)
    until = ""
    if command.until is not None:
        if not run.now < command.until <= run.now + LONGEST_SNOOZE:
            raise refused("snooze.bad_moment", "/until")
        until = moment_text(command.until)
    note(run, stand, command.comment)
    run.emit(TaskSnoozed(seat=stand.seat.number, until=until))


def ask_substitute(run: Decision, command: AskSubstitute) -> None:
    """Ask the managers for somebody else for this one task (acceptance 38).

    Raises what `acting.take_up` raises; a comment has to say why.
    """
    stand = take_up(run, "ask-substitute", command)
    run.emit(SubstituteAsked(seat=stand.seat.number, comment=command.comment))
