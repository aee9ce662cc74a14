"""What follows from each decision for notices, reminders and callbacks, in its transaction.

Called by `workflow.runtime.subscribers` behind every command; what is raised here undoes the
command (seed 001, P29). Commands that only replay or try things out never come here (P16).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from notifications.actions import callback_rows, recording
from notifications.actions.recording import Fresh, Kind
from notifications.reminders import reminder_of
from notifications.seats import Seats
from notifications.step_callbacks import callbacks_of
from notifications.step_notices import notices_of_steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workflow.runtime.subscribers import Happened


def follow(happened: Happened) -> None:
    """Write the notices, reminders and callbacks that follow from one decision.

    One statement when somebody got a task; one more each when whoever did it is rid of a task of
    his own, when a task with a deadline ended, was handed over, or stands again; a few when its
    process posts what happened to somebody.
    """
    seats = Seats.of(happened)
    timed = [reminder_of(seats, each) for each in seats.newly_timed()]
    recording.write(
        [
            *_assigned(seats),
            *notices_of_steps(seats),
            *(each for each in timed if each is not None),
        ]
    )
    handed = [reminder_of(seats, each) for each in seats.handed_over()]
    recording.write_missing([each for each in handed if each is not None])
    if over := seats.over():
        recording.cancel(happened.tenant_id, over)
    if again := seats.again():
        recording.restore(happened.tenant_id, again)
    if happened.actor_id is not None and (gone := seats.let_go()):
        recording.close(happened.tenant_id, happened.actor_id, gone, happened.at)
    callback_rows.write(callbacks_of(happened))


def _assigned(seats: Seats) -> Iterator[Fresh]:
    """One for each new holder, except for whoever did it himself (P4)."""
    happened = seats.happened
    for placed in seats.given():
        if placed.seat.holder != happened.actor_id:
            yield Fresh(
                tenant_id=happened.tenant_id,
                kind=Kind.ASSIGNED.value,
                instance_id=happened.instance_id,
                created_at=happened.at,
                task_id=seats.task_id(placed.seat),
                receiver_id=placed.seat.holder,
                sender_id=happened.actor_id,
            )
