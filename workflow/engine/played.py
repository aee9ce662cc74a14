"""A request of a scenario while it is played: its history, its clock, and the work that is due."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workflow.engine.commands import Answered, ChildBegun, ChildOver, Command, FinishWork, TimeOut
from workflow.engine.decide import decide
from workflow.engine.events import (
    StepEntered,
    TaskApproved,
    TaskAssigned,
    TaskCompleted,
    TaskReassigned,
    TaskRejected,
    WorkAsked,
)
from workflow.engine.flowdoc.steps import ChoiceStep, GotoStep, HttpStep, SubflowStep
from workflow.engine.rejections import Rejection
from workflow.engine.scenario import Answer
from workflow.engine.state import InstanceState
from workflow.forms.scalars import timestamp_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from workflow.engine.decision import Definition
    from workflow.engine.events import AnyEvent
    from workflow.engine.facts import Facts
    from workflow.engine.state import Activation, State, Work
    from workflow.forms.scalars import Value

# A document that loops is told apart from one that is long.
MOST_COMMANDS = 1000
CHILD = "child"
DEADLINE = "deadline"
OUTSIDE = frozenset({"http", "rule", CHILD})


class TooLong(Exception):
    """More commands than any scenario needs: the process runs in a circle."""


@dataclass(slots=True)
class Played:
    """The request. ``facts_at`` gives the organisation as it is at a moment of the fake clock."""

    definition: Definition
    facts_at: Callable[[datetime], Facts]
    answers: Mapping[str, Answer]
    now: datetime
    state: State | None = None
    events: list[AnyEvent] = field(default_factory=list)
    # When each seat was decided last, by its number, and who held each seat.
    decided: dict[int, datetime] = field(default_factory=dict)
    holders: dict[int, int] = field(default_factory=dict)
    # The steps in the order in which they were entered, and whom the process asked in each.
    path: list[str] = field(default_factory=list)
    asked: dict[str, list[int]] = field(default_factory=dict)
    _steps: dict[int, str] = field(default_factory=dict)
    _due: dict[int, datetime] = field(default_factory=dict)
    _given_up: set[int] = field(default_factory=set)
    _commands: int = 0

    @property
    def facts(self) -> Facts:
        return self.facts_at(self.now)

    def give(self, command: Command) -> None:
        """Carry out a command now. Raises a Rejection, and TooLong."""
        self._commands += 1
        if self._commands > MOST_COMMANDS:
            raise TooLong
        run = decide(self.definition, self.state, command, self.facts, self.now)
        self.state = run.state
        self.events.extend(run.events)
        for event in run.events:
            self._notice(event)

    def advance(self, until: datetime) -> None:
        """Let time pass: workers do what is due, each at its own moment. Raises TooLong."""
        while (found := self._next_due(until)) is not None:
            work, due = found
            self.now = max(self.now, due)
            command = self._worker(work)
            if command is None:
                self._given_up.add(work.number)
                continue
            try:
                self.give(command)
            except Rejection:
                # It is over, or nobody needs it any more; no worker would try it again either.
                self._given_up.add(work.number)
        self.now = max(self.now, until)

    def ask_again(self) -> None:
        """Whatever got no answer is asked once more, because the answers have changed."""
        self._given_up.clear()

    def next_due(self) -> datetime | None:
        """When the next work is due that somebody still does; nothing when there is none."""
        if self.state is None or self.state.paused:
            return None
        left = (work for work in self.state.work if work.number not in self._given_up)
        return min((self._due.get(work.number, self.now) for work in left), default=None)

    def unanswered(self) -> str:
        """The first open step that asked outside and got no answer; "" when there is none."""
        if self.state is None:
            return ""
        for work in self.state.work:
            if work.kind in OUTSIDE and work.number in self._given_up:
                return self._steps.get(work.activation, "")
        return ""

    def _next_due(self, until: datetime) -> tuple[Work, datetime] | None:
        if self.state is None or self.state.paused:
            return None
        waiting = [
            (self._due.get(work.number, self.now), work.number, work)
            for work in self.state.work
            if work.number not in self._given_up
        ]
        ready = [each for each in waiting if each[0] <= until]
        if not ready:
            return None
        due, _number, work = min(ready, key=lambda each: each[:2])
        return work, due

    def _worker(self, work: Work) -> Command | None:
        if work.kind == DEADLINE:
            return TimeOut(work.number)
        if work.kind not in OUTSIDE:
            return FinishWork(work.activation)
        step = self._steps.get(work.activation, "")
        answer = self.answers.get(step) or self._needs_none(step)
        if answer is None:
            return None
        if work.kind == CHILD:
            return self._child(work, step, answer)
        asking = self.state.activation(work.activation) if self.state is not None else None
        if asking is not None and asking.is_asking:
            return self._of_rules(asking, answer)
        return Answered(work.activation, answer.ok, answer.values if answer.ok else {})

    def _of_rules(self, asking: Activation, answer: Answer) -> Command | None:
        """What the scenario has each rule say, by its key; nothing where it leaves one out."""
        if not answer.ok:
            return Answered(asking.number, ok=False)
        if any(each.rule not in answer.values for each in asking.asks):
            return None
        said = {(each.rule, each.pinned): answer.values[each.rule] for each in asking.asks}
        return Answered(asking.number, ok=True, rules=said)

    def _needs_none(self, step: str) -> Answer | None:
        """Steps that do not wait for an answer go on without one."""
        found = self.definition.plan.steps[step].step
        fires = isinstance(found, HttpStep) and found.mode == "fire"
        leaves = isinstance(found, SubflowStep) and not found.wait
        return Answer() if fires or leaves else None

    def _child(self, work: Work, step: str, answer: Answer) -> Command:
        number = f"{step}-{work.number}"
        found = self.definition.plan.steps[step].step
        if isinstance(found, SubflowStep) and not found.wait:
            return ChildBegun(work.number, work.number, number)
        result = InstanceState.APPROVED if answer.ok else InstanceState.REJECTED
        values = {name: _value(given) for name, given in answer.values.items()}
        return ChildOver(work.number, work.number, number, result, values)

    def _notice(self, event: AnyEvent) -> None:
        match event:
            case StepEntered():
                if event.activation not in self._steps and not self._only_leads(event.step):
                    self.path.append(event.step)
                self._steps[event.activation] = event.step
            case WorkAsked():
                self._due[event.number] = timestamp_of(event.due) or self.now
            case TaskAssigned():
                self.holders[event.seat] = event.holder
                if event.origin in {"designed", "substitute"}:
                    people = self.asked.setdefault(self._steps[event.activation], [])
                    people.append(event.holder)
            case TaskReassigned():
                self.holders[event.seat] = event.holder
            case TaskApproved() | TaskRejected() | TaskCompleted():
                self.decided[event.seat] = self.now
            case _:
                pass

    def _only_leads(self, step: str) -> bool:
        """A choice or a goto is no station of the path, also where it waits for rules."""
        planned = self.definition.plan.steps.get(step)
        return (
            planned is not None
            and bool(planned.questions)
            and isinstance(planned.step, ChoiceStep | GotoStep)
        )


def _value(given: object) -> Value:
    """A value of the other form; what no form can hold is no value."""
    if isinstance(given, list):
        return tuple(each for each in given if isinstance(each, str))
    return given if isinstance(given, str | int) else None
