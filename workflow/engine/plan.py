"""A process document compiled into what the engine walks along: one flat row for each step.

Theory of operation. The document is a tree of sequences. Where a request goes after a step is
fixed by the tree alone: to the next step of the same sequence, or, after the last one, to where
the sequence as a whole goes on. A branch of a choice goes on where the choice does; a branch of a
parallel or inclusive block arrives at the block's join, and the block goes on from there; the
root goes to the end. What dominates a step is what every way from the start to it passes: the
steps before it in its own sequence, and for each block around it the block and the steps before
it. Only these may be returned to.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec

from workflow.engine.flowdoc import Branch, ChoiceStep, InclusiveStep, ParallelStep
from workflow.engine.questions import questions_of
from workflow.forms.findings import child

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from workflow.engine.flowdoc import AnyStep, Flowdoc
    from workflow.engine.questions import Question

# Ids of the block and of its branch, from the root inwards.
Region = tuple[tuple[str, str], ...]


class Target(NamedTuple):
    """Where a request goes on: at a step, at the join of a block, or at the end (id "")."""

    kind: Literal["step", "join", "end"]
    id: str


END = Target("end", "")
# The step that stands for filing: a request that goes back to its initiator is there again.
START = "start"


@dataclass(frozen=True, slots=True)
class PlanBranch:
    """A branch and where a request that takes it goes first."""

    id: str
    first: Target


@dataclass(frozen=True, slots=True)
class PlanStep:
    """A step and what the tree says about it.

    `after`: where the request goes on when the step (for a block: the whole block) is done.
    `dominators`: ids of the steps that every way from the start passes, nearest last, without
    the start itself. `number`: from 1, in document order. `at`: JSON Pointer of the step.
    `lanes`: the region without choices, that is the blocks whose branches run side by side.
    `questions`: what rules are asked before the step goes on.
    """

    id: str
    step: AnyStep
    after: Target
    region: Region
    dominators: tuple[str, ...]
    branches: tuple[PlanBranch, ...]
    number: int
    at: str
    lanes: Region = ()
    questions: tuple[Question, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """The compiled document; `steps` by id, in document order, and `first` where it begins."""

    doc: Flowdoc
    steps: Mapping[str, PlanStep]
    first: Target


class _Sequence:
    """A list of steps that is being walked: the next one's index, and what is known around it."""

    __slots__ = ("at", "before", "lanes", "next", "region", "steps", "then")

    def __init__(
        self,
        steps: tuple[AnyStep, ...],
        then: Target,
        at: str,
        region: Region,
        before: tuple[str, ...],
        lanes: Region = (),
    ) -> None:
        self.steps = steps
        self.then = then
        self.at = at
        self.region = region
        self.before = before
        self.lanes = lanes
        self.next = 0


def compile_plan(doc: Flowdoc) -> Plan:
    """The plan of a valid document (approvals 3.2, invariant 14).

    Raises ValueError when two steps have one id, which validation refuses.
    """
    steps: dict[str, PlanStep] = {}
    for each in walk(doc):
        if each.id in steps:
            message = f"two steps are called {each.id}"
            raise ValueError(message)
        steps[each.id] = each
    return Plan(doc, MappingProxyType(steps), first_of(doc.steps, END))


def walk(doc: Flowdoc) -> Iterator[PlanStep]:
    """Every step in document order, also of a document that is not valid (ids may repeat)."""
    number = 0
    open_sequences = [_Sequence(doc.steps, END, "/steps", (), ())]
    while open_sequences:
        sequence = open_sequences[-1]
        if sequence.next >= len(sequence.steps):
            open_sequences.pop()
            continue
        number += 1
        placed = _place(sequence, number)
        yield placed
        sequence.next += 1
        sequence.before = (*sequence.before, placed.id)
        inner = [
            _inside(placed, sequence.before, index, branch)
            for index, branch in enumerate(branches_of(placed.step))
        ]
        open_sequences.extend(reversed(inner))


def branches_of(step: AnyStep) -> tuple[Branch, ...]:
    """The branches of a block; none for any other step."""
    if isinstance(step, ChoiceStep | ParallelStep | InclusiveStep):
        return step.branches
    return ()


def first_of(steps: tuple[AnyStep, ...], then: Target) -> Target:
    """Where a sequence begins; an empty one begins where it goes on."""
    return Target("step", steps[0].id) if steps else then


def plan_digest(plan: Plan) -> str:
    """SHA-256 of the flat rows, stored with the version: nodes, edges, regions, dominators."""
    rows = [
        (
            each.id,
            each.step.kind,
            each.after,
            each.region,
            each.dominators,
            [(branch.id, branch.first) for branch in each.branches],
        )
        for each in plan.steps.values()
    ]
    return hashlib.sha256(msgspec.json.encode((plan.first, rows))).hexdigest()


def _place(sequence: _Sequence, number: int) -> PlanStep:
    step = sequence.steps[sequence.next]
    after = first_of(sequence.steps[sequence.next + 1 :], sequence.then)
    inner = _after_branches(step, after)
    return PlanStep(
        id=step.id,
        step=step,
        after=after,
        region=sequence.region,
        dominators=sequence.before,
        branches=tuple(
            PlanBranch(branch.id, first_of(branch.steps, inner)) for branch in branches_of(step)
        ),
        number=number,
        at=child(sequence.at, sequence.next),
        lanes=sequence.lanes,
        questions=questions_of(step),
    )


def _inside(placed: PlanStep, before: tuple[str, ...], index: int, branch: Branch) -> _Sequence:
    return _Sequence(
        steps=branch.steps,
        then=_after_branches(placed.step, placed.after),
        at=child(child(child(placed.at, "branches"), index), "steps"),
        region=(*placed.region, (placed.id, branch.id)),
        before=before,
        lanes=(
            placed.lanes
            if isinstance(placed.step, ChoiceStep)
            else (*placed.lanes, (placed.id, branch.id))
        ),
    )


def _after_branches(step: AnyStep, after: Target) -> Target:
    return after if isinstance(step, ChoiceStep) else Target("join", step.id)
