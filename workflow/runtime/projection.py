"""From events to rows: what the task, step and job tables say about a request.

The same fold serves two callers: the one writer, which starts from the state before a command and
writes only what a command touched, and `flow_replay`, which starts from nothing and compares
everything.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from workflow.engine.events import (
    AnyEvent,
    CopySent,
    InstanceFinished,
    Migrated,
    MigrationUndone,
    OpinionGiven,
    StepEnded,
    StepEntered,
    StepReopened,
    TaskApproved,
    TaskAssigned,
    TaskBlocked,
    TaskClaimed,
    TaskClosed,
    TaskCompleted,
    TaskHandedOn,
    TaskOpened,
    TaskReassigned,
    TaskRejected,
    TaskReleased,
    TaskReturned,
    TaskSnoozed,
    TaskTakenBack,
    TimedOut,
    WorkAsked,
    WorkEnded,
)
from workflow.engine.plan import START
from workflow.engine.state import ActivationState, Reason, SeatState, State, Work
from workflow.models import SPAN
from workflow.published import definition_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from workflow.engine.decision import Definition
    from workflow.engine.state import Activation, Seat

# What a seat becomes by an event that says no more of its row than that.
_BECOMES = {
    TaskOpened: SeatState.OPEN,
    TaskBlocked: SeatState.BLOCKED,
    TaskHandedOn: SeatState.HANDED_ON,
}
# What it becomes by an event that ends it.
_ENDS_AS = {
    TaskApproved: SeatState.APPROVED,
    TaskRejected: SeatState.REJECTED,
    TaskCompleted: SeatState.DONE,
    TaskReturned: SeatState.DONE,
    OpinionGiven: SeatState.OPINION_GIVEN,
    TaskTakenBack: SeatState.TAKEN_BACK,
    TaskClosed: SeatState.CLOSED,
}
_Moving = TaskOpened | TaskBlocked | TaskHandedOn | TaskReassigned | TaskClaimed | TaskReleased
_Ending = (
    TaskApproved
    | TaskRejected
    | TaskCompleted
    | TaskReturned
    | OpinionGiven
    | TaskTakenBack
    | TaskClosed
)


@dataclass(slots=True)
class StepRow:
    """One activation, as `flow_step` has it."""

    number: int
    step: str
    kind: str
    round: int
    state: ActivationState
    entered_at: datetime
    ended_at: datetime | None = None


@dataclass(slots=True)
class TaskRow:
    """One seat, as `flow_task` has it."""

    number: int
    activation: int
    step: str
    step_name: str
    kind: str
    holder: int
    state: SeatState
    version: int
    created_at: datetime
    due_at: datetime | None = None
    snoozed_until: datetime | None = None
    decided_at: datetime | None = None
    decided_by: int | None = None
    reason: str = ""
    closed_by: int | None = None


@dataclass(slots=True)
class JobRow:
    """Work for a worker, as `flow_job` has it; ``state`` is pending, put_off, done, cancelled."""

    number: int
    activation: int
    seat: int
    kind: str
    created_at: datetime
    due_at: datetime
    state: str = "pending"


@dataclass(slots=True)
class Projection:
    """Rows touched so far. ``before`` is the state that they start from, if there was one.

    For a row that stood before, only the members that may change are meant to be written; its
    ``created_at`` or ``entered_at`` is the time of this command and is never stored.
    ``definition`` is the version that the request went by before the events; where it was moved
    to another one, names and kinds are those of the version of that moment.
    """

    instance_id: int
    definition: Definition
    before: State | None = None
    steps: dict[int, StepRow] = field(default_factory=dict)
    tasks: dict[int, TaskRow] = field(default_factory=dict)
    jobs: dict[int, JobRow] = field(default_factory=dict)
    # Steps that had ended and stand again: their decided seats may be spoken of once more.
    reopened: dict[int, Activation] = field(default_factory=dict)
    # Numbers of jobs that a worker carried out; whatever else is over was cancelled.
    carried_out: set[int] = field(default_factory=set)
    # Those of which an event says that nobody needs them any more.
    given_up: set[int] = field(default_factory=set)
    ended_at: datetime | None = None
    # The id of the version that the request was moved to, if it was.
    version_id: int | None = None
    version: Callable[[int], Definition] = definition_of

    def project(self, events: Iterable[AnyEvent], at: datetime, actor: int | None) -> None:
        """Fold the events of one command, done at ``at`` by ``actor`` (None: a worker)."""
        for event in events:
            self._project(event, at, actor)

    def ended_jobs(self, after: State) -> list[int]:
        """Mark what became of the jobs, given the state in the end; who stood before and is over.

        Returns the numbers of jobs that were open before and have to be cancelled now. Those
        that were carried out are closed by the worker's fence in the same transaction.
        """
        open_now = {work.number: work for work in after.work}
        for number, row in self.jobs.items():
            work = open_now.get(number)
            if work is not None:
                row.state = "put_off" if work.put_off else "pending"
            else:
                row.state = "done" if number in self.carried_out else "cancelled"
        before = self.before.work if self.before else ()
        return [
            work.number
            for work in before
            if work.number not in open_now and work.number not in self.carried_out
        ]

    def _project(  # noqa: C901 - one arm per kind of row
        self, event: AnyEvent, at: datetime, actor: int | None
    ) -> None:
        match event:
            case StepEntered():
                self._enter(event, at)
            case StepReopened():
                self._reopen(event.was, at)
            case TaskAssigned() | CopySent():
                self._seat(event, at)
            case TaskSnoozed():
                self._task(event.seat, at).snoozed_until = _moment(event.until)
            case WorkAsked():
                self._ask(event, at)
            case WorkEnded() | TimedOut():
                done = isinstance(event, TimedOut) or event.done
                (self.carried_out if done else self.given_up).add(event.job)
            case StepEnded():
                self._end(event, at)
            case InstanceFinished():
                self.ended_at = at
            case Migrated() | MigrationUndone():
                self.version_id, self.definition = event.new, self.version(event.new)
            case _ if isinstance(event, _Moving):
                self._move(event, at)
            case _ if isinstance(event, _Ending):
                self._decide(event, at, actor)
            case _:
                # The other events change the state or the history alone.
                pass

    def _enter(self, event: StepEntered, at: datetime) -> None:
        before = self.before.activation(event.activation) if self.before else None
        if before is not None or event.activation in self.steps:
            return  # it was entered before, to ask its rules, and goes on with their answers
        self.steps[event.activation] = StepRow(
            number=event.activation,
            step=event.step,
            kind=self._kind(event.step),
            round=event.round,
            state=ActivationState.OPEN,
            entered_at=at,
        )

    def _reopen(self, was: Activation, at: datetime) -> None:
        row = self.steps.get(was.number) or self._step_row(was, at)
        row.state, row.ended_at = ActivationState.OPEN, None
        self.steps[was.number] = row
        self.reopened[was.number] = was
        for seat in was.seats:
            if seat.waits:
                old = self.tasks.get(seat.number)
                fresh = self._task_row(was, seat, old.created_at if old else at)
                if old is not None:
                    fresh.step_name = old.step_name
                self.tasks[seat.number] = fresh

    def _seat(self, event: TaskAssigned | CopySent, at: datetime) -> None:
        copy = isinstance(event, CopySent)
        step = self._step_of(event.activation)
        self.tasks[event.seat] = TaskRow(
            number=event.seat,
            activation=event.activation,
            step=step,
            step_name=self._name(step),
            kind="copy" if copy else "decide",
            holder=event.holder,
            state=SeatState.DONE if isinstance(event, CopySent) else event.state,
            version=1,
            created_at=at,
            due_at=None if isinstance(event, CopySent) else _moment(event.due),
            decided_at=at if copy else None,
            reason=Reason.AUTO_STEP if copy else "",
        )

    def _move(self, event: _Moving, at: datetime) -> None:
        """Whatever happens to a task wakes it: it is no longer snoozed."""
        row = self._task(event.seat, at)
        row.version = event.version
        row.snoozed_until = None
        row.state = _BECOMES.get(type(event), row.state)
        if isinstance(event, TaskReassigned):
            row.holder = event.holder
        if isinstance(event, TaskReassigned | TaskOpened) and event.due:
            row.due_at = _moment(event.due)

    def _decide(self, event: _Ending, at: datetime, actor: int | None) -> None:
        row = self._task(event.seat, at)
        row.state = _ENDS_AS[type(event)]
        row.version = event.version
        row.snoozed_until = None
        row.decided_at = at
        row.decided_by = actor
        row.reason = _reason(event)
        row.closed_by = None
        if isinstance(event, TaskClosed) and event.by_seat:
            row.closed_by = self.instance_id * SPAN + event.by_seat

    def _ask(self, event: WorkAsked, at: datetime) -> None:
        self.jobs[event.number] = JobRow(
            number=event.number,
            activation=event.activation,
            seat=event.seat,
            kind=event.kind,
            created_at=at,
            due_at=_moment(event.due) or at,
        )

    def _end(self, event: StepEnded, at: datetime) -> None:
        row = self.steps.get(event.activation)
        if row is None:
            row = self._step_row(self._activation(event.activation), at)
            self.steps[event.activation] = row
        row.state = event.state
        row.ended_at = at
        if event.reason is Reason.AUTO_STEP:
            asked: list[JobRow | Work] = [
                *self.jobs.values(),
                *(self.before.work if self.before else ()),
            ]
            self.carried_out.update(
                work.number
                for work in asked
                if work.activation == event.activation
                and work.seat == 0
                and work.number not in self.given_up
            )

    def _step_of(self, number: int) -> str:
        row = self.steps.get(number)
        return row.step if row is not None else self._activation(number).step

    def _step_row(self, activation: Activation, at: datetime) -> StepRow:
        return StepRow(
            number=activation.number,
            step=activation.step,
            kind=self._kind(activation.step),
            round=activation.round,
            state=ActivationState.OPEN,
            entered_at=at,
        )

    def _task(self, number: int, at: datetime) -> TaskRow:
        row = self.tasks.get(number)
        if row is None:
            row = self._task_row(*self._seat_before(number), at)
            self.tasks[number] = row
        return row

    def _seat_before(self, number: int) -> tuple[Activation, Seat]:
        for activation in self.reopened.values():
            seat = activation.seat(number)
            if seat is not None:
                return activation, seat
        found = self.before.seat(number) if self.before else None
        if found is None:
            message = f"Seat {number} was never assigned."
            raise ValueError(message)
        return found

    def _task_row(self, activation: Activation, seat: Seat, at: datetime) -> TaskRow:
        return TaskRow(
            number=seat.number,
            activation=activation.number,
            step=activation.step,
            step_name=self._name(activation.step),
            kind="decide",
            holder=seat.holder,
            state=seat.state,
            version=seat.version,
            created_at=at,
            due_at=_moment(seat.due),
        )

    def _activation(self, number: int) -> Activation:
        activation = self.reopened.get(number)
        if activation is None and self.before:
            activation = self.before.activation(number)
        if activation is None:
            message = f"Activation {number} was never entered."
            raise ValueError(message)
        return activation

    def _kind(self, step: str) -> str:
        return START if step == START else self.definition.plan.steps[step].step.kind

    def _name(self, step: str) -> str:
        """The step's name; the start has none of its own, whoever shows it has a word for it."""
        return "" if step == START else self.definition.plan.steps[step].step.name


def _moment(text: str) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _reason(event: _Ending) -> Reason:
    if isinstance(event, TaskApproved | TaskRejected | TaskCompleted | TaskClosed):
        return event.reason
    return Reason.RETURNED if isinstance(event, TaskReturned) else Reason.HUMAN
