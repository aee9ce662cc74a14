"""What went into a past request, read from its history: values, picks, decisions, answers.

Theory of operation. Only inputs are taken, each with the step and the round in which it was
given: what was filled in, who was picked, what people decided and what they changed in the form,
what others answered to an automatic step, whom a manager named. What the process made of them is
kept apart as the trace: the steps that were entered, in the order of their lanes, since branches
that run side by side interleave by chance.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from workflow.engine.children import plain
from workflow.engine.events import (
    BranchTaken,
    ChildEnded,
    FormChanged,
    GotoDecided,
    InstanceFinished,
    InstanceStarted,
    Picked,
    RulesAnswered,
    StepEnded,
    StepEntered,
    StepReopened,
    TaskApproved,
    TaskAssigned,
    TaskClaimed,
    TaskCompleted,
    TaskRejected,
    TaskReturned,
    TaskTakenBack,
    WentBack,
)
from workflow.engine.evolve import evolve
from workflow.engine.state import ActivationState, Reason

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from workflow.engine.events import AnyEvent
    from workflow.engine.state import InstanceState, State
    from workflow.forms.scalars import Value

# A step in one of its rounds.
Place = tuple[str, int]
# From the root inwards: the blocks around a lane, each with its branch.
LaneKey = tuple[tuple[str, int, str], ...]
Verdict = Literal["approve", "reject", "complete", "return"]

_VERDICTS: dict[type[Any], Verdict] = {
    TaskApproved: "approve",
    TaskRejected: "reject",
    TaskCompleted: "complete",
    TaskReturned: "return",
}
_BY_PEOPLE = frozenset({Reason.HUMAN, Reason.TIMEOUT})
# What may stand between a change of the form and the decision that it came with.
_OF_ONE_DECISION = (Picked, TaskClaimed)


@dataclass(slots=True)
class PastDecision:
    """One decision: the verdict, for whom the task was, and what it changed in the form.

    ``order`` counts all decisions of the request; ``to`` and ``resume`` are those of a return.
    """

    verdict: Verdict
    by: int
    seat: int
    order: int
    comment: str = ""
    changes: Mapping[str, Value] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    signature: str = ""
    to: str = ""
    resume: Literal["forward", "here"] = "forward"


@dataclass(frozen=True, slots=True)
class PastAnswer:
    """How a step that asks outside ended, and the values that the request had then."""

    outcome: str
    values: Mapping[str, Value]
    variables: Mapping[str, Value]
    children: tuple[InstanceState, ...] = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """The steps in the order of their lanes, who was asked in each, the branches, and the end.

    ``result`` is how the process itself ended the request; "" while it runs, and when a person
    called it off.
    """

    path: tuple[str, ...] = ()
    people: Mapping[str, frozenset[int]] = field(default_factory=dict)
    branches: tuple[str, ...] = ()
    result: str = ""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What went into a past request, and the trace it left.

    ``stood_at`` are the steps that were open at its end, or were closed because nobody needed
    them any more: there nobody decided any further. ``held_at``: those of them with an incident.
    ``rules`` are what the rules of a step said, by key and version named (0: the newest).
    ``trouble`` says why it cannot be replayed at all, if it cannot.
    """

    initiator: int
    number: str
    values: Mapping[str, Value]
    picked: Mapping[str, Sequence[int]]
    decisions: Mapping[Place, Sequence[PastDecision]]
    answers: Mapping[Place, PastAnswer]
    named: Mapping[Place, int]
    stood_at: frozenset[Place]
    held_at: frozenset[Place]
    trace: Trace
    trouble: str = ""
    rules: Mapping[Place, Mapping[tuple[str, int], object]] = field(default_factory=dict)


def inputs_of(history: Sequence[AnyEvent]) -> Inputs:
    """The recorded inputs of one request. Raises TypeError unless it begins with a start."""
    started = history[0] if history else None
    if not isinstance(started, InstanceStarted):
        message = "A history begins with instance_started."
        raise TypeError(message)
    reading = _Reading(evolve(None, started))
    for event in history[1:]:
        reading.take(event)
    reading.finish()
    return Inputs(
        initiator=started.initiator,
        number=started.number,
        values=started.values,
        picked=reading.picked,
        decisions=reading.decisions,
        answers=reading.answers,
        named=reading.named,
        stood_at=frozenset(reading.stood_at),
        held_at=frozenset(reading.held_at),
        trace=trace_of(history),
        trouble=reading.trouble,
        rules=reading.rules,
    )


class _Reading:
    """The walk along a history."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.stood_at: set[Place] = set()
        self.held_at: set[Place] = set()
        self.picked: dict[str, tuple[int, ...]] = {}
        self.decisions: dict[Place, list[PastDecision]] = {}
        self.answers: dict[Place, PastAnswer] = {}
        self.named: dict[Place, int] = {}
        self.rules: dict[Place, dict[tuple[str, int], object]] = {}
        self.children: dict[int, list[InstanceState]] = {}
        self.trouble = ""
        self._changes: Mapping[str, Value] = {}
        self._returned: PastDecision | None = None
        self._count = 0

    def take(self, event: AnyEvent) -> None:
        """Note what this event brought in, then fold it."""
        if isinstance(event, FormChanged):
            self._changes = event.changes
        elif not isinstance(event, _OF_ONE_DECISION):
            self._note(event)
            self._changes = {}
        elif isinstance(event, Picked):
            self.picked[event.step] = event.people
        self.state = evolve(self.state, event)

    def finish(self) -> None:
        """What is open at the end of the history stood there."""
        for each in self.state.activations:
            place = (each.step, each.round)
            self.stood_at.add(place)
            if each.number in self.state.incidents:
                self.held_at.add(place)

    def _note(self, event: AnyEvent) -> None:
        match event:
            case TaskApproved() | TaskRejected() | TaskCompleted() | TaskReturned():
                self._decided(event)
            case StepEnded():
                self._ended(event)
            case StepEntered():
                self._entered(event)
            case RulesAnswered():
                self._heard(event)
            case _:
                self._note_rest(event)

    def _note_rest(self, event: AnyEvent) -> None:
        match event:
            case TaskTakenBack():
                for each in self.decisions.values():
                    each[:] = [one for one in each if one.seat != event.seat]
            case TaskAssigned(origin="named"):
                place = self._place(event.activation)
                if place is not None:
                    self.named[place] = event.holder
            case ChildEnded() if event.counts != "again":
                self.children.setdefault(event.activation, []).append(event.result)
            case WentBack(reason=Reason.ADMIN):
                self.trouble = "jumped"
            case _:
                pass

    def _decided(self, event: TaskApproved | TaskRejected | TaskCompleted | TaskReturned) -> None:
        found = self.state.seat(event.seat)
        if found is None or getattr(event, "reason", Reason.HUMAN) not in _BY_PEOPLE:
            return
        activation, seat = found
        if seat.group or seat.origin in {"added", "delegated"}:
            return  # asked by somebody of the step, not by the process
        self._count += 1
        decision = PastDecision(
            _VERDICTS[type(event)],
            seat.chain[0] if seat.chain else seat.holder,
            event.seat,
            self._count,
            event.comment,
            self._changes,
            event.files,
            event.signature,
            getattr(event, "to", ""),
        )
        if decision.verdict == "return":
            self._returned = decision
        self.decisions.setdefault((activation.step, activation.round), []).append(decision)

    def _entered(self, event: StepEntered) -> None:
        if self._returned is not None and event.resume:
            self._returned.resume = "here"
        self._returned = None

    def _heard(self, event: RulesAnswered) -> None:
        place = self._place(event.activation)
        if place is not None:
            self.rules[place] = {(each.rule, each.pinned): each.value for each in event.answers}

    def _ended(self, event: StepEnded) -> None:
        place = self._place(event.activation)
        if place is not None and event.state is ActivationState.CLOSED:
            self.stood_at.add(place)
            if event.activation in self.state.incidents:
                self.held_at.add(place)
        elif place is not None:
            self.answers[place] = PastAnswer(
                event.outcome,
                self.state.values,
                self.state.variables,
                tuple(self.children.get(event.activation, ())),
            )

    def _place(self, number: int) -> Place | None:
        activation = self.state.activation(number)
        return None if activation is None else (activation.step, activation.round)


def trace_of(history: Sequence[AnyEvent]) -> Trace:
    """What the process made of its inputs."""
    entered: dict[int, StepEntered] = {}
    people: dict[str, set[int]] = {}
    branches: list[str] = []
    # A choice or a goto that waited for rules was entered, and is no station all the same.
    leading: set[str] = set()
    result = ""
    for event in history:
        match event:
            case StepEntered():
                entered[event.activation] = event
            case StepReopened():
                # What had followed from the decision that was taken back did not count.
                last = event.was.number
                entered = {number: each for number, each in entered.items() if number <= last}
            case TaskAssigned(origin="designed" | "substitute") if event.activation in entered:
                step = entered[event.activation].step
                people.setdefault(step, set()).add(event.absent or event.holder)
            case BranchTaken():
                branches.append(f"{event.step}/{event.branch}")
                leading.add(event.step)
            case GotoDecided():
                leading.add(event.step)
            case InstanceFinished() if event.reason not in {Reason.ADMIN, Reason.CANCELLED}:
                result = event.result.value
            case _:
                pass
    return Trace(
        tuple(
            _in_order_of_lanes(
                {
                    number: each
                    for number, each in entered.items()
                    if each.branches or each.step not in leading
                }
            )
        ),
        {step: frozenset(users) for step, users in people.items()},
        tuple(branches),
        result,
    )


def _in_order_of_lanes(entered: Mapping[int, StepEntered]) -> list[str]:
    """The steps as a tree walk gives them: a block, then each of its branches."""
    lanes: dict[tuple[int, str], list[int]] = {}
    for number, event in entered.items():
        lanes.setdefault((event.within, event.branch), []).append(number)

    def walk(lane: tuple[int, str]) -> list[str]:
        found: list[str] = []
        for number in lanes.get(lane, ()):
            event = entered[number]
            found.append(event.step)
            for branch in sorted(event.branches):
                found += walk((number, branch))
        return found

    return walk((0, ""))


def as_given(values: Mapping[str, Value]) -> dict[str, object]:
    """Stored values as the plain JSON that a person would have sent."""
    return {name: plain(value) for name, value in values.items()}
