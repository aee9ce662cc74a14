"""A step that asks people is entered: who is found, who gets a seat, and what nobody means."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import msgspec

from workflow.engine.dedupe import digest_seen, may_be_reused, repeats_of
from workflow.engine.entering import enter
from workflow.engine.events import InstanceHeld, StepEnded, TaskApproved, TaskAssigned
from workflow.engine.finding_people import find_people
from workflow.engine.flowdoc.rules import DecideDraw, DecideInOrder, DecideVote
from workflow.engine.moves import Asked, Verdict
from workflow.engine.rejections import Invalid
from workflow.engine.settling import begin_watch, due_now, settle, step_of
from workflow.engine.state import ActivationState, Reason, SeatState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workflow.engine.decision import Decision
    from workflow.engine.dedupe import Repeat
    from workflow.engine.flowdoc.steps import HumanStep
    from workflow.engine.moves import Entry, Lane
    from workflow.engine.plan import PlanStep
    from workflow.engine.sources import Assignment

replace = msgspec.structs.replace

NOBODY = "people.nobody"
NOT_DRAWN = "not_drawn"


def ask_people(run: Decision, at: PlanStep, step: HumanStep, lane: Lane, entry: Entry) -> Asked:
    """Enter an approve or work step; what came of it at once.

    Raises Invalid (people.nobody) when nobody is found, the step says *refuse_start*, and this is
    the start.
    """
    found, verdict = find_people(run, step)
    if verdict == "refuse_start" and run.starting:
        raise Invalid(NOBODY, step=step.id, name=step.name)
    if isinstance(step.decide, DecideDraw):
        _draw(run, step.id, found)
    number = enter(
        run,
        at.id,
        lane,
        entry,
        chosen=found.reasons,
        dropped=tuple(found.dropped),
        when_empty=verdict,
    )
    if not found.chosen:
        return _without_people(run, number, verdict)
    if entry.because is Reason.RETURNED:
        # Whoever sent the request back wants the step to be decided (approvals.md 4, test 17).
        found.passes_itself = None
        _seat_people(run, number, step, found, {})
    else:
        _seat_people(run, number, step, found, repeats_of(run, at, step, found.people))
    asked = settle(run, number)
    if asked is None:
        message = f"The step {at.id} has people and no seats."
        raise ValueError(message)
    return asked


def assign(run: Decision, seat: TaskAssigned, *, timed: bool = True) -> None:
    """Give a person a seat. The deadline of a seat that is open begins now.

    ``timed`` is false for a seat that is decided by a rule in the same breath.
    """
    found = run.state.activation(seat.activation)
    step = step_of(run.plan, found) if found is not None else None
    if not timed or seat.state is not SeatState.OPEN:
        run.emit(seat)
        return
    due = due_now(run, step)
    run.emit(replace(seat, due=due))
    begin_watch(run, seat.activation, seat.seat, due)


def weight_of(run: Decision, step: HumanStep | None, user: int) -> int:
    """The weight of a person's vote in a step; 1 for whoever is not listed."""
    if step is None or not isinstance(step.decide, DecideVote) or not step.decide.weights:
        return 1
    for person in run.facts.people_by_id([user]):
        return step.decide.weights.get(person.login, 1)
    return 1


def _draw(run: Decision, step: str, found: Assignment) -> None:
    """One of those found, drawn by the request's number, so that a replay draws the same."""
    if len(found.chosen) < 2:
        return
    turn = f"{run.state.number}|{step}|{run.state.rounds.get(step, 0) + 1}"
    lot = int(hashlib.sha256(turn.encode()).hexdigest(), 16) % len(found.chosen)
    for place, (person, _) in enumerate(found.chosen):
        if place != lot:
            found.drop(person.id, NOT_DRAWN)
    found.chosen = [found.chosen[lot]]
    if found.passes_itself not in found.people:
        found.passes_itself = None


def _without_people(run: Decision, number: int, verdict: str) -> Asked:
    """What the empty rule says in the end; an incident where it says nothing, never a wait."""
    activation = run.state.activation(number)
    if activation is None:
        message = f"The activation {number} was not entered."
        raise ValueError(message)
    if verdict not in {"approve", "reject"}:
        # hold, and refuse_start when it is no start any more.
        run.emit(InstanceHeld(activation=number, code=NOBODY))
        return Asked(activation, None, Reason.EMPTY_RULE)
    passes = verdict == "approve"
    run.emit(
        StepEnded(
            activation=number,
            state=ActivationState.SKIPPED if passes else ActivationState.REFUSED,
            reason=Reason.EMPTY_RULE,
            outcome="skipped" if passes else "rejected",
        )
    )
    ended = Verdict.PASSED if passes else Verdict.REFUSED
    return Asked(activation, ended, Reason.EMPTY_RULE)


def _seat_people(
    run: Decision,
    number: int,
    step: HumanStep,
    found: Assignment,
    repeats: Mapping[int, Repeat],
) -> None:
    """Give each person a seat; one by one, only the first is open. Then what passes by itself."""
    by_itself = {*repeats, found.passes_itself}
    waits = False
    seats: dict[int, int] = {}
    for person, why in found.chosen:
        asks = person.id not in by_itself
        seats[person.id] = run.state.last_seat + 1
        seat = TaskAssigned(
            activation=number,
            seat=seats[person.id],
            holder=person.id,
            state=SeatState.BLOCKED if waits and asks else SeatState.OPEN,
            weight=weight_of(run, step, why.instead_of or person.id),
            origin="substitute" if why.instead_of else "designed",
            absent=why.instead_of,
        )
        assign(run, seat, timed=asks)
        waits = waits or (asks and isinstance(step.decide, DecideInOrder))
    if found.passes_itself is not None:
        _approve_itself(run, seats[found.passes_itself], Reason.SELF_RULE)
    digest = digest_seen(run, step.id)
    for user, repeat in repeats.items():
        if user != found.passes_itself:
            _approve_itself(
                run,
                seats[user],
                Reason.DEDUPE,
                form=digest if repeat.because else "",
                because=repeat.because,
                later=repeat.later,
                reusable=bool(repeat.because) and may_be_reused(run.plan),
            )


def _approve_itself(
    run: Decision,
    number: int,
    reason: Reason,
    *,
    form: str = "",
    because: int = 0,
    later: str = "",
    reusable: bool = False,
) -> None:
    """A seat that approves by a rule: the initiator's own, or one that has approved already."""
    found = run.state.seat(number)
    if found is not None:
        run.emit(
            TaskApproved(
                seat=number,
                version=found[1].version + 1,
                reason=reason,
                form=form,
                because=because,
                later=later,
                reusable=reusable,
            )
        )
