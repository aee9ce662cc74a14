"""Going back to an earlier step: what may be gone back to, and what is closed on the way.

Only dominators are targets (approvals.md 2.3): steps that every way to the present step has
passed. So a return never lands in a sibling branch, and leaving a parallel block closes all of
it; when it is entered again, it counts anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.ending import close_step
from workflow.engine.entering import enter
from workflow.engine.events import InstanceHeld, TaskAssigned, WentBack
from workflow.engine.flowdoc.rules import BackTo, RejectBack
from workflow.engine.flowdoc.steps import HumanStep
from workflow.engine.moves import ROOT, Entry, Lane, Move, lane_of
from workflow.engine.plan import START, Target
from workflow.engine.state import ActivationState, Reason

if TYPE_CHECKING:
    from workflow.engine.decision import Decision
    from workflow.engine.flowdoc.steps import ApproveStep
    from workflow.engine.moves import Asked
    from workflow.engine.plan import Plan, Region
    from workflow.engine.state import Activation, State

NOBODY = "people.nobody"


def targets(plan: Plan, state: State, activation: Activation) -> tuple[str, ...]:
    """Where the holder of a seat may send the request: "start", then visited human dominators.

    In document order; a step that was passed over (nobody found) was not visited.
    """
    planned = plan.steps.get(activation.step)
    if planned is None:
        return ()
    visited = [step for step in planned.dominators if _was_visited(plan, state, step)]
    return (START, *visited)


def previous(plan: Plan, state: State, activation: Activation) -> str:
    """The nearest of these targets."""
    found = targets(plan, state, activation)
    return found[-1] if found else START


def _was_visited(plan: Plan, state: State, step: str) -> bool:
    return (
        isinstance(plan.steps[step].step, HumanStep)
        and state.rounds.get(step, 0) > 0
        and state.outcomes.get(step) != "skipped"
    )


def send_back(
    run: Decision,
    activation: Activation,
    to: str,
    *,
    resume: bool,
    by_seat: int,
    reason: Reason = Reason.RETURNED,
    comment: str = "",
) -> Move:
    """Close what stands on the way from an open step back to ``to``; the move that follows.

    ``resume``: whoever passes the target leads straight back to this step.
    """
    close_step(run, activation, ActivationState.RETURNED, reason, by_seat)
    back_at = activation.step if resume else ""
    return _back(run, lane_of(activation), to, Entry(reason, back_at), by_seat, comment)


def rejected(run: Decision, asked: Asked, step: ApproveStep) -> tuple[Move, ...]:
    """A rejection that sends the request back, as the step's reject rule says."""
    rule = step.reject.then
    if not isinstance(rule, RejectBack):
        return ()
    to = _target_of_rule(run, asked.activation, rule)
    resume = step.id if rule.resume == "here" else ""
    entry = Entry(Reason.RETURNED, resume)
    return (_back(run, lane_of(asked.activation), to, entry, asked.by_seat),)


def _target_of_rule(run: Decision, activation: Activation, rule: RejectBack) -> str:
    if isinstance(rule.to, BackTo):
        return rule.to.step
    if rule.to == "ask":
        # A rejection without a person (a deadline, nobody found) asked nobody.
        return run.asked_target or START
    return START if rule.to == "start" else previous(run.plan, run.state, activation)


def goto(run: Decision, lane: Lane, to: str) -> Move:
    """A goto step leads back."""
    return _back(run, lane, to, Entry(Reason.AUTO_STEP), 0)


def _back(
    run: Decision, lane: Lane, to: str, entry: Entry, by_seat: int, comment: str = ""
) -> Move:
    """Leave the blocks that do not hold ``to``, from the inside to the outside.

    Of a block that is left only the outermost has to be found: it holds all others.
    """
    goal, outermost = _lane_that_holds(run, lane, to)
    if outermost is not None:
        for inner in run.state.inside(outermost.number):
            close_step(run, inner, ActivationState.CLOSED, Reason.RETURNED, by_seat)
        close_step(run, outermost, ActivationState.CLOSED, Reason.RETURNED, by_seat)
    run.emit(WentBack(to=to, reason=entry.because or Reason.RETURNED, comment=comment))
    return Move(Target("step", to), goal, entry)


def _lane_that_holds(run: Decision, lane: Lane, to: str) -> tuple[Lane, Activation | None]:
    """The lane around ``lane`` in which ``to`` stands, and the outermost block to leave for it."""
    around = _lanes_around(run, lane)
    return around[len(around) - 1 - len(lanes_of(run.plan, to))]


def _lanes_around(run: Decision, lane: Lane) -> list[tuple[Lane, Activation | None]]:
    """Each lane from here to the root, with the block that has to be left to be in it."""
    found: list[tuple[Lane, Activation | None]] = [(lane, None)]
    while found[-1][0] != ROOT:
        block = run.state.activation(found[-1][0].within)
        if block is None:
            message = f"The block {found[-1][0].within} is not open."
            raise ValueError(message)
        found.append((lane_of(block), block))
    return found


def lanes_of(plan: Plan, step: str) -> Region:
    """The blocks and branches around a step whose lanes run side by side; none for the start."""
    return () if step == START else plan.steps[step].lanes


def resumed(run: Decision, step: str, lane: Lane) -> Move:
    """Straight back to the step that returned the request.

    If it stands inside a block that was left, that block is entered again instead: its other
    branches were closed by the return and have to run too.
    """
    planned = run.plan.steps.get(step)
    here = len(_lanes_around(run, lane)) - 1
    if planned is None or len(planned.lanes) == here:
        return Move(Target("step", step), lane, Entry(Reason.RETURNED))
    return Move(Target("step", planned.lanes[here][0]), lane, Entry(Reason.RETURNED))


def enter_start(run: Decision, lane: Lane, entry: Entry) -> None:
    """The request is with its initiator again, as an ordinary task (contract, Withdraw)."""
    number = enter(run, START, lane, entry)
    initiator = next(iter(run.facts.people_by_id([run.state.initiator])), None)
    if initiator is None or not initiator.active:
        run.emit(InstanceHeld(activation=number, code=NOBODY))
        return
    run.emit(TaskAssigned(activation=number, seat=run.state.last_seat + 1, holder=initiator.id))
