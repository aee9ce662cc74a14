"""The way from a step onwards: what is asked, what parts and meets, and what ends it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from workflow.engine.branching import leaf_of
from workflow.engine.children import open_children
from workflow.engine.computing import Computation, computed, fitted
from workflow.engine.deadlines import delay_until
from workflow.engine.events import FormChanged
from workflow.engine.flowdoc.steps import (
    AtLeast,
    AutoStep,
    ChoiceStep,
    Computed,
    CopyStep,
    DelayStep,
    FinishStep,
    GotoStep,
    HttpStep,
    HumanStep,
    InclusiveStep,
    NoticeStep,
    ParallelStep,
    RuleStep,
    SetStep,
    SubflowStep,
    ValueOf,
)
from workflow.engine.foreseen import Depends, Foreseen, ForeseenBranch
from workflow.engine.foreseen_people import (
    asked,
    ends_branch_only,
    how_refused,
    read_by,
)
from workflow.engine.lookahead import changed_by
from workflow.engine.moves import REACHED, ROOT
from workflow.engine.plan import END, Target
from workflow.engine.ways import PartialView, Way
from workflow.forms.evaluation import UNKNOWN, evaluate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workflow.engine.commands import Answered
    from workflow.engine.decision import Decision
    from workflow.engine.events import Leaf
    from workflow.engine.flowdoc.steps import Branch
    from workflow.engine.plan import PlanBranch, PlanStep
    from workflow.engine.state import State
    from workflow.forms.evaluation import Verdict


# Asks a rule for a step with the values of a request, and gives the answer to that step.
AsksRule = Callable[["RuleStep", "State"], "Answered"]


class Ahead:
    """Walks the plan with what is known at this moment."""

    def __init__(self, run: Decision, ask_rule: AsksRule | None = None) -> None:
        self.run, self.ask_rule = run, ask_rule

    def view(self, way: Way) -> PartialView:
        return PartialView(self.run, way, self.run.state.outcomes)

    def walk(self, target: Target, stop: Target, way: Way) -> None:
        """From ``target`` until ``stop``, the end, or a step that ends the way."""
        while target not in (stop, END) and target.kind == "step" and not way.ended:
            at = self.run.plan.steps[target.id]
            sure = way.is_certain
            place = len(way.found)
            self.look_at(at, way)
            way.found[place:] = [replace(each, sure=sure) for each in way.found[place:]]
            target = at.after

    def look_at(self, at: PlanStep, way: Way) -> None:
        """What one step would do now, and what of it is known."""
        step = at.step
        if at.questions:
            # Rules are asked before the step is entered: whatever it finds, it is filed already.
            way.starting = False
        match step:
            case ChoiceStep():
                self._choice(at, step, way)
            case ParallelStep() | InclusiveStep():
                self._block(at, step, way)
            case GotoStep():
                self._goto(step, way)
            case FinishStep():
                way.found.append(replace(plain(at), ends=step.result))
                way.ended = "request"
            case HumanStep():
                way.found.append(asked(way, at, step, self.view(way)))
            case CopyStep() | NoticeStep():
                way.found.append(read_by(step, self.view(way)))
                way.starting = False
            case _:
                self._automatic(at, way)

    # What nobody is asked for.

    def _automatic(self, at: PlanStep, way: Way) -> None:
        way.starting = False
        shown, step = plain(at), at.step
        match step:
            case AutoStep(verdict="reject"):
                way.ended, ends = how_refused(self.run.plan, at)
                shown = replace(shown, ends=ends)
            case SetStep():
                shown = self._set(shown, at, step, way)
            case DelayStep(until_field=str(name)):
                known = self.view(way).value(name)
                if known is not UNKNOWN and delay_until(way.decision(self.run), step) is None:
                    way.sure, shown = False, replace(shown, ends="held")
            case SubflowStep():
                shown = self._children(shown, at, step, way)
            case RuleStep():
                shown = self._rule(shown, at, step, way)
            case HttpStep():
                # Nobody outside is asked: what they would say is not known.
                way.unsettled |= changed_by(self.run, at)
            case _:
                pass
        way.found.append(shown)

    def _set(self, shown: Foreseen, at: PlanStep, step: SetStep, way: Way) -> Foreseen:
        if at.questions:
            # What the rules say, and whether all of it fits then, is not known.
            way.unsettled |= {each.partition(".")[0] for each in changed_by(self.run, at)}
            return shown
        view = self.view(way)
        copied = {
            change.field.partition(".")[0]
            for change in step.changes
            if isinstance(change.to, Computed)
            and change.to.copy is not None
            and view.value(change.to.copy.partition(".")[0]) is UNKNOWN
        }
        written = {change.field for change in step.changes} - copied
        run = way.decision(self.run)
        found = computed(run, step)
        if found.refused and not copied:
            way.sure = False
            return replace(shown, ends="held")
        if found.changed:
            run.emit(FormChanged(changes=dict(found.changed)))
            way.keep(run.state)
        way.open -= written
        way.unsettled = way.unsettled - written | copied
        return shown

    def _rule(self, shown: Foreseen, at: PlanStep, step: RuleStep, way: Way) -> Foreseen:
        """A rule is asked at once, if somebody can and all that it is asked with is known."""
        view = self.view(way)
        given = [each for each in step.input.values() if isinstance(each, ValueOf)]
        if self.ask_rule is None or any(
            each.field is None or view.value(each.field.partition(".")[0]) is UNKNOWN
            for each in given
        ):
            way.unsettled |= changed_by(self.run, at)
            return shown
        run = way.decision(self.run)
        answer = self.ask_rule(step, way.state)
        found = fitted(run, answer.values) if answer.ok else Computation(refused=step.id)
        if found.refused:
            way.sure = False
            return replace(shown, ends="held")
        if found.changed:
            run.emit(FormChanged(changes=dict(found.changed)))
            way.keep(run.state)
        way.open -= answer.values.keys()
        way.unsettled -= answer.values.keys()
        return shown

    def _children(self, shown: Foreseen, at: PlanStep, step: SubflowStep, way: Way) -> Foreseen:
        """The requests that a step starts are planned as when it is entered, and not started."""
        run = way.decision(self.run)
        if open_children(run, at, step, ROOT, REACHED):
            return shown  # there is nothing to start
        if run.state.incidents:
            way.sure = False
            return replace(shown, ends="held")
        if step.wait:
            way.unsettled |= changed_by(self.run, at)
        return shown

    def _goto(self, step: GotoStep, way: Way) -> None:
        verdict = None if step.when is None else evaluate(step.when, self.view(way))
        taken = True if verdict is None else verdict.result
        way.found.append(
            Foreseen(
                step.id,
                step.kind,
                step.name,
                taken=taken,
                to=step.to,
                depends_on=_depends(verdict),
                leaves=_leaves(verdict),
            )
        )
        # Whether, and with what, the request comes by here once more cannot be said.
        way.sure = way.sure and taken is False

    # Ways that part.

    def _choice(self, at: PlanStep, step: ChoiceStep, way: Way) -> None:
        """The first branch that holds; before it, all that may still hold."""
        view = self.view(way)
        branches: list[ForeseenBranch] = []
        possible: list[Way] = []
        decided, maybe = False, False
        for branch, planned in zip(step.branches, at.branches, strict=True):
            verdict, result = _asked_of(branch, view)
            if decided or result is False:
                branches.append(_branch(branch, verdict, taken=False))
                continue
            sure = result is True and not maybe
            inner = way.fork(sure=sure)
            self.walk(planned.first, at.after, inner)
            possible.append(inner)
            taken = True if sure else None
            branches.append(_branch(branch, verdict, taken=taken, steps=inner.steps()))
            decided, maybe = result is True, maybe or result is None
        way.found.append(replace(plain(at), branches=tuple(branches)))
        if len(possible) == 1:
            way.follow(possible[0])
        else:
            way.meet(possible)

    def _block(self, at: PlanStep, step: ParallelStep | InclusiveStep, way: Way) -> None:
        join = Target("join", at.id)
        lanes: list[Way] = []
        shown: list[tuple[Branch, Verdict | None, bool | None, Way | None]] = []
        number = way
        for branch, planned, verdict, result in self._running(at, step, way):
            if result is False:
                shown.append((branch, verdict, False, None))
                continue
            lane = way.fork(sure=result is True)
            lane.numbered_from(number)
            lane.beside |= self.changed_beside(at, branch.id)
            self.walk(planned.first, join, lane)
            number = lane
            lanes.append(lane)
            shown.append((branch, verdict, result, lane))
        known = all(result is not None for _, _, result, _ in shown)
        cut = self.join(at, step, way, lanes, known=known)
        branches = tuple(
            _branch(
                branch,
                verdict,
                taken=result,
                steps=() if lane is None else unsure(lane.steps()) if cut else lane.steps(),
            )
            for branch, verdict, result, lane in shown
        )
        way.found.append(replace(plain(at), branches=branches))

    def _running(
        self, at: PlanStep, step: ParallelStep | InclusiveStep, way: Way
    ) -> Sequence[tuple[Branch, PlanBranch, Verdict | None, bool | None]]:
        """Each branch with whether it runs; *otherwise* runs if no other one does."""
        view = self.view(way)
        asked_of = [_asked_of(branch, view) for branch in step.branches]
        if isinstance(step, InclusiveStep):
            conditions = zip(step.branches, asked_of, strict=True)
            otherwise = _otherwise([each[1] for branch, each in conditions if branch.when])
            asked_of = [
                each if branch.when is not None else (None, otherwise)
                for branch, each in zip(step.branches, asked_of, strict=True)
            ]
        return [
            (branch, planned, *each)
            for branch, planned, each in zip(step.branches, at.branches, asked_of, strict=True)
        ]

    def join(
        self,
        at: PlanStep,
        step: ParallelStep | InclusiveStep,
        way: Way,
        lanes: Sequence[Way],
        *,
        known: bool,
    ) -> bool:
        """What follows from the lanes; whether any of them may be cut off before its end.

        ``known``: it is certain which branches run.
        """
        ends = [lane.ended for lane in lanes]
        steady = all(lane.sure for lane in lanes)
        needed = _needed(step, len(lanes))
        way.join(lanes, cut=needed < len(lanes))
        if not steady or (any(ends) and not known):
            way.sure = False
        elif "request" in ends:
            # Unless the block may be over before that lane comes to its end.
            way.sure = needed == len(lanes) and "branch" not in ends
            way.ended = "request" if way.sure else ""
        elif len(lanes) - ends.count("branch") < needed:
            way.ended = "branch" if ends_branch_only(self.run.plan, at) else "request"
        return any(ends) or not steady or needed < len(lanes)

    def changed_beside(self, block: PlanStep, branch: str) -> set[str]:
        """Fields that other branches of a block change while this one runs."""
        changed: set[str] = set()
        for placed in self.run.plan.steps.values():
            beside = any(name == block.id and other != branch for name, other in placed.region)
            if beside and not isinstance(placed.step, HumanStep):
                changed |= changed_by(self.run, placed)
        return changed


def plain(at: PlanStep) -> Foreseen:
    return Foreseen(at.id, at.step.kind, at.step.name)


def _needed(step: ParallelStep | InclusiveStep, running: int) -> int:
    """How many of the lanes that run the join waits for."""
    match step.join:
        case AtLeast(at_least=number):
            return min(number, running)
        case "first":
            return min(1, running)
        case _:
            return running


def unsure(steps: Sequence[Foreseen]) -> tuple[Foreseen, ...]:
    """The same steps, none of which is certain."""
    return tuple(
        replace(
            each,
            sure=False,
            branches=tuple(
                replace(branch, steps=unsure(branch.steps)) for branch in each.branches
            ),
        )
        for each in steps
    )


def _asked_of(branch: Branch, view: PartialView) -> tuple[Verdict | None, bool | None]:
    if branch.when is None:
        return None, True
    verdict = evaluate(branch.when, view)
    return verdict, verdict.result


def _branch(
    branch: Branch,
    verdict: Verdict | None,
    *,
    taken: bool | None,
    steps: tuple[Foreseen, ...] = (),
) -> ForeseenBranch:
    return ForeseenBranch(
        branch.id,
        branch.name,
        taken,
        _leaves(verdict),
        _depends(verdict) if taken is None else (),
        steps,
        otherwise=branch.when is None,
    )


def _leaves(verdict: Verdict | None) -> tuple[Leaf, ...]:
    leaves = () if verdict is None else verdict.leaves()
    return tuple(leaf_of(each) for each in leaves if each.result is not None)


def _depends(verdict: Verdict | None) -> tuple[Depends, ...]:
    """What was asked without an answer, each once."""
    leaves = () if verdict is None else verdict.leaves()
    open_ones = (Depends(each.kind, each.asked) for each in leaves if each.result is None)
    return tuple(dict.fromkeys(open_ones))


def _otherwise(results: Sequence[bool | None]) -> bool | None:
    """Whether none of these conditions holds, in three values."""
    if True in results:
        return False
    return None if None in results else True
