"""Ids, sizes, and the branches of blocks (approvals 3.2, invariants 1 to 3 and 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.flowdoc import AtLeast, ChoiceStep, HumanStep, InclusiveStep, ParallelStep
from workflow.engine.plan import branches_of
from workflow.engine.validation.look import fault, warning
from workflow.forms.findings import Finding, child, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workflow.engine.flowdoc import Branch
    from workflow.engine.plan import PlanStep
    from workflow.engine.validation.look import Look

RESERVED = frozenset({"start", "end"})
MOST_BLOCKS = 8
MOST_STEPS = 300


def check(look: Look) -> Iterator[Finding]:
    """Every finding about ids, sizes and branches."""
    yield from _sizes(look)
    yield from _ids(look)
    for placed in look.steps:
        yield from _branches(placed)
        yield from _join(placed)
    if not any(isinstance(placed.step, HumanStep) for placed in look.steps):
        yield warning("flow.no_human_step", None, "/steps")


def _sizes(look: Look) -> Iterator[Finding]:
    if len(look.steps) > MOST_STEPS:
        yield fault("doc.size", None, "/steps", high=MOST_STEPS)
    for placed in look.steps:
        if branches_of(placed.step) and len(placed.region) == MOST_BLOCKS:
            yield fault("doc.depth", placed, placed.at, high=MOST_BLOCKS)


def _ids(look: Look) -> Iterator[Finding]:
    taken: set[str] = set()
    for placed in look.steps:
        for name, at in _own_ids(placed):
            where = child(at, "id")
            if name in RESERVED:
                yield fault("id.reserved", placed, where, id=name)
            elif name in taken:
                yield fault("id.duplicate", placed, where, id=printable(name))
            taken.add(name)


def _own_ids(placed: PlanStep) -> Iterator[tuple[str, str]]:
    yield placed.id, placed.at
    for number, branch in enumerate(branches_of(placed.step)):
        yield branch.id, child(child(placed.at, "branches"), number)


def _branches(placed: PlanStep) -> Iterator[Finding]:
    branches = branches_of(placed.step)
    if not branches:
        return
    where = child(placed.at, "branches")
    if not any(branch.steps for branch in branches):
        yield warning("branch.empty_all", placed, where)
    if isinstance(placed.step, ParallelStep):
        yield from _without_conditions(placed, branches, where)
        return
    yield from _with_conditions(placed, branches, where)
    otherwise = [number for number, branch in enumerate(branches) if branch.otherwise]
    for number in otherwise[1:]:
        yield fault("branch.many_otherwise", placed, child(child(where, number), "otherwise"))
    if isinstance(placed.step, ChoiceStep):
        if not otherwise:
            yield fault("branch.no_otherwise", placed, where)
        elif otherwise[0] != len(branches) - 1:
            yield fault("branch.otherwise_not_last", placed, child(where, otherwise[0]))


def _without_conditions(
    placed: PlanStep, branches: tuple[Branch, ...], where: str
) -> Iterator[Finding]:
    for number, branch in enumerate(branches):
        for name, given in (("when", branch.when is not None), ("otherwise", branch.otherwise)):
            if given:
                at = child(child(where, number), name)
                yield fault("branch.when_in_parallel", placed, at)


def _with_conditions(
    placed: PlanStep, branches: tuple[Branch, ...], where: str
) -> Iterator[Finding]:
    for number, branch in enumerate(branches):
        at = child(where, number)
        if branch.when is None and not branch.otherwise:
            yield fault("branch.when_missing", placed, at, branch=branch.id)
        elif branch.when is not None and branch.otherwise:
            # It would never be asked; whoever wrote it believes that it is.
            yield fault("branch.when_in_otherwise", placed, child(at, "when"), branch=branch.id)


def _join(placed: PlanStep) -> Iterator[Finding]:
    step = placed.step
    if not isinstance(step, ParallelStep | InclusiveStep) or not isinstance(step.join, AtLeast):
        return
    high, got = len(step.branches), step.join.at_least
    if got > high:
        at = child(child(placed.at, "join"), "at_least")
        yield fault("join.at_least_too_big", placed, at, high=high, got=got)
