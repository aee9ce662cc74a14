"""Subflows: other requests that a step starts, waits for and counts.

Theory of operation. When the step is entered, who starts which requests of which version is fixed
and stands in the history; for each request to be started now there is work for a worker. Parent
and child are never decided in one transaction: a worker reports what became of a child by a
command on the parent (`child_reports`). ``each`` makes one child for each person, choice or row
of a field, all at once or one after the other, and the join counts them as that of a block
counts its branches.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.entering import ask_worker, enter
from workflow.engine.events import (
    ChildEnded,
    ChildrenPlanned,
    InstanceHeld,
    PlannedChild,
    StepEnded,
)
from workflow.engine.flowdoc.steps import RuleStep, SubflowStep, ValueOf
from workflow.engine.moves import Move
from workflow.engine.sources import user_of
from workflow.engine.state import ActivationState, InstanceState, Reason
from workflow.forms.scalars import ROW_ID, rows_of, texts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workflow.engine.decision import Decision
    from workflow.engine.moves import Entry, Lane
    from workflow.engine.plan import Plan, PlanStep
    from workflow.engine.state import Activation, Child, State
    from workflow.forms.scalars import Value

CHILD = "child"
# More requests than this are not started by one step.
MOST = 100
# A request that another one started may start others, this deep (the first one is at depth 0).
DEEPEST = 8
UNKNOWN = "subflow.unknown"
NOBODY = "subflow.nobody"
TOO_MANY = "subflow.too_many"
TOO_DEEP = "subflow.too_deep"


def open_children(
    run: Decision, at: PlanStep, step: SubflowStep, lane: Lane, entry: Entry
) -> Sequence[Move]:
    """Enter a subflow step; where to go on at once when there is nothing to start."""
    number = enter(run, at.id, lane, entry)
    items = _items(run.state, step)
    if step.each is not None and not items:
        run.emit(
            StepEnded(
                activation=number,
                state=ActivationState.SKIPPED,
                reason=Reason.AUTO_STEP,
                outcome="skipped",
            )
        )
        return (Move(at.after, lane),)
    _plan(run, number, step, items)
    return ()


def _plan(run: Decision, number: int, step: SubflowStep, items: Sequence[str]) -> None:
    """Fix which requests are started, and have the first ones started."""
    version = step.version
    if not isinstance(version, int):
        version = run.facts.flow_version(step.flow)
    starters = [_starter(run, step, item) for item in items]
    trouble = _trouble(version, starters)
    if trouble:
        run.emit(InstanceHeld(activation=number, code=trouble))
        return
    children = tuple(
        PlannedChild(starter=starter, item=item)
        for starter, item in zip(starters, items, strict=True)
    )
    run.emit(
        ChildrenPlanned(activation=number, flow=step.flow, version=version, children=children)
    )
    start = _children(run, number)
    if step.each is not None and step.each.mode == "one_by_one":
        start = start[:1]
    for child in start:
        ask_worker(run, number, CHILD, child=child.number)


def _trouble(version: int, starters: Sequence[int]) -> str:
    if not version:
        return UNKNOWN
    if len(starters) > MOST:
        return TOO_MANY
    return "" if all(starters) else NOBODY


def _items(state: State, step: SubflowStep) -> tuple[str, ...]:
    """What there is a request for: people, choices, row ids; nothing once without ``each``."""
    if step.each is None:
        return ("",)
    value = state.values.get(step.each.field)
    rows = rows_of(value)
    return tuple(str(row[ROW_ID]) for row in rows) if rows else texts_of(value)


def _starter(run: Decision, step: SubflowStep, item: str) -> int:
    """Who files the request; 0 when there is nobody. ``{field}`` of each is the person himself."""
    base = step.starter
    each = step.each
    if base != "initiator" and each is not None and base.field == each.field:
        found = run.facts.people_by_login([item])
    else:
        user = user_of(run, base)
        found = () if user is None else run.facts.people_by_id([user])
    return next((person.id for person in found if person.active), 0)


def plan_again(run: Decision, activation: Activation, step: SubflowStep) -> None:
    """After an incident: start what could not be started, and replace what came out badly.

    Everything that came out badly is replaced, whichever of it the incident named: what stayed
    behind would be held without anybody knowing. One by one, only one request runs at a time,
    and a replacement goes before those that have not had their turn.
    """
    number = activation.number
    if not activation.children:
        items = _items(run.state, step)
        _plan(run, number, step, items)
        return
    replaced = [
        _replace(run, activation, step, child).number
        for child in activation.children
        if child.state == "held"
    ]
    at_work = {work.child for work in run.state.work if work.activation == number}
    planned = [
        child.number
        for child in _children(run, number)
        if child.state == "planned" and child.number not in at_work
    ]
    if step.each is not None and step.each.mode == "one_by_one":
        planned = [] if at_work else (replaced or planned)[:1]
    for child in planned:
        ask_worker(run, number, CHILD, child=child)


def _replace(run: Decision, activation: Activation, step: SubflowStep, child: Child) -> Child:
    """Plan another request for the same item; it is started by whoever planned it."""
    run.emit(
        ChildEnded(
            activation=activation.number,
            child=child.number,
            result=InstanceState.REJECTED,
            counts="again",
        )
    )
    again = PlannedChild(starter=child.starter, item=child.item)
    run.emit(
        ChildrenPlanned(
            activation=activation.number,
            flow=step.flow,
            version=activation.version,
            children=(again,),
        )
    )
    return _children(run, activation.number)[-1]


def _children(run: Decision, number: int) -> tuple[Child, ...]:
    activation = run.state.activation(number)
    return () if activation is None else activation.children


def input_of(plan: Plan, state: State, activation: Activation, child: Child) -> dict[str, object]:
    """The values with which a child is filed, as plain JSON, from the request as it stands.

    In a step with ``each``, the field itself means the item, and ``table.column`` the cell of the
    item's row. Source: approvals.md 3.2, subflow and Map.
    """
    step = plan.steps[activation.step].step
    if not isinstance(step, SubflowStep):
        message = f"{activation.step} starts no requests."
        raise TypeError(message)
    found = {
        name: _given(state, step, child, value) if isinstance(value, ValueOf) else value
        for name, value in step.input.items()
    }
    return {name: value for name, value in found.items() if value is not None}


def asked_values(step: RuleStep, state: State) -> dict[str, object]:
    """What a rule is asked with, as plain JSON, from the request as it stands."""
    return {
        name: _value_of(state, value) if isinstance(value, ValueOf) else value
        for name, value in step.input.items()
    }


def _value_of(state: State, value: ValueOf) -> object:
    if value.field is None:
        return plain(state.variables.get(value.var or ""))
    return plain(state.values.get(value.field))


def _given(state: State, step: SubflowStep, child: Child, value: ValueOf) -> object:
    if value.field is None or step.each is None:
        return _value_of(state, value)
    each = step.each.field
    table, dot, column = value.field.partition(".")
    if table == each:
        if not dot:
            return child.item
        rows = rows_of(state.values.get(table))
        row = next((row for row in rows if row.get(ROW_ID) == child.item), None)
        return None if row is None else plain(row.get(column))
    return _value_of(state, value)


def plain(value: Value) -> object:
    """A stored value as plain JSON; rows are new ones where they go."""
    if rows := rows_of(value):
        return [{name: _cell(row[name]) for name in row if name != ROW_ID} for row in rows]
    return _cell(value)


def _cell(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def rule_version(run: Decision, step: object) -> int:
    """The version of the rule to ask, fixed now; 0 for any other step and for no such rule."""
    if not isinstance(step, RuleStep):
        return 0
    if isinstance(step.rule.version, int):
        return step.rule.version
    return run.facts.rule_version(step.rule.key)
