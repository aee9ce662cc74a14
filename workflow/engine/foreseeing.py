"""Where a request would go: the path ahead with reasons, and with what nobody can know yet.

Theory of operation. The same conditions and the same people rules are asked as when a request
runs, but in three values: a field that may still be filled in is unknown, and so is whatever
hangs on it. A branch is taken, not taken, or *depends on* the fields that decide it; then all
branches that may still be taken are shown. What follows behind a block is followed once, because
every way through the block leads there. On the way everybody is supposed to approve (`ways`).
Nothing is written and nobody outside is asked.

Filled in completely, the preview says what then happens (approvals.md 5, idea 2): it is the same
evaluator.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from workflow.engine.flowdoc.steps import (
    HttpStep,
    InclusiveStep,
    ParallelStep,
    RuleStep,
    SubflowStep,
)
from workflow.engine.foreseen import Foreseen, ForeseenBranch
from workflow.engine.foreseen_people import approve_all
from workflow.engine.lookahead import changed_by
from workflow.engine.plan import END, START, Target, branches_of
from workflow.engine.settling import step_of
from workflow.engine.walking import Ahead, AsksRule, plain, unsure
from workflow.engine.ways import Way, settled

if TYPE_CHECKING:
    from workflow.engine.decision import Decision
    from workflow.engine.plan import PlanStep
    from workflow.engine.state import Activation, State


def foresee_start(
    run: Decision, *, open_fields: frozenset[str], ask_rule: AsksRule | None = None
) -> tuple[Foreseen, ...]:
    """The whole path of a request that is being filled in.

    ``run.state`` holds what was filled in and picked so far; ``open_fields`` are ids of fields
    that may still get a value, and count as unknown as long as they have none. ``ask_rule`` asks
    a rule at once (decision 9); without it, what rules say is unknown.
    """
    way = Way(settled(run.state), open=open_fields, acts=frozenset({START}), starting=True)
    Ahead(run, ask_rule).walk(run.plan.first, END, way)
    return way.steps()


def foresee(
    run: Decision,
    *,
    open_fields: frozenset[str] = frozenset(),
    ask_rule: AsksRule | None = None,
) -> tuple[Foreseen, ...]:
    """What a running request still has before it, beginning with the steps that are open.

    ``open_fields`` as in `foresee_start`: what whoever acts now may still fill in.
    """
    ahead = _FromWhereItStands(run, ask_rule)
    way = Way(settled(run.state), open=open_fields)
    for each in run.state.activations:
        if each.within == 0:
            ahead.from_open(each, way)
    return way.steps()


class _FromWhereItStands(Ahead):
    """The way of a request that runs: from its open steps."""

    def from_open(self, activation: Activation, way: Way) -> None:
        """An open step, what still runs inside it, and what comes behind it in its lane."""
        at = self.run.plan.steps.get(activation.step)
        lanes = at.lanes if at is not None else ()
        stop = Target("join", lanes[-1][0]) if lanes else END
        if at is None:
            # Back with the initiator: everything is ahead again.
            way.found.append(Foreseen(activation.step, "start", "", now=True))
            way.somebody_acts(self.run.definition, activation.step)
            after = self.run.plan.first
        elif activation.is_asking:
            # What its rules will say is not known; what follows is that of a step ahead.
            self.look_at(at, way)
            way.found[-1] = replace(way.found[-1], now=True)
            after = at.after
        else:
            way.found.append(self._open_step(at, activation, way))
            after = at.after
        if activation.resume:
            after = self._resumed(activation.resume, len(lanes))
        self.walk(after, stop, way)

    def _resumed(self, step: str, lanes: int) -> Target:
        """Straight back to a step; inside a block that was left, the block is entered again."""
        planned = self.run.plan.steps[step]
        return Target("step", step if len(planned.lanes) <= lanes else planned.lanes[lanes][0])

    def _open_step(self, at: PlanStep, activation: Activation, way: Way) -> Foreseen:
        if activation.branches:
            return self._open_block(at, activation, way)
        step = step_of(self.run.plan, activation)
        if step is not None:
            run = way.decision(self.run)
            run.state = _open_in(way, activation)
            approve_all(way, run, activation.number, step, certain=not activation.groups)
            way.keep(run.state)
            way.somebody_acts(self.run.definition, at.id)
        elif isinstance(at.step, HttpStep | RuleStep | SubflowStep):
            way.unsettled |= changed_by(self.run, at)
        return replace(plain(at), now=True)

    def _open_block(self, at: PlanStep, activation: Activation, way: Way) -> Foreseen:
        inside = {
            each.branch: each
            for each in self.run.state.activations
            if each.within == activation.number
        }
        names = {branch.id: branch for branch in branches_of(at.step)}
        lanes: list[Way] = []
        branches: list[ForeseenBranch] = []
        for branch in activation.branches:
            lane = way.fork()
            lane.numbered_from(lanes[-1] if lanes else way)
            lane.beside |= self.changed_beside(at, branch.id)
            if branch.id in inside:
                self.from_open(inside[branch.id], lane)
            elif branch.state == "rejected":
                lane.ended = "branch"
            lanes.append(lane)
            name = names[branch.id].name if branch.id in names else branch.id
            branches.append(ForeseenBranch(branch.id, name, taken=True, steps=lane.steps()))
        if isinstance(at.step, ParallelStep | InclusiveStep) and self.join(
            at, at.step, way, lanes, known=True
        ):
            branches = [replace(each, steps=unsure(each.steps)) for each in branches]
        return replace(plain(at), now=True, branches=tuple(branches))


def _open_in(way: Way, activation: Activation) -> State:
    """The state of a way with one step open in it."""
    return msgspec.structs.replace(way.state, activations=(activation,))
