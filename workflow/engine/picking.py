"""People whom somebody picks for a later step: who is asked to pick, and what may be picked."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from workflow.engine.events import Picked
from workflow.engine.flowdoc.people import PickedAtStart, PickedBy
from workflow.engine.flowdoc.rules import EmptyPeople, Overdue
from workflow.engine.flowdoc.steps import (
    ChoiceStep,
    CopyStep,
    HumanStep,
    InclusiveStep,
    NoticeStep,
)
from workflow.engine.people import resolve
from workflow.engine.plan import START
from workflow.engine.rejections import Invalid
from workflow.forms.findings import Finding, child

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from workflow.engine.decision import Decision
    from workflow.engine.flowdoc.people import AnySource, People
    from workflow.engine.plan import Plan, PlanStep

MOST_COPIES = 100


class Pick(NamedTuple):
    """People are to be picked for ``step``: so many, and of these, if it says so.

    ``needed`` is false where the request may never come there (``conditional``), or other people
    would do.
    """

    step: str
    least: int
    most: int
    of: People | None = None
    needed: bool = True
    conditional: bool = False


def picks_asked(plan: Plan, at: str) -> tuple[Pick, ...]:
    """What is to be picked when filing (``start``) or by the approvers of step ``at``.

    One for each step, in document order (approvals.md 3.2, People).
    """
    found = (_asked_for(plan, placed, at) for placed in plan.steps.values())
    return tuple(pick for pick in found if pick is not None)


def take_picks(
    run: Decision, at: str, picked: Mapping[str, Sequence[int]], *, needed: bool = True
) -> None:
    """Check what was picked and record it; ``at`` as in `picks_asked`.

    Who was picked before stays picked unless others are. ``needed`` is false for somebody who
    may pick and need not. Raises Invalid (picked.invalid) with a finding at `/picked/<step>` for
    each problem: `picked.missing`, `.too_few`, `.too_many`, `.not_allowed`, `.unknown`,
    `.not_asked`.
    """
    asked = {pick.step: pick for pick in picks_asked(run.plan, at)}
    findings = [_finding("picked.not_asked", name) for name in picked if name not in asked]
    chosen: dict[str, tuple[int, ...]] = {}
    for pick in asked.values():
        people = tuple(dict.fromkeys(picked.get(pick.step, ())))
        if people:
            findings.extend(_faults(run, pick, people))
            chosen[pick.step] = people
        elif needed and pick.needed and pick.least and not run.state.picks.get(pick.step):
            findings.append(_finding("picked.missing", pick.step, min=pick.least))
    if findings:
        raise Invalid("picked.invalid", findings=findings)
    for step, people in chosen.items():
        if list(people) != run.state.picks.get(step):
            run.emit(Picked(step=step, people=people))


def missing_picks(run: Decision) -> dict[str, Finding]:
    """Steps behind a condition for which the initiator picked nobody, with what is missing."""
    return {
        pick.step: _finding("picked.missing", pick.step, min=pick.least)
        for pick in picks_asked(run.plan, START)
        if pick.conditional and pick.least and not run.state.picks.get(pick.step)
    }


def _faults(run: Decision, pick: Pick, people: Sequence[int]) -> Iterator[Finding]:
    if len(people) > pick.most:
        # Whoever sends thousands of names gets one answer, and nobody is looked up.
        yield _finding("picked.too_many", pick.step, max=pick.most)
        return
    if len(people) < pick.least:
        yield _finding("picked.too_few", pick.step, min=pick.least)
    active = {each.id for each in run.facts.people_by_id(people) if each.active}
    if not active.issuperset(people):
        yield _finding("picked.unknown", pick.step)
        return
    if pick.of is not None and not set(people) <= set(resolve(run, pick.of, pick.step).people):
        yield _finding("picked.not_allowed", pick.step)


def _finding(code: str, step: str, **args: int) -> Finding:
    return Finding(code, child("/picked", step), args=args)


def _asked_for(plan: Plan, placed: PlanStep, at: str) -> Pick | None:
    step = placed.step
    if isinstance(step, CopyStep) and step.also_initiator_picks and at == START:
        return Pick(placed.id, 0, MOST_COPIES, needed=False)
    if not isinstance(step, HumanStep | CopyStep | NoticeStep):
        return None
    surely = not _is_optional(plan, placed, at)
    for source in _picking(step.who.any_of, at):
        return Pick(
            placed.id, source.min, source.max, source.from_, needed=surely, conditional=not surely
        )
    if isinstance(step, HumanStep):
        for people in _instead(step):
            for source in _picking(people.any_of, at):
                return Pick(placed.id, source.min, source.max, source.from_, needed=False)
    return None


def _picking(sources: Iterable[AnySource], at: str) -> Iterator[PickedAtStart | PickedBy]:
    for source in sources:
        here = source.step if isinstance(source, PickedBy) else START
        if isinstance(source, PickedAtStart | PickedBy) and here == at:
            yield source


def _instead(step: HumanStep) -> Iterator[People]:
    """People who are asked only when nobody else is found or somebody is late."""
    rule = step.on_empty
    while isinstance(rule, EmptyPeople):
        yield rule.who
        rule = rule.then
    then = step.deadline.then if step.deadline is not None else None
    if isinstance(then, Overdue) and then.reassign is not None:
        yield then.reassign


def _is_optional(plan: Plan, placed: PlanStep, at: str) -> bool:
    """Whether a condition between here and the step decides if it is reached at all."""
    here = plan.steps.get(at)
    around = {block for block, _ in here.region} if here is not None else set()
    return any(
        isinstance(plan.steps[block].step, ChoiceStep | InclusiveStep)
        for block, _ in placed.region
        if block not in around
    )
