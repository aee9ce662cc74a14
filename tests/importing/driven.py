"""A scripted approver: drives any process to its end, purely, in an organisation made for it.

The people that a document names are made, everybody decides for it, automatic steps are carried
out at once, and what is asked outside is answered. A goto is followed until it is used up.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from tests.engine.builders import NOW, Organisation
from workflow.engine.commands import (
    Answered,
    Approve,
    AssignHeld,
    ChildBegun,
    ChildOver,
    Claim,
    Complete,
    FinishWork,
    Start,
)
from workflow.engine.decide import decide
from workflow.engine.flowdoc.steps import HumanStep, RuleStep, SubflowStep, WorkStep
from workflow.engine.picking import picks_asked
from workflow.engine.state import InstanceState
from workflow.engine.tallying import is_pool
from workflow.engine.validation import people_references

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workflow.engine.commands import Command
    from workflow.engine.decision import Definition
    from workflow.engine.events import AnyEvent
    from workflow.engine.state import State, Work

MOST = 400
INITIATOR = "the_initiator"
BOSS = "the_boss"


def organisation_for(definition: Definition) -> Organisation:
    """Everybody whom the document names, with a head and a superior above the initiator."""
    org = Organisation()
    org.unit("office", head=BOSS)
    org.unit("team", parent="office", head="the_lead")
    for login, department in ((INITIATOR, "team"), ("the_lead", "team"), (BOSS, "office")):
        org.add(login, department=department)
    org.superiors = {INITIATOR: "the_lead", "the_lead": BOSS}
    for each in people_references(definition.plan.doc):
        _add_named(org, each.kind, each.code)
    for placed in definition.plan.steps.values():
        if isinstance(placed.step, SubflowStep):
            org.flows[placed.step.flow] = 1
        elif isinstance(placed.step, RuleStep):
            org.rules[placed.step.rule.key] = 1
    return org


def _add_named(org: Organisation, kind: str, code: str) -> None:
    """The person, or whatever people are found by, with one member."""
    member = code if kind == "user" else f"member_of_{code}"
    if kind == "department" and code not in org.parents:
        org.unit(code, parent="office", head="the_lead")
    if member not in org.people:
        org.add(member, department=code if kind == "department" else "team")
    known = {"role": org.roles, "group": org.groups, "post": org.posts}.get(kind)
    if known is not None:
        known.setdefault(code, [member])


@dataclass
class Driven:
    """What came of one request."""

    definition: Definition
    org: Organisation
    state: State | None = None
    events: list[AnyEvent] = field(default_factory=list)
    commands: int = 0

    def give(self, command: Command) -> None:
        # Every command stands at a moment of its own; a delay is long over when it is carried out.
        now = NOW + timedelta(days=self.commands)
        run = decide(self.definition, self.state, command, self.org, now)
        self.state = run.state
        self.events += run.events
        self.commands += 1

    def to_the_end(self, values: Mapping[str, object]) -> Driven:
        """Raises AssertionError when it stands still, or never ends."""
        picked = self._picked("start")
        self.give(Start(self.org.id(INITIATOR), "1", values, picked))
        while self.state.status is InstanceState.RUNNING:
            assert self.commands < MOST, "it never ends"
            self.give(self._next())
        return self

    def _next(self) -> Command:
        command = self._worker() or self._decider() or self._manager()
        assert command, f"it stands still at {[each.step for each in self.state.activations]}"
        return command

    def _worker(self) -> Command | None:
        for work in self.state.work:
            if work.kind in {"http", "rule"}:
                return Answered(work.activation, ok=True)
            if work.kind == "child":
                return self._child(work)
            if not work.seat:
                return FinishWork(work.activation)
        return None

    def _child(self, work: Work) -> Command:
        step = self.definition.plan.steps[self.state.activation(work.activation).step].step
        begun = (work.number, 100 + work.number, f"C-{work.number}")
        if isinstance(step, SubflowStep) and not step.wait:
            return ChildBegun(*begun)
        return ChildOver(*begun, InstanceState.APPROVED, {})

    def _decider(self) -> Command | None:
        for activation in self.state.activations:
            for seat in activation.seats:
                if seat.is_open:
                    return self._decision(activation.step, activation.claimed, seat)
        return None

    def _manager(self) -> Command | None:
        """Somebody for a step that has nobody."""
        for number in self.state.incidents:
            held = self.state.activation(number)
            if held is not None and not held.seats:
                return AssignHeld(number, self.org.id(BOSS), 1, "nobody else is there")
        return None

    def _decision(self, step_id: str, claimed: int, seat: Any) -> Command:
        planned = self.definition.plan.steps.get(step_id)
        step = planned.step if planned is not None else None
        mine: dict[str, Any] = {"seat": seat.number, "by": seat.holder, "version": seat.version}
        mine["comment"] = "" if step is None or step.evidence.comment == "no" else "yes"
        if isinstance(step, HumanStep) and is_pool(step) and not claimed:
            return Claim(**mine)
        decided = Complete if step is None or isinstance(step, WorkStep) else Approve
        return decided(**mine, picked=self._picked(step_id))

    def _picked(self, at: str) -> dict[str, list[int]]:
        people = [self.org.id("the_lead"), self.org.id(BOSS)]
        return {each.step: people[: each.most] for each in picks_asked(self.definition.plan, at)}
