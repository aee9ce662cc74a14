"""Where a request goes next: enter steps until somebody, or some worker, has to act.

Theory of operation. In each lane (the root sequence, or a branch of a block that runs) one step
at a time is open. A move says what is to be done next in a lane; carrying one out gives the moves
that follow from it, in document order. Several lanes are walked one after the other, never at the
same moment, so that the same history always comes out. A lane whose block has ended meanwhile
(the join needed no more branches) is walked no further.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from workflow.engine import blocks, children, going_back
from workflow.engine.asking import ask_people
from workflow.engine.branching import decide_goto, take_branch
from workflow.engine.consulting import consult
from workflow.engine.deadlines import due_of_work
from workflow.engine.ending import finish
from workflow.engine.entering import ask_worker, enter
from workflow.engine.events import InstanceHeld, StepEnded
from workflow.engine.flowdoc.steps import (
    ApproveStep,
    AutoStep,
    ChoiceStep,
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
)
from workflow.engine.moves import ROOT, Entry, Lane, Move, Verdict, lane_of
from workflow.engine.plan import START, Target
from workflow.engine.state import ActivationState, InstanceState, Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workflow.engine.decision import Decision
    from workflow.engine.moves import Asked
    from workflow.engine.plan import PlanStep
    from workflow.engine.questions import Consulted
    from workflow.engine.state import Activation

RESULTS: dict[Literal["approved", "rejected", "cancelled"], InstanceState] = {
    "approved": InstanceState.APPROVED,
    "rejected": InstanceState.REJECTED,
    "cancelled": InstanceState.CANCELLED,
}
# How often one decision may take the same goto before it is held: people who approve by rule
# alone (dedupe, nobody found) must not turn a loop into one that never ends.
MOST_LOOPS = 20


def begin(run: Decision) -> None:
    """Walk a request that was just filed from its first step on."""
    go(run, [Move(run.plan.first, ROOT)], Reason.AUTO_STEP)


def follow(run: Decision, asked: Asked) -> None:
    """Go on after a step that asks people; nothing to do while it is open."""
    go(run, _after_people(run, asked), asked.reason, by_seat=asked.by_seat)


def leave(
    run: Decision, activation: Activation, *, passed: bool, reason: Reason, comment: str = ""
) -> None:
    """Go on after an automatic step that has ended (its StepEnded is out already)."""
    moves = (
        _onwards(run, activation)
        if passed
        else refuse(run, lane_of(activation), reason, comment=comment)
    )
    go(run, moves, reason)


def recount(run: Decision, block: int, reason: Reason) -> None:
    """Go on behind a block whose join counts otherwise than when its last branch arrived."""
    go(run, _joined(run, blocks.counted(run, block, reason, 0), reason), reason)


def go_on(run: Decision, activation: Activation, said: Consulted) -> None:
    """Enter a step for good now that its rules have answered, and walk on from there."""
    entry = Entry(activation.because, activation.resume)
    here = Move(Target("step", activation.step), lane_of(activation), entry)
    run.consulted = said
    go(run, _carry_out(run, here, Reason.AUTO_STEP, 0, {}), Reason.AUTO_STEP)


def go(run: Decision, moves: Sequence[Move], reason: Reason, by_seat: int = 0) -> None:
    """Carry out moves and what follows from them until every lane waits or the request ended.

    ``reason`` is why the last step was left, and so why the request ends if it ends here.
    """
    # What rules said was for the step that is left, and is no answer to any other.
    run.consulted = None
    waiting = list(moves)
    loops: dict[str, int] = {}
    while waiting and run.state.status is InstanceState.RUNNING:
        move = waiting.pop(0)
        if move.lane.within and run.state.activation(move.lane.within) is None:
            continue
        waiting[:0] = _carry_out(run, move, reason, by_seat, loops)


def _carry_out(
    run: Decision, move: Move, reason: Reason, by_seat: int, loops: dict[str, int]
) -> Sequence[Move]:
    if move.target.kind == "end":
        finish(run, InstanceState.APPROVED, reason, by_seat=by_seat)
        return ()
    if move.target.kind == "join":
        return _joined(run, blocks.arrive(run, move.lane, "passed", reason, by_seat), reason)
    if move.target.id == START:
        going_back.enter_start(run, move.lane, move.entry)
        return ()
    at = run.plan.steps[move.target.id]
    if at.questions and run.consulted is None:
        consult(run, at, move.lane, move.entry)
        return ()
    if isinstance(at.step, GotoStep):
        return _goto(run, at, at.step, move.lane, loops)
    return _enter(run, at, move.lane, move.entry)


def _enter(run: Decision, at: PlanStep, lane: Lane, entry: Entry) -> Sequence[Move]:
    """Enter one step; where to go on at once, or nothing when it waits or the request ended."""
    match at.step:
        case HumanStep():
            asked = ask_people(run, at, at.step, lane, entry)
            return _after_people(run, asked)
        case ChoiceStep():
            target = take_branch(run, at, at.step)
            _end_asking(run)
            return (Move(target, lane, entry),)
        case ParallelStep() | InclusiveStep():
            return blocks.open_block(run, at, at.step, lane, entry)
        case FinishStep():
            finish(run, RESULTS[at.step.result], Reason.AUTO_STEP)
            return ()
        case SubflowStep():
            return children.open_children(run, at, at.step, lane, entry)
        case (
            CopyStep()
            | NoticeStep()
            | AutoStep()
            | SetStep()
            | DelayStep()
            | HttpStep()
            | RuleStep()
        ):
            _ask_worker(run, at, lane, entry)
            return ()
        case _:
            # Publishing refuses every other kind until the engine runs it (runnable.py).
            message = f"A step of kind {at.step.kind} is not run by this version."
            raise ValueError(message)


def _ask_worker(run: Decision, at: PlanStep, lane: Lane, entry: Entry) -> None:
    """The step becomes a durable row; a worker carries it out and the answer is a command."""
    activation = enter(run, at.id, lane, entry)
    ask_worker(
        run,
        activation,
        at.step.kind,
        due=due_of_work(run, at.step),
        version=children.rule_version(run, at.step),
    )


def _end_asking(run: Decision) -> None:
    """A step that only says where to go is over when its rules have answered.

    One that asks no rule was never entered, and there is nothing to end.
    """
    if run.consulted is not None:
        run.emit(
            StepEnded(
                activation=run.consulted.activation,
                state=ActivationState.PASSED,
                reason=Reason.AUTO_STEP,
            )
        )


def _after_people(run: Decision, asked: Asked) -> Sequence[Move]:
    if asked.verdict is None:
        return ()
    if asked.verdict is Verdict.PASSED:
        return _onwards(run, asked.activation)
    return _refused(run, asked)


def _onwards(run: Decision, activation: Activation) -> Sequence[Move]:
    """After a step that passed: the next one, or straight back to whoever returned the request."""
    lane = lane_of(activation)
    if activation.resume:
        return (going_back.resumed(run, activation.resume, lane),)
    if activation.step == START:
        return (Move(run.plan.first, lane),)
    return (Move(run.plan.steps[activation.step].after, lane),)


def _refused(run: Decision, asked: Asked) -> Sequence[Move]:
    """The reject rule of the step (approvals.md 3.2, Reject)."""
    step = run.plan.steps[asked.activation.step].step
    lane = lane_of(asked.activation)
    if not isinstance(step, ApproveStep):
        return refuse(run, lane, asked.reason, asked.by_seat)
    match step.reject.then.do:
        case "back":
            return going_back.rejected(run, asked, step)
        case "finish_branch":
            if lane.within:
                joined = blocks.arrive(run, lane, "rejected", asked.reason, asked.by_seat)
                return _joined(run, joined, asked.reason)
            return _end_rejected(run, asked.reason, asked.by_seat)
        case _:
            return refuse(run, lane, asked.reason, asked.by_seat)


def refuse(
    run: Decision, lane: Lane, reason: Reason, by_seat: int = 0, comment: str = ""
) -> Sequence[Move]:
    """Something in this lane was refused for good: the whole request, or only its branch.

    The innermost block around it says which (approvals.md 2.3: ``whole_flow``, ``branch_only``).
    """
    if lane.within and blocks.ends_branch_only(run, lane):
        return _joined(run, blocks.arrive(run, lane, "rejected", reason, by_seat), reason)
    return _end_rejected(run, reason, by_seat, comment)


def _end_rejected(
    run: Decision, reason: Reason, by_seat: int = 0, comment: str = ""
) -> Sequence[Move]:
    finish(run, InstanceState.REJECTED, reason, comment, by_seat=by_seat)
    return ()


def _joined(run: Decision, joined: blocks.Joined | None, reason: Reason) -> Sequence[Move]:
    """After a branch arrived: on behind the block, refused with it, or still waiting."""
    if joined is None:
        return ()
    if joined.passed:
        return _onwards(run, joined.block)
    return refuse(run, lane_of(joined.block), reason, joined.by_seat)


def _goto(
    run: Decision, at: PlanStep, step: GotoStep, lane: Lane, loops: dict[str, int]
) -> Sequence[Move]:
    """A goto whose limit is used up is an incident, not a dead loop (approvals.md 4, 28)."""
    if not decide_goto(run, at, step):
        _end_asking(run)
        return (Move(at.after, lane),)
    loops[at.id] = loops.get(at.id, 0) + 1
    over = step.max is not None and run.state.jumps.get(at.id, 0) > step.max
    if over or loops[at.id] > MOST_LOOPS:
        activation = enter(run, at.id, lane, Entry())
        run.emit(InstanceHeld(activation=activation, code="goto.limit"))
        return ()
    _end_asking(run)
    return (going_back.goto(run, lane, step.to),)
