"""What becomes of each open step when a request goes on by another version of its process.

Theory of operation. Steps are compared by their ids, which survive renames and moves
(approvals.md 3.2, invariant 1). An open step whose place is the same stays as it is, with its
seats, votes, groups and deadlines; one that is gone is closed, and the request goes on where the
old order would have led it next. A block that is gone lets go of the one step that is open in
it. Whatever would make a finished step run again, skip a branch or end the request is no move
but an obstacle with a name: then a manager decides, by a jump (approvals.md 4, tests 81 to 84).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from workflow.engine.flowdoc.steps import (
    ApproveStep,
    ChoiceStep,
    GotoStep,
    HumanStep,
    InclusiveStep,
    ParallelStep,
)
from workflow.engine.moves import Lane, lane_of
from workflow.engine.plan import END, START, Target
from workflow.forms.comparing import dropped_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from workflow.engine.decision import Definition
    from workflow.engine.plan import Plan, PlanStep, Region
    from workflow.engine.state import Activation, State

# kept: as it is. re_evaluated: its seats stay, the new rule counts them now. moved: out of a block
# that is gone. removed: closed, and the request goes on elsewhere. asked_again: nobody was found,
# and the new version asks others. stuck: this request cannot be moved.
What = Literal["kept", "re_evaluated", "moved", "removed", "asked_again", "stuck"]
Why = Literal[
    "", "rule_changed", "people_changed", "step_gone", "step_kind_changed", "step_elsewhere",
    "block_gone", "block_changed", "block_many", "order_ends", "order_again", "branch_new_steps",
]  # fmt: skip
STUCK_WHY: tuple[Why, ...] = (
    "step_elsewhere", "block_changed", "block_many", "order_ends", "order_again",
    "branch_new_steps",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of one open step.

    ``target`` is where the request goes on in ``lane`` when the step is closed; nothing when it
    is not, or when the block around it goes on instead. ``about`` are the steps that the reason
    speaks of, ``passed_over`` steps of the new version that lie behind the request unasked.
    """

    activation: int
    step: str
    what: What
    why: Why = ""
    lane: Lane = field(default_factory=Lane)
    target: Target | None = None
    about: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MovePlan:
    """The fates of all open steps, in the order of their numbers, and what else changes.

    ``dropped`` are fields whose values the new form cannot hold; ``resumes`` says by activation
    to which step it leads straight back from now on ("": to none).
    """

    fates: tuple[Fate, ...]
    dropped: tuple[str, ...] = ()
    resumes: Mapping[int, str] = field(default_factory=dict)

    @property
    def stuck(self) -> tuple[Fate, ...]:
        """Why the request cannot be moved; empty when it can."""
        return tuple(each for each in self.fates if each.what == "stuck")

    def of(self, *what: What) -> tuple[Fate, ...]:
        """The fates of these kinds."""
        return tuple(each for each in self.fates if each.what in what)


def plan_move(old: Definition, new: Definition, state: State) -> MovePlan:
    """The plan for a request that stands in ``state`` and goes by ``old``. Nothing is asked.

    Source: approvals.md 2.11 and 4.7; issue 3, item 9.
    """
    planner = _Planner(old.plan, new.plan, state)
    for activation in state.activations:
        if not activation.within:
            planner.place(activation)
    fates = tuple(sorted(planner.fates, key=lambda each: each.activation))
    return MovePlan(
        fates=fates,
        dropped=dropped_values(old.form, new.form, state.values),
        resumes=planner.resumes(),
    )


class _Planner:
    """Walks the open steps from the root inwards; a block decides about what is inside it."""

    def __init__(self, old: Plan, new: Plan, state: State) -> None:
        self.old, self.new, self.state = old, new, state
        self.fates: list[Fate] = []

    def place(self, activation: Activation) -> None:
        """The fate of a step whose lane stays what it is, and of everything inside it."""
        if activation.step == START:
            self._add(activation, "kept")
        elif activation.branches:
            self._place_block(activation)
        else:
            self._place_step(activation)

    def _place_block(self, block: Activation) -> None:
        before, after = self.old.steps[block.step], self.new.steps.get(block.step)
        if after is None:
            self._dissolve(block)
            return
        if after.lanes != before.lanes or after.step.kind != before.step.kind:
            self._add(block, "stuck", "block_changed", about=(block.step,))
            return
        same = _join_of(before) == _join_of(after)
        self._add(
            block,
            "kept" if same else "re_evaluated",
            "" if same else "rule_changed",
            passed_over=self._in_new_branches(before, after),
        )
        for inner in self.state.activations:
            if inner.within == block.number:
                self.place(inner)

    def _in_new_branches(self, before: PlanStep, after: PlanStep) -> tuple[str, ...]:
        """Steps of branches that this run of the block does not have: it runs those it began."""
        known = {each.id for each in before.branches}
        lanes = {
            (*after.lanes, (after.id, each.id)) for each in after.branches if each.id not in known
        }
        depth = len(after.lanes) + 1
        return tuple(each.id for each in self.new.steps.values() if each.lanes[:depth] in lanes)

    def _dissolve(self, block: Activation) -> None:
        """The block is gone: the one step that is open in it may stand where the block stood."""
        inside = self.state.inside(block.number)
        steps = [each for each in inside if not each.branches]
        known = [each for each in steps if each.step in self.new.steps]
        if not known:
            self._remove(block, "block_gone")
            for inner in inside:
                self._add(inner, "removed", "block_gone")
            return
        only = known[0]
        around = self.old.steps[block.step].lanes
        if not self._is_same(only, around):
            self._add(only, "stuck", "step_elsewhere", about=(only.step,))
        elif len(steps) > 1:
            self._add(block, "stuck", "block_many", about=tuple(each.step for each in steps))
        else:
            for each in (block, *inside):
                if each is not only:
                    self._add(each, "removed", "block_gone")
            self._go_on(only, "moved", "block_gone", lane_of(block))

    def _place_step(self, activation: Activation) -> None:
        before, after = self.old.steps[activation.step], self.new.steps.get(activation.step)
        if after is None:
            self._remove(activation, "step_gone")
        elif after.lanes != before.lanes:
            self._add(activation, "stuck", "step_elsewhere", about=(activation.step,))
        elif after.step.kind != before.step.kind:
            here = Target("step", activation.step)
            self._close(activation, "removed", "step_kind_changed", here)
        elif self._finds_others(activation, before, after):
            here = Target("step", activation.step)
            self._close(activation, "asked_again", "people_changed", here)
        else:
            what, why = _compared(before, after)
            self._go_on(activation, what, why, lane_of(activation))

    def _is_same(self, activation: Activation, lanes: Region) -> bool:
        before, after = self.old.steps[activation.step], self.new.steps[activation.step]
        return after.lanes == lanes and after.step.kind == before.step.kind

    def _finds_others(self, activation: Activation, before: PlanStep, after: PlanStep) -> bool:
        """Nobody was found, so nothing is lost when the new version's people are asked."""
        return (
            isinstance(before.step, HumanStep)
            and not activation.seats
            and _people_of(before) != _people_of(after)
        )

    def _remove(self, activation: Activation, why: Why) -> None:
        """Close a step and go on where the old order leads, as far as the new one knows it."""
        if activation.resume and self._resume_of(activation) == activation.resume:
            there = self.new.steps[activation.resume]
            if there.lanes == self.old.steps[activation.step].lanes:
                self._close(activation, "removed", why, Target("step", there.id))
                return
        target = self._next(activation.step)
        if target.kind == "end":
            self._add(activation, "stuck", "order_ends", about=(activation.step,))
            return
        unasked = self._unasked_in_branch(activation) if target.kind == "join" else ()
        if unasked:
            self._add(activation, "stuck", "branch_new_steps", about=unasked)
        else:
            self._close(activation, "removed", why, target)

    def _next(self, step: str) -> Target:
        """The next step of the old order that the new version has in the same lanes."""
        lanes = self.old.steps[step].lanes
        target = self.old.steps[step].after
        while target.kind == "step":
            found = self.new.steps.get(target.id)
            if found is not None and found.lanes == lanes:
                return target
            target = self.old.steps[target.id].after
        return target

    def _unasked_in_branch(self, activation: Activation) -> tuple[str, ...]:
        """Steps that only the new version has in this branch: to arrive would pass them over."""
        lanes = self.old.steps[activation.step].lanes
        return tuple(
            each.id
            for each in self.new.steps.values()
            if each.lanes[: len(lanes)] == lanes and each.id not in self.old.steps
        )

    def _close(self, activation: Activation, what: What, why: Why, target: Target) -> None:
        again = self._again(activation, ahead(self.new, target))
        if again:
            self._add(activation, "stuck", "order_again", about=again)
            return
        passed = self._passed_over(activation, target.id) if target.kind == "step" else ()
        self._add(activation, what, why, lane_of(activation), target=target, passed_over=passed)

    def _go_on(self, activation: Activation, what: What, why: Why, lane: Lane) -> None:
        """The step stays open, unless a finished one would be asked again after it."""
        again = self._again(activation, ahead(self.new, self.new.steps[activation.step].after))
        if again:
            self._add(activation, "stuck", "order_again", about=again)
            return
        passed = self._passed_over(activation, activation.step)
        self._add(activation, what, why, lane, passed_over=passed)

    def _again(self, activation: Activation, following: Iterable[str]) -> tuple[str, ...]:
        """Finished steps ahead in the new order which in the old one lie behind (test 84)."""
        before = self._ahead_before(activation) | {activation.step}
        rounds = self.state.rounds
        return tuple(step for step in following if rounds.get(step, 0) > 0 and step not in before)

    def _passed_over(self, activation: Activation, at: str) -> tuple[str, ...]:
        before = self._ahead_before(activation)
        return tuple(
            step
            for step in self.new.steps[at].dominators
            if not self.state.rounds.get(step, 0)
            and (step not in self.old.steps or step in before)
            and not isinstance(self.new.steps[step].step, ChoiceStep | GotoStep)
        )

    def _ahead_before(self, activation: Activation) -> set[str]:
        return set(ahead(self.old, self.old.steps[activation.step].after))

    def resumes(self) -> dict[int, str]:
        """Where open steps lead straight back to, for those where that changes."""
        staying = {each.activation for each in self.fates if each.what in _STAYS}
        found: dict[int, str] = {}
        for activation in self.state.activations:
            if activation.resume and activation.number in staying:
                resume = self._resume_of(activation)
                if resume != activation.resume:
                    found[activation.number] = resume
        return found

    def _resume_of(self, activation: Activation) -> str:
        around = self._lanes_after(activation)
        for step in self._and_following(activation.resume):
            found = self.new.steps.get(step)
            if found is not None and found.lanes[: len(around)] == around:
                return step
        return ""

    def _and_following(self, step: str) -> Iterable[str]:
        if step not in self.old.steps:
            return (step,)
        target = self._next(step)
        return (step, target.id) if target.kind == "step" else (step,)

    def _lanes_after(self, activation: Activation) -> Region:
        planned = self.new.steps.get(activation.step) or self.old.steps.get(activation.step)
        return () if planned is None else planned.lanes

    def _add(
        self,
        activation: Activation,
        what: What,
        why: Why = "",
        lane: Lane | None = None,
        *,
        target: Target | None = None,
        about: tuple[str, ...] = (),
        passed_over: tuple[str, ...] = (),
    ) -> None:
        fate = Fate(
            activation=activation.number,
            step=activation.step,
            what=what,
            why=why,
            lane=lane_of(activation) if lane is None else lane,
            target=target,
            about=about,
            passed_over=passed_over,
        )
        self.fates.append(fate)


_STAYS = frozenset({"kept", "re_evaluated", "moved"})


def _compared(before: PlanStep, after: PlanStep) -> tuple[What, Why]:
    """Whether the rule by which people decide is another one; only then it is reckoned anew."""
    if isinstance(before.step, HumanStep) and isinstance(after.step, HumanStep):
        if before.step.decide != after.step.decide or _counts(before) != _counts(after):
            return "re_evaluated", "rule_changed"
        if _people_of(before) != _people_of(after):
            return "kept", "people_changed"
    return "kept", ""


def _counts(planned: PlanStep) -> str:
    return planned.step.reject.counts if isinstance(planned.step, ApproveStep) else ""


def _people_of(planned: PlanStep) -> object:
    step = planned.step
    return (step.who, step.on_empty, step.on_self) if isinstance(step, HumanStep) else None


def _join_of(planned: PlanStep) -> object:
    step = planned.step
    return step.join if isinstance(step, ParallelStep | InclusiveStep) else None


def ahead(plan: Plan, target: Target) -> list[str]:
    """Every step that may still come from here on, without the ways back of gotos."""
    found: dict[str, None] = {}
    joined: set[str] = set()
    waiting = [target]
    while waiting:
        at = waiting.pop()
        if at == END:
            continue
        planned = plan.steps[at.id]
        if at.kind == "join":
            if at.id not in joined:
                joined.add(at.id)
                waiting.append(planned.after)
        elif at.id not in found:
            found[at.id] = None
            waiting += [planned.after, *(branch.first for branch in planned.branches)]
    return list(found)
