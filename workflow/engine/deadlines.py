"""When a seat or a delay is due, and the durable row that watches a seat's deadline.

A moment is fixed once, when it begins to count, and stands in the history; pausing and resuming
never move it (approvals.md 3.2, Deadline). What cannot be reckoned is an incident with a name, and
the step goes on without it: a value that is no number of minutes means no deadline, a working
calendar that is not there means the wall clock.
"""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from workflow.engine.events import InstanceHeld, WorkAsked, WorkEnded
from workflow.engine.flowdoc.durations import LONGEST_MINUTES, MINUTE, seconds_of
from workflow.engine.flowdoc.steps import DelayStep
from workflow.forms.scalars import date_of, moment_text, timestamp_of

if TYPE_CHECKING:
    from workflow.engine.decision import Decision
    from workflow.engine.flowdoc.rules import Deadline, FieldRef
    from workflow.engine.flowdoc.steps import AnyStep, HumanStep
    from workflow.engine.state import Activation
    from workflow.forms.scalars import Value

DEADLINE = "deadline"
WALL = "wall"
BAD_VALUE = "deadline.bad_value"
UNKNOWN_CALENDAR = "calendar.unknown"
NO_HOURS = "calendar.no_hours"

_LAST_SECOND = time(23, 59, 59)
_SECOND = timedelta(seconds=1)


def due_of(run: Decision, step: HumanStep, *, entered: datetime | None = None) -> str:
    """When a seat of this step is due that begins to count now: RFC 3339 in UTC, "" for never.

    ``entered`` (aware) is when the step was entered, for whoever knows it; without it, a seat
    that counts from the entry is due when its siblings are. Nothing is emitted: `watch` names
    what could not be reckoned. Source: approvals.md 3.2, Deadline; seed requirements P8, P9.
    """
    deadline = step.deadline
    if deadline is None:
        return ""
    if deadline.count_from == "entry" and entered is None:
        fixed = _due_of_siblings(run, step.id)
        if fixed is not None:
            return fixed
    start = run.now if entered is None or deadline.count_from != "entry" else entered
    return _reckoned(run, deadline, start)[0]


def watch(run: Decision, activation: int, seat: int, due: str, step: HumanStep) -> None:
    """Let a worker look at this seat when it is due, if anything follows from its deadline.

    A new watch ends the one before. A delegate's seat is not watched: the deadline is that of
    whoever asked him. A deadline that could not be reckoned becomes an incident of the step.
    """
    deadline = step.deadline
    if deadline is None:
        return
    _name_trouble(run, activation, _reckoned(run, deadline, run.now)[1])
    before = run.state.work_of(activation, seat)
    if before is not None:
        run.emit(WorkEnded(job=before.number, done=False))
    found = run.state.seat(seat)
    delegate = found is not None and found[1].origin == "delegated"
    if due and deadline.then != "none" and not delegate:
        run.emit(
            WorkAsked(
                activation=activation,
                kind=DEADLINE,
                job=run.state.last_job + 1,
                seat=seat,
                due=due,
            )
        )


def due_of_work(run: Decision, step: AnyStep) -> str:
    """When the work of an automatic step is due: RFC 3339 in UTC, "" for at once.

    Only a delay waits. A moment that has passed is at once; so is a field without a value, which
    the worker then finds (`working.finish_work`). Asked while the step is open.
    """
    if not isinstance(step, DelayStep):
        return ""
    if step.for_ is not None:
        clock = step.clock or run.plan.doc.policy.clock
        moment, trouble = _after(run, clock, run.now, seconds_of(step.for_) or 0)
        open_now = _activation_of(run, step.id)
        if open_now is not None:
            _name_trouble(run, open_now.number, trouble)
        return _written(moment)
    until = delay_until(run, step)
    return _written(until) if until is not None and until > run.now else ""


def delay_until(run: Decision, step: DelayStep) -> datetime | None:
    """The fixed moment that a delay waits for; None for a length of time or an empty field.

    A date is the first moment of that day in UTC.
    """
    if step.until is not None:
        return timestamp_of(step.until)
    if step.until_field is None:
        return None
    value = run.state.values.get(step.until_field)
    day = date_of(value)
    if day is not None:
        return datetime.combine(day, time.min, UTC)
    return timestamp_of(value)


def _due_of_siblings(run: Decision, step_id: str) -> str | None:
    """What counts from the entry was fixed by the first seat; None while there is no such seat.

    Blocked seats say nothing: they had no moment of their own yet.
    """
    activation = _activation_of(run, step_id)
    seats = () if activation is None else activation.seats
    dues = {seat.due for seat in seats if seat.due}
    if dues:
        return min(dues)
    began = any(seat.group >= 0 and seat.state != "blocked" for seat in seats)
    return "" if began else None


def _activation_of(run: Decision, step_id: str) -> Activation | None:
    """The open activation of a step, the latest one if there should be several."""
    open_now = [each for each in run.state.activations if each.step == step_id]
    return open_now[-1] if open_now else None


def _reckoned(run: Decision, deadline: Deadline, start: datetime) -> tuple[str, str]:
    """The moment, and the code of what was wrong on the way to it ("": nothing)."""
    if isinstance(deadline.after, str):
        seconds = seconds_of(deadline.after) or 0
    else:
        value = _value(run, deadline.after)
        moment = _moment(value)
        if moment is not None:
            return _written(moment), ""
        if value is not None and not _is_minutes(value):
            return "", BAD_VALUE
        seconds = value * MINUTE if isinstance(value, int) else 0
    if not seconds:
        return "", ""
    due, trouble = _after(run, deadline.clock, start, seconds)
    return _written(due), trouble


def _value(run: Decision, after: FieldRef) -> Value:
    return run.state.values.get(after.field)


def _moment(value: Value) -> datetime | None:
    """A field may name the moment itself; a date means until the end of that day in UTC."""
    day = date_of(value)
    if day is not None:
        return datetime.combine(day, _LAST_SECOND, UTC)
    return timestamp_of(value)


def _is_minutes(value: Value) -> bool:
    """Whole minutes, 0 to 525600 (P8); True is no number."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LONGEST_MINUTES


def _after(run: Decision, clock: str, start: datetime, seconds: int) -> tuple[datetime, str]:
    """So many seconds later by the wall clock or a working calendar of the tenant."""
    wall = start + timedelta(seconds=seconds)
    if clock == WALL:
        return wall, ""
    calendar = run.facts.working_time(clock)
    if calendar is None:
        return wall, UNKNOWN_CALENDAR
    try:
        return calendar.add(start, seconds), ""
    except ValueError:
        # The calendar's own word for having too few hours for this length of time.
        return wall, NO_HOURS


def _name_trouble(run: Decision, activation: int, code: str) -> None:
    """Once, and not over an incident that people wait for."""
    if code and activation not in run.state.incidents:
        run.emit(InstanceHeld(activation=activation, code=code))


def _written(moment: datetime) -> str:
    """In whole seconds, rounded up: nobody is late before the time he was given has passed."""
    whole = moment.replace(microsecond=0)
    return moment_text(whole if whole == moment else whole + _SECOND)
