"""The reminder of a task, made when its deadline begins to count."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from notifications.actions.recording import Fresh, Kind
from notifications.ladders import ladder, needs_clock, needs_start
from workflow.engine.deadlines import WALL
from workflow.models import SPAN, Step, Task
from workflow.runtime.facts import Organisation

if TYPE_CHECKING:
    from notifications.ladders import Adds
    from notifications.seats import Placed, Seats
    from workflow.engine.flowdoc.rules import Deadline


def reminder_of(seats: Seats, placed: Placed) -> Fresh | None:
    """The row that waits until this task is to be reminded of; nothing when its step does not.

    The moments are fixed now; who is told is found when one has come (seed 001, P9 and P32).
    """
    happened, deadline = seats.happened, seats.deadline_of(placed)
    if deadline is None or not deadline.remind:
        return None
    start = happened.at
    if needs_start(deadline):
        start = _start(seats, placed, deadline)
    rungs = ladder(
        deadline,
        start=start,
        due=datetime.fromisoformat(placed.seat.due),
        add=_clock(seats, deadline),
    )
    (moment, recipients), *later = rungs
    task_id = seats.task_id(placed.seat)
    return Fresh(
        tenant_id=happened.tenant_id,
        kind=Kind.TIMEOUT.value,
        instance_id=happened.instance_id,
        created_at=happened.at,
        task_id=task_id,
        reminder_key=str(task_id),
        scheduled_at=moment,
        recipients=recipients,
        later=[(moment.isoformat(), words) for moment, words in later],
    )


def _start(seats: Seats, placed: Placed, deadline: Deadline) -> datetime:
    """When the deadline began to count; read only where it began before this decision."""
    happened, number = seats.happened, placed.seat.number
    old = seats.before.get(number)
    if old is not None and old.seat.due == placed.seat.due:
        rows = Task.objects.filter(pk=seats.task_id(placed.seat))
        return rows.values_list("created_at", flat=True).get()
    if deadline.count_from == "entry":
        pk = happened.instance_id * SPAN + placed.activation.number
        return Step.objects.values_list("entered_at", flat=True).get(pk=pk)
    return happened.at


def _clock(seats: Seats, deadline: Deadline) -> Adds:
    """How the deadline's clock reckons. Without its calendar, or hours in it, by the wall."""
    if deadline.clock == WALL or not needs_clock(deadline):
        return _by_the_wall
    calendar = Organisation(seats.happened.tenant_id, seats.happened.at).working_time(
        deadline.clock
    )
    if calendar is None:
        return _by_the_wall

    def add(start: datetime, seconds: int) -> datetime:
        try:
            return calendar.add(start, seconds)
        except ValueError:
            return _by_the_wall(start, seconds)

    return add


def _by_the_wall(start: datetime, seconds: int) -> datetime:
    return start + timedelta(seconds=seconds)
