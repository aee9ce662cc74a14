"""The people of a step ahead: found as when it is entered, and supposed to approve.

Theory of operation. The step is really entered, in a decision that nobody keeps, so that people,
substitutes, the self rule, the empty rule and dedupe are those of the run itself. Then everybody
approves who is asked. Where it is certain who that will be, later steps may build on it (dedupe,
deciders of a step); where it is not, they are told that these people have approved *perhaps*.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from workflow.engine.asking import NOBODY, ask_people
from workflow.engine.dedupe import digest_seen, may_be_reused, repeats_of
from workflow.engine.events import OpinionGiven, TaskApproved, TaskAssigned, TaskCompleted
from workflow.engine.finding_people import find_people
from workflow.engine.flowdoc.rules import DecideDraw, RejectBack, RejectBranch
from workflow.engine.flowdoc.steps import (
    ApproveStep,
    CopyStep,
    InclusiveStep,
    ParallelStep,
    WorkStep,
)
from workflow.engine.foreseen import Foreseen, Passing
from workflow.engine.moves import REACHED, ROOT, Verdict
from workflow.engine.people import readers, resolve
from workflow.engine.rejections import Rejection
from workflow.engine.settling import TOO_FEW, settle
from workflow.engine.state import Reason
from workflow.engine.unknowable import needs_rule, unknowable, unknowable_when_empty

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from workflow.engine.decision import Decision
    from workflow.engine.flowdoc.steps import HumanStep, NoticeStep
    from workflow.engine.foreseen import Ends
    from workflow.engine.moves import Asked
    from workflow.engine.plan import Plan, PlanStep
    from workflow.engine.sources import Assignment
    from workflow.engine.state import Seat, State
    from workflow.engine.ways import Ended, PartialView, Way


def read_by(step: CopyStep | NoticeStep, view: PartialView) -> Foreseen:
    """A step that only tells people something."""
    unknown = unknowable(view, step.who, step.id)
    shown = Foreseen(step.id, step.kind, step.name, unknown=unknown)
    if needs_rule(step.who):
        return shown
    run = view.run
    found = readers(run, step) if isinstance(step, CopyStep) else resolve(run, step.who, step.id)
    return replace(shown, people=found.reasons, dropped=tuple(found.dropped))


def asked(way: Way, at: PlanStep, step: HumanStep, view: PartialView) -> Foreseen:
    """A step that asks people; ``way`` goes on as if they had approved."""
    unknown = unknowable(view, step.who, step.id)
    shown = Foreseen(step.id, step.kind, step.name, unknown=unknown)
    if needs_rule(step.who):
        return _not_known(way, view, shown, ())
    found, when_empty = find_people(view.run, step)
    if when_empty and not unknown:
        unknown = unknowable_when_empty(view, step)
    shown = replace(
        shown,
        unknown=unknown,
        mode=step.decide.mode if len(found.chosen) > 1 else "",
        people=found.reasons,
        dropped=tuple(found.dropped),
        when_empty="" if unknown else when_empty,
    )
    if unknown:
        return _not_known(way, view, shown, found.people)
    return _supposed(way, at, step, view, shown, found)


def _not_known(way: Way, view: PartialView, shown: Foreseen, people: Sequence[int]) -> Foreseen:
    way.note_perhaps(shown.step, people)
    _somebody_acts(way, view.run, shown.step)
    return shown


def _somebody_acts(way: Way, run: Decision, step: str) -> None:
    way.starting = False
    way.somebody_acts(run.definition, step)


def _supposed(
    way: Way, at: PlanStep, step: HumanStep, view: PartialView, shown: Foreseen, found: Assignment
) -> Foreseen:
    """Really enter the step, and let everybody approve who is asked."""
    run = way.decision(view.run)
    drawn = isinstance(step.decide, DecideDraw) and len(found.chosen) > 1
    passes = dict(_perhaps_passing(way, run, at, step, found))
    if drawn:
        passes |= dict(_of_a_draw(run, at, step, found))
    try:
        entered = ask_people(run, at, step, ROOT, REACHED)
    except Rejection:
        # Nobody is found in the first step, and the process says that then it is not filed.
        way.ended = "request"
        return replace(shown, ends="refused")
    if not drawn:
        passes |= dict(_passing(way, run, step))
    certain = not drawn and all(each.sure for each in passes.values())
    if entered.verdict is None or not certain:
        _somebody_acts(way, run, step.id)
    elif run.state.approvals != way.state.approvals:
        way.last_is_open = False
    ends = _outcome(way, run, at, step, entered, certain=certain)
    if not certain:
        _forget(run, way.state, step.id)
        way.note_perhaps(step.id, found.people)
    way.keep(run.state)
    return replace(shown, passes=tuple(passes.values()), ends=ends)


def _outcome(
    way: Way, run: Decision, at: PlanStep, step: HumanStep, entered: Asked, *, certain: bool
) -> Ends:
    """How the way goes on behind a step that was entered."""
    number, verdict = entered.activation.number, entered.verdict
    if run.state.incidents.get(number) in {NOBODY, TOO_FEW}:
        way.sure = False
        return "held"
    if verdict is None:
        verdict = approve_all(way, run, number, step, certain=certain)
    if verdict is not Verdict.REFUSED:
        return ""
    way.ended, ends = how_refused(run.plan, at)
    return ends


def approve_all(
    way: Way, run: Decision, number: int, step: HumanStep | None, *, certain: bool = True
) -> Verdict | None:
    """Everybody whose turn it is approves, one after the other, until the step has ended.

    Only if all of them had to, it is known who has approved; else it is noted on the way who may
    have, and nobody counts as having decided.
    """
    before = run.state
    start = before.activation(number)
    waiting = [seat for seat in start.seats if seat.waits] if start is not None else []
    verdict, count = None, 0
    while start is not None and verdict is None:
        seat = _whose_turn(run, number)
        if seat is None:
            break
        _approve(run, seat, start.step, step)
        count += 1
        outcome = settle(run, number)
        verdict = None if outcome is None else outcome.verdict
    if start is None:
        return None
    if certain and count == len(waiting):
        way.last_is_open = way.last_is_open and not isinstance(step, ApproveStep)
        return verdict
    _forget(run, before, start.step)
    way.note_perhaps(start.step, [seat.holder for seat in waiting])
    return verdict


def _forget(run: Decision, before: State, step: str) -> None:
    """Nobody counts as having decided in this step."""
    deciders = {name: users for name, users in run.state.deciders.items() if name != step}
    run.state = msgspec.structs.replace(run.state, approvals=before.approvals, deciders=deciders)


def _whose_turn(run: Decision, number: int) -> Seat | None:
    activation = run.state.activation(number)
    seats = activation.seats if activation is not None else ()
    return next((each for each in seats if each.is_open), None)


def _approve(run: Decision, seat: Seat, step_id: str, step: HumanStep | None) -> None:
    seen, version = digest_seen(run, step_id), seat.version + 1
    if seat.origin == "delegated":
        run.emit(OpinionGiven(seat=seat.number, version=version, form=seen))
    elif step is None or isinstance(step, WorkStep):
        run.emit(TaskCompleted(seat=seat.number, version=version, form=seen))
    else:
        again = may_be_reused(run.plan)
        run.emit(TaskApproved(seat=seat.number, version=version, form=seen, reusable=again))


# What a refusal without a person leads to.


def how_refused(plan: Plan, at: PlanStep) -> tuple[Ended, Ends]:
    """What follows when this step is refused by a rule (approvals.md 3.2, Reject)."""
    then = at.step.reject.then if isinstance(at.step, ApproveStep) else None
    if isinstance(then, RejectBack):
        return "request", "returned"
    if at.lanes and (isinstance(then, RejectBranch) or ends_branch_only(plan, at)):
        return "branch", "branch"
    return "request", "rejected"


def ends_branch_only(plan: Plan, at: PlanStep) -> bool:
    """Whether a rejection in the lane of this step ends only that branch of its block."""
    block = plan.steps[at.lanes[-1][0]].step if at.lanes else None
    if not isinstance(block, ParallelStep | InclusiveStep):
        return False
    return (block.branch_reject or plan.doc.policy.branch_reject) == "branch_only"


# Who need not act.


def _passing(way: Way, run: Decision, step: HumanStep) -> Iterator[tuple[int, Passing]]:
    """Those whose seats approved themselves when the step was entered, each with the reason."""
    holders = {each.seat: each.holder for each in run.events if isinstance(each, TaskAssigned)}
    steps = {each.seat: each.step for each in way.state.approvals}
    last_is_sure = not way.last_is_open or _mode(run, step) != "adjacent"
    same_form = not (way.unsettled or way.beside)
    for event in run.events:
        if not isinstance(event, TaskApproved):
            continue
        user = holders[event.seat]
        if event.reason is Reason.SELF_RULE:
            yield user, Passing(user, "self")
        elif event.later:
            yield user, Passing(user, "later", event.later, sure=not way.lacks_values())
        else:
            of = steps.get(event.because, "")
            yield user, Passing(user, "earlier", of, sure=last_is_sure and same_form)


def _perhaps_passing(
    way: Way, run: Decision, at: PlanStep, step: HumanStep, found: Assignment
) -> Iterator[tuple[int, Passing]]:
    """Those who may have approved before, where it is not certain who will."""
    mode = _mode(run, step) if isinstance(step, ApproveStep) else ""
    if mode not in {"adjacent", "keep_first"} or (mode == "adjacent" and not way.last_is_open):
        return
    for earlier, users in way.perhaps.items():
        placed = run.plan.steps.get(earlier)
        if placed is None or not isinstance(placed.step, ApproveStep) or earlier == at.id:
            continue
        for user in found.people:
            if user in users:
                yield user, Passing(user, "earlier", earlier, sure=False)


def _of_a_draw(
    run: Decision, at: PlanStep, step: HumanStep, found: Assignment
) -> Iterator[tuple[int, Passing]]:
    """Those who would not have to act if they were drawn."""
    for user, repeat in repeats_of(run, at, step, found.people).items():
        steps = {each.seat: each.step for each in run.state.approvals}
        if repeat.later:
            yield user, Passing(user, "later", repeat.later, sure=False)
        else:
            yield user, Passing(user, "earlier", steps.get(repeat.because, ""), sure=False)
    if found.passes_itself is not None:
        yield found.passes_itself, Passing(found.passes_itself, "self", sure=False)


def _mode(run: Decision, step: HumanStep) -> str:
    return step.repeat_skip or run.plan.doc.policy.dedupe
