"""A request in which everybody approves at once and changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.engine.builders import NOW
from workflow.engine.commands import (
    Answered,
    Approve,
    ChildBegun,
    ChildOver,
    Complete,
    FinishWork,
)
from workflow.engine.decide import decide
from workflow.engine.evidence import comment_rule
from workflow.engine.flowdoc.steps import ApproveStep
from workflow.engine.picking import picks_asked
from workflow.engine.state import InstanceState

if TYPE_CHECKING:
    from tests.engine.builders import Organisation
    from workflow.engine.commands import Command, Start
    from workflow.engine.decision import Definition
    from workflow.engine.events import AnyEvent
    from workflow.engine.state import Activation, Seat, State, Work

# A vote that cannot pass may send the request back for ever.
MOST = 80
SAID = {
    "shop/clerks": ["chi", "ghost"],
    "shop/is_dear": True,
    "shop/size": "small",
    "shop/price": "9.50",
}


def everybody_approves(
    definition: Definition, org: Organisation, start: Start
) -> tuple[list[AnyEvent], State]:
    """The history until nobody and no worker has anything left to do, or of many decisions.

    Raises the Rejection of the start.
    """
    run = decide(definition, None, start, org, NOW)
    events = list(run.events)
    for _ in range(MOST):
        command = _next(definition, run.state)
        if command is None:
            break
        run = decide(definition, run.state, command, org, NOW)
        events += run.events
    return events, run.state


def _next(definition: Definition, state: State) -> Command | None:
    for work in state.work:
        if work.seat == 0 and work.activation not in state.incidents:
            return _report(state, work)
    for activation in state.activations:
        for seat in activation.seats:
            if seat.is_open:
                return _decision(definition, activation, seat)
    return None


def _report(state: State, work: Work) -> Command:
    """A worker did its work, and whoever was asked outside had nothing new to say."""
    asking = state.activation(work.activation)
    if asking is not None and asking.is_asking:
        said = {(each.rule, each.pinned): SAID[each.rule] for each in asking.asks}
        return Answered(work.activation, ok=True, rules=said)
    if work.kind in {"http", "rule"}:
        return Answered(work.activation, ok=True)
    if work.kind != "child":
        return FinishWork(work.activation)
    parent = state.activation(work.activation)
    child = parent.child(work.child) if parent is not None else None
    number = f"P-{work.number}"
    if child is not None and not child.instance:
        return ChildBegun(work.number, 1000 + work.number, number)
    return ChildOver(
        work.number, 1000 + work.number, number, InstanceState.APPROVED, dict(state.values)
    )


def _decision(definition: Definition, activation: Activation, seat: Seat) -> Command:
    planned = definition.plan.steps.get(activation.step)
    kind: Any = Complete
    if planned is not None and isinstance(planned.step, ApproveStep):
        kind = Approve
    asks = comment_rule(definition, activation.step) == "must"
    command: Command = kind(
        seat=seat.number,
        by=seat.holder,
        version=seat.version,
        comment="yes" if asks else "",
        picked=picks(definition, activation.step),
    )
    return command


def picks(definition: Definition, at: str) -> dict[str, list[int]]:
    """Kim and ann for whatever is to be picked here."""
    return {each.step: [1, 2][: each.most] for each in picks_asked(definition.plan, at)}
