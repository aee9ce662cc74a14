"""A running request is moved to another version of its process, and back again.

Theory of operation. The move is one decision: what the new version no longer has is closed while
the old one still names it, then `Migrated` stands in the history, and from there on everything
is reckoned by the new version. A move decides nothing for anybody: one that would end the request
is refused. Therefore it can be undone as long as nothing followed from it but what a rule does:
the history says how the request stood before, and so it stands again (approvals.md 5, idea 6).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from workflow.engine import routing
from workflow.engine.children import CHILD
from workflow.engine.ending import close_step
from workflow.engine.events import (
    BranchArrived,
    BranchLeft,
    BranchTaken,
    ChildrenPlanned,
    Commented,
    GotoDecided,
    InstanceHeld,
    InstancePaused,
    InstanceReleased,
    InstanceResumed,
    Migrated,
    MigrationUndone,
    Remembered,
    RulesAsked,
    StepEnded,
    StepEntered,
    StepMoved,
    StepReopened,
    SubstituteAsked,
    TaskApproved,
    TaskAssigned,
    TaskBlocked,
    TaskClosed,
    TaskOpened,
    TaskSnoozed,
    WentBack,
    WorkAsked,
    WorkEnded,
)
from workflow.engine.evolve import fold
from workflow.engine.managing import require_moving, require_running
from workflow.engine.migrating import plan_move
from workflow.engine.moves import Entry, Move
from workflow.engine.rejections import NotOpen
from workflow.engine.seat_folds import SEAT_FOLDS
from workflow.engine.settling import settle, step_of
from workflow.engine.state import ActivationState, InstanceState, Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workflow.engine.commands import Migrate, UndoMigration
    from workflow.engine.decision import Decision
    from workflow.engine.events import AnyEvent
    from workflow.engine.migrating import MovePlan
    from workflow.engine.state import Seat, State, Work

replace = msgspec.structs.replace

STUCK = "migrate.stuck"
WOULD_END = "migrate.would_end"
NOT_MOVED = "migrate.not_moved"
DECIDED = "migrate.decided"
SENT = "migrate.sent"

# Work that reaches others: once it was asked for, nobody can say that nothing has happened.
_REACHES_OTHERS = frozenset({"http", CHILD})
# What may stand behind a move that is undone: what a move itself does, and what decides nothing.
_HARMLESS = (
    BranchArrived, BranchLeft, BranchTaken, ChildrenPlanned, Commented, GotoDecided, InstanceHeld,
    InstancePaused, InstanceReleased, InstanceResumed, Migrated, MigrationUndone, RulesAsked,
    StepEntered, StepMoved, StepReopened, SubstituteAsked, TaskBlocked, TaskOpened, TaskSnoozed,
    WorkAsked,
)  # fmt: skip
_BY_RULE = frozenset({Reason.DEDUPE, Reason.SELF_RULE})
_BY_PROCESS = frozenset({"designed", "substitute"})


def migrate(run: Decision, command: Migrate) -> None:
    """Go on by another version, as `plan_move` says.

    Raises NotOpen: instance.not_running, instance.paused, migrate.stuck (``step``, ``why``,
    ``about``), migrate.would_end.
    """
    require_running(run)
    require_moving(run)
    plan = plan_move(run.definition, command.definition, run.state)
    for fate in plan.stuck:
        raise NotOpen(STUCK, step=fate.step, why=fate.why, about=list(fate.about))
    since = run.state.position
    _leave_blocks(run, plan)
    _close_removed(run, plan)
    run.emit(
        Migrated(
            old=command.old,
            new=command.new,
            old_number=command.old_number,
            new_number=command.new_number,
            since=since,
            comment=command.comment,
            emptied=plan.dropped,
            edits=command.edits,
        )
    )
    run.definition = command.definition
    _lead_elsewhere(run, plan)
    _end_watches(run, plan)
    moves = [
        Move(fate.target, fate.lane, Entry(Reason.MIGRATED))
        for fate in plan.fates
        if fate.target is not None
    ]
    routing.go(run, moves, Reason.MIGRATED)
    _reckon_anew(run, plan)
    if run.state.status is not InstanceState.RUNNING:
        # A request is decided by people, not by whoever publishes a process.
        raise NotOpen(WOULD_END, state=run.state.status.value)


def _leave_blocks(run: Decision, plan: MovePlan) -> None:
    for fate in plan.of("moved"):
        found = run.state.activation(fate.activation)
        if found is not None:
            run.emit(
                StepMoved(
                    activation=fate.activation,
                    within=fate.lane.within,
                    branch=fate.lane.branch,
                    resume=found.resume,
                )
            )


def _close_removed(run: Decision, plan: MovePlan) -> None:
    """From the inside to the outside: a step's number is greater than that of its block."""
    for fate in reversed(plan.of("removed", "asked_again")):
        found = run.state.activation(fate.activation)
        if found is not None:
            close_step(run, found, ActivationState.CLOSED, Reason.MIGRATED)


def _lead_elsewhere(run: Decision, plan: MovePlan) -> None:
    """Correct where steps lead straight back to, where the new version has no such step."""
    for number, resume in plan.resumes.items():
        found = run.state.activation(number)
        if found is not None:
            run.emit(
                StepMoved(
                    activation=number, within=found.within, branch=found.branch, resume=resume
                )
            )


def _end_watches(run: Decision, plan: MovePlan) -> None:
    """Nothing follows any more from a deadline of which the new version says so."""
    kept = {each.activation for each in plan.of("kept", "re_evaluated", "moved")}
    for work in run.state.work:
        activation = run.state.activation(work.activation)
        if not work.seat or activation is None or activation.number not in kept:
            continue
        step = step_of(run.plan, activation)
        if step is not None and (step.deadline is None or step.deadline.then == "none"):
            run.emit(WorkEnded(job=work.number, done=False))


def _reckon_anew(run: Decision, plan: MovePlan) -> None:
    """Count seats and branches by the new rules; what is complete by them is complete now."""
    for fate in reversed(plan.of("re_evaluated")):
        found = run.state.activation(fate.activation)
        if found is None:
            continue
        if found.branches:
            routing.recount(run, found.number, Reason.MIGRATED)
            continue
        asked = settle(run, found.number)
        if asked is not None:
            routing.follow(run, asked)


# Back again --------------------------------------------------------------------------------------


def undo(run: Decision, command: UndoMigration) -> None:
    """Stand again as before the last move. What was decided since forbids it.

    Raises NotOpen: instance.not_running, instance.paused, migrate.not_moved, migrate.decided,
    migrate.sent.
    """
    require_running(run)
    require_moving(run)
    place = _last_move(command.history)
    moved = command.history[place] if place is not None else None
    if place is None or not isinstance(moved, Migrated):
        raise NotOpen(NOT_MOVED)
    if (moved.old, moved.new) != (command.old, command.new):
        raise NotOpen(NOT_MOVED)
    before = fold(command.history[: moved.since])
    refusal = _why_not(run.state, before, command.history, place)
    if refusal:
        raise NotOpen(refusal)
    _close_opened(run, before)
    run.emit(
        MigrationUndone(
            old=command.new,
            new=command.old,
            old_number=command.new_number,
            new_number=command.old_number,
            was=_remembered(before),
            comment=command.comment,
        )
    )
    run.definition = command.definition
    _open_again(run, before, command.history)
    _ask_again(run, before, command.history)


def _last_move(history: Sequence[AnyEvent]) -> int | None:
    """The index of the last move that was not undone."""
    moves: list[int] = []
    for index, event in enumerate(history):
        if isinstance(event, Migrated):
            moves.append(index)
        elif isinstance(event, MigrationUndone) and moves:
            moves.pop()
    return moves[-1] if moves else None


def _why_not(state: State, before: State, history: Sequence[AnyEvent], place: int) -> str:
    since = history[place + 1 :]
    worked = {each.activation for each in history if isinstance(each, WorkAsked) and not each.seat}
    if any(not _is_harmless(each, worked) for each in since):
        return DECIDED
    kept = {each.number for each in state.work}
    kinds = {each.kind for each in since if isinstance(each, WorkAsked)}
    kinds.update(each.kind for each in before.work if each.number not in kept)
    return SENT if kinds & _REACHES_OTHERS else ""


def _is_harmless(event: AnyEvent, worked: set[int]) -> bool:
    match event:
        case StepEnded():
            # Not harmless: a worker has carried it out.
            harmless = event.reason is not Reason.AUTO_STEP or event.activation not in worked
        case TaskApproved():
            harmless = event.reason in _BY_RULE
        case TaskAssigned():
            harmless = event.origin in _BY_PROCESS
        case WentBack():
            # Whoever sends a request back, or lets a deadline do it, leaves other events too.
            harmless = event.reason is not Reason.ADMIN
        case WorkEnded():
            harmless = not event.done
        case TaskClosed():
            harmless = not event.removed
        case _:
            harmless = isinstance(event, _HARMLESS)
    return harmless


def _remembered(before: State) -> Remembered:
    return Remembered(
        values=before.values,
        outcomes=before.outcomes,
        deciders=before.deciders,
        incidents=before.incidents,
        approvals=before.approvals,
        jumps=before.jumps,
        lap=before.lap,
    )


def _close_opened(run: Decision, before: State) -> None:
    """Close what was not open before the move, from the inside to the outside.

    What a kept step had begun by the new rule (a deadline of a task that opened) is called off.
    """
    for activation in reversed(run.state.activations):
        if before.activation(activation.number) is None:
            close_step(run, activation, ActivationState.CLOSED, Reason.MIGRATED)
    known = {each.number for each in before.work}
    for work in run.state.work:
        if work.number not in known:
            run.emit(WorkEnded(job=work.number, done=False))


def _open_again(run: Decision, before: State, history: Sequence[AnyEvent]) -> None:
    versions = _versions(history)
    for was in before.activations:
        if run.state.activation(was.number) != was:
            seats = tuple(_waiting_again(seat, versions) for seat in was.seats)
            run.emit(StepReopened(was=replace(was, seats=seats)))


def _waiting_again(seat: Seat, versions: dict[int, int]) -> Seat:
    return replace(seat, version=versions[seat.number] + 1) if seat.waits else seat


def _versions(history: Sequence[AnyEvent]) -> dict[int, int]:
    """The newest version of each seat: versions only grow, also of a seat that waits again."""
    versions: dict[int, int] = {}
    for event in history:
        if isinstance(event, TaskAssigned):
            versions[event.seat] = 1
        elif isinstance(event, StepReopened):
            versions |= {seat.number: seat.version for seat in event.was.seats}
        elif type(event) in SEAT_FOLDS and (version := getattr(event, "version", 0)):
            versions[getattr(event, "seat", 0)] = version
    return versions


def _ask_again(run: Decision, before: State, history: Sequence[AnyEvent]) -> None:
    """Work that the move had cancelled is asked for again, due when it was due before."""
    due = {each.number: each.due for each in history if isinstance(each, WorkAsked)}
    open_now = {each.number for each in run.state.work}
    for work in before.work:
        if work.number not in open_now:
            run.emit(_asked_anew(run, work, due.get(work.number, "")))


def _asked_anew(run: Decision, work: Work, due: str) -> WorkAsked:
    return WorkAsked(
        activation=work.activation,
        kind=work.kind,
        job=run.state.last_job + 1,
        seat=work.seat,
        due=due,
        child=work.child,
        version=work.version,
    )
