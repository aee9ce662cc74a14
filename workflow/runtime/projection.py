"""From events to rows: what the task, step and job tables say about a request.

The same fold serves two callers: the one writer, which starts from the state before a command and
writes only what a command touched, and `flow_replay`, which starts from nothing and compares
everything.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workflow.engine.events import (
    AnyEvent,
    CopySent,
    InstanceFinished,
    StepEnded,
    StepEntered,
    TaskApproved,
    TaskAssigned,
    TaskClosed,
    TaskOpened,
    TaskReassigned,
    TaskRejected,
    WorkAsked,
)
from workflow.engine.state import ActivationState, Reason, SeatState, State
from workflow.models import SPAN

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from workflow.engine.decision import Definition


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
    decided_at: datetime | None = None
    decided_by: int | None = None
    reason: str = ""
    closed_by: int | None = None


@dataclass(slots=True)
class JobRow:
    """One automatic step, as `flow_job` has it; ``state`` is pending, done or cancelled."""

    activation: int
    kind: str
    created_at: datetime
    state: str = "pending"


@dataclass(slots=True)
class Projection:
    """Rows touched so far. ``before`` is the state that they start from, if there was one.

    For a row that stood before, only the members that may change are meant to be written; its
    ``created_at`` or ``entered_at`` is the time of this command and is never stored.
    """

    instance_id: int
    definition: Definition
    before: State | None = None
    steps: dict[int, StepRow] = field(default_factory=dict)
    tasks: dict[int, TaskRow] = field(default_factory=dict)
    jobs: dict[int, JobRow] = field(default_factory=dict)
    ended_at: datetime | None = None

    def project(self, events: Iterable[AnyEvent], at: datetime, actor: int | None) -> None:
        """Fold the events of one command, done at ``at`` by ``actor`` (None: a worker)."""
        for event in events:
            self._project(event, at, actor)

    def _project(  # noqa: C901 - one arm per kind of row
        self, event: AnyEvent, at: datetime, actor: int | None
    ) -> None:
        match event:
            case StepEntered():
                self._enter(event, at)
            case TaskAssigned():
                self._seat(event.activation, event.seat, event.holder, event.state, at)
            case CopySent():
                self._seat(event.activation, event.seat, event.holder, SeatState.DONE, at)
            case TaskOpened() | TaskReassigned():
                self._move(event, at)
            case TaskApproved() | TaskRejected() | TaskClosed():
                self._decide(event, at, actor)
            case WorkAsked():
                self.jobs[event.activation] = JobRow(event.activation, event.kind, at)
            case StepEnded():
                self._end(event, at)
            case InstanceFinished():
                self.ended_at = at
            case _:
                # The other events change the state or the history alone.
                pass

    def _enter(self, event: StepEntered, at: datetime) -> None:
        step = self.definition.plan.steps[event.step].step
        self.steps[event.activation] = StepRow(
            number=event.activation,
            step=event.step,
            kind=step.kind,
            round=event.round,
            state=ActivationState.OPEN,
            entered_at=at,
        )

    def _seat(
        self, activation: int, number: int, holder: int, state: SeatState, at: datetime
    ) -> None:
        copy = state is SeatState.DONE
        step = self._step(activation, at).step
        self.tasks[number] = TaskRow(
            number=number,
            activation=activation,
            step=step,
            step_name=self.definition.plan.steps[step].step.name,
            kind="copy" if copy else "decide",
            holder=holder,
            state=state,
            version=1,
            created_at=at,
            decided_at=at if copy else None,
            reason=Reason.AUTO_STEP if copy else "",
        )

    def _move(self, event: TaskOpened | TaskReassigned, at: datetime) -> None:
        row = self._task(event.seat, at)
        row.version = event.version
        if isinstance(event, TaskReassigned):
            row.holder = event.holder
        else:
            row.state = SeatState.OPEN

    def _decide(
        self, event: TaskApproved | TaskRejected | TaskClosed, at: datetime, actor: int | None
    ) -> None:
        row = self._task(event.seat, at)
        states = {TaskApproved: SeatState.APPROVED, TaskRejected: SeatState.REJECTED}
        row.state = states.get(type(event), SeatState.CLOSED)
        row.version = event.version
        row.decided_at = at
        row.decided_by = actor
        row.reason = event.reason
        if isinstance(event, TaskClosed) and event.by_seat:
            row.closed_by = self.instance_id * SPAN + event.by_seat

    def _end(self, event: StepEnded, at: datetime) -> None:
        row = self._step(event.activation, at)
        row.state = event.state
        row.ended_at = at
        if row.kind in {"copy", "auto"}:
            done = event.reason is Reason.AUTO_STEP
            job = self.jobs.setdefault(event.activation, JobRow(event.activation, row.kind, at))
            job.state = "done" if done else "cancelled"

    def _step(self, number: int, at: datetime) -> StepRow:
        row = self.steps.get(number)
        if row is None:
            activation = self.before.activation(number) if self.before else None
            if activation is None:
                message = f"Activation {number} was never entered."
                raise ValueError(message)
            kind = self.definition.plan.steps[activation.step].step.kind
            row = StepRow(
                number=number,
                step=activation.step,
                kind=kind,
                round=activation.round,
                state=ActivationState.OPEN,
                entered_at=at,
            )
            self.steps[number] = row
        return row

    def _task(self, number: int, at: datetime) -> TaskRow:
        row = self.tasks.get(number)
        if row is None:
            found = self.before.seat(number) if self.before else None
            if found is None:
                message = f"Seat {number} was never assigned."
                raise ValueError(message)
            activation, seat = found
            step = self.definition.plan.steps[activation.step].step
            row = TaskRow(
                number=number,
                activation=activation.number,
                step=activation.step,
                step_name=step.name,
                kind="decide",
                holder=seat.holder,
                state=seat.state,
                version=seat.version,
                created_at=at,
            )
            self.tasks[number] = row
        return row
