"""What lies ahead of one request and may be changed for it alone, and who may do that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from workflow.engine.flowdoc.steps import CopyStep, FinishStep, GotoStep, HumanStep
from workflow.engine.plan import END, START, Target
from workflow.engine.rejections import NotAllowed, NotOpen, Rejection
from workflow.engine.state import InstanceState
from workflow.engine.tallying import READERS

if TYPE_CHECKING:
    from workflow.engine.decision import Definition
    from workflow.engine.flowdoc.people import People
    from workflow.engine.flowdoc.steps import AnyStep
    from workflow.engine.plan import Plan
    from workflow.engine.state import Activation, Seat, State

NOT_YOURS = "edit.not_yours"
Mark = Literal["added", "people"]


@dataclass(frozen=True, slots=True)
class Future:
    """What of a request may be edited now: ids of steps, in the order of the document."""

    insert_after: tuple[str, ...]
    set_people: tuple[str, ...]
    remove: tuple[str, ...]


# Who may -----------------------------------------------------------------------------------------


def why_no_edit(
    definition: Definition, state: State, user: int, *, manager: bool
) -> Rejection | None:
    """Why this person may not edit what comes next now; nothing when he may.

    A manager always may, and so may the holder of an open task whose step has the act
    ``edit_future``; who is only asked for an opinion may not (contract, `edit-future`).
    """
    if not manager and not editing_seats(definition, state, user):
        return NotAllowed(NOT_YOURS)
    if state.status is not InstanceState.RUNNING:
        return NotOpen("instance.not_running", state=state.status.value)
    return NotOpen("instance.paused") if state.paused else None


def editing_seats(definition: Definition, state: State, user: int) -> tuple[Seat, ...]:
    """The open tasks of this person whose step lets its holders edit what comes next."""
    return tuple(
        seat
        for activation in state.activations
        for seat in activation.seats
        if seat.holder == user
        and seat.is_open
        and _lets_edit(definition, activation)
        and not _only_asked(activation, seat)
    )


def _lets_edit(definition: Definition, activation: Activation) -> bool:
    planned = definition.plan.steps.get(activation.step)
    step = planned.step if planned is not None else None
    return isinstance(step, HumanStep) and step.acts.edit_future


def _only_asked(activation: Activation, seat: Seat) -> bool:
    group = activation.group(seat.group)
    return seat.group == READERS or (group is not None and group.place == "delegate")


# What may be edited ------------------------------------------------------------------------------


def future_of(definition: Definition, state: State, base: Definition) -> Future:
    """What may be edited now; ``base`` is the published version that the request began to edit."""
    plan = definition.plan
    around = Around(plan, state, base.plan)
    after = [step for step in plan.steps if not around.why_no_insert(step)]
    return Future(
        insert_after=(*([START] if not around.why_no_insert(START) else []), *after),
        set_people=tuple(step for step in plan.steps if not around.why_not_people(step)),
        remove=tuple(step for step in plan.steps if not around.why_no_removal(step)),
    )


def marks(base: Definition, edited: Definition) -> dict[str, Mark]:
    """In which steps an edited process differs from the published one that it was made of."""
    found: dict[str, Mark] = {}
    for planned in edited.plan.steps.values():
        before = base.plan.steps.get(planned.id)
        if before is None:
            found[planned.id] = "added"
        elif _who(before.step) != _who(planned.step):
            found[planned.id] = "people"
    return found


def _who(step: AnyStep) -> People | None:
    return step.who if isinstance(step, HumanStep | CopyStep) else None


class Around:
    """A request before its plan: what is ahead of it, and why something cannot be edited."""

    def __init__(self, plan: Plan, state: State, base: Plan) -> None:
        self.plan, self.state, self.base = plan, state, base
        self.ahead = _ahead(plan, state)
        # Behind an open step something is put in, unless it leads straight back elsewhere.
        self.open = {each.step for each in state.activations}
        self.anchors = {each.step for each in state.activations if not each.resume}

    def why_no_insert(self, step: str) -> str:
        if step not in self.plan.steps and step != START:
            return "edit.unknown_step"
        if step in self.anchors:
            return "" if self._goes_on(step) else "edit.nothing_follows"
        if step not in self.ahead:
            return "edit.passed"
        return "" if self._goes_on(step) else "edit.nothing_follows"

    def why_not_people(self, step: str) -> str:
        if step not in self.plan.steps:
            return "edit.unknown_step"
        if not isinstance(self.plan.steps[step].step, HumanStep | CopyStep):
            return "edit.asks_nobody"
        return self._why_not_ahead(step)

    def why_no_removal(self, step: str) -> str:
        if step not in self.plan.steps:
            return "edit.unknown_step"
        if step in self.base.steps:
            return "edit.designed"
        return self._why_not_ahead(step)

    def _why_not_ahead(self, step: str) -> str:
        if step in self.open:
            return "edit.open"
        return "" if step in self.ahead else "edit.passed"

    def _goes_on(self, step: str) -> bool:
        planned = self.plan.steps.get(step)
        kind = planned.step if planned is not None else None
        ends = isinstance(kind, FinishStep) or (isinstance(kind, GotoStep) and kind.when is None)
        return not ends


def _ahead(plan: Plan, state: State) -> frozenset[str]:
    """Every step that the request may still come to from where it stands, without ways back."""
    found: set[str] = set()
    joined: set[str] = set()
    blocks = {each.step: each for each in state.activations if each.branches}
    waiting = [to for each in state.activations if not each.branches for to in _next(plan, each)]
    while waiting:
        at = waiting.pop()
        if at == END or at.id not in plan.steps:
            continue
        planned = plan.steps[at.id]
        if at.kind == "join":
            if at.id not in joined:
                joined.add(at.id)
                block = blocks.get(at.id)
                waiting += [planned.after] if block is None else _next(plan, block)
        elif at.id not in found:
            found.add(at.id)
            waiting += [planned.after, *(branch.first for branch in planned.branches)]
    return frozenset(found)


def _next(plan: Plan, activation: Activation) -> list[Target]:
    """Where an open step may lead to; a block that still asks its rules, into its branches."""
    if activation.resume:
        return [Target("step", activation.resume)]
    if activation.step == START:
        return [plan.first]
    planned = plan.steps.get(activation.step)
    if planned is None:
        return []
    inside = [] if activation.branches else [branch.first for branch in planned.branches]
    return [planned.after, *inside]
