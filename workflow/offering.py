"""What a person may do with a task or a request now, as pages and REST offer it.

Nothing is decided here twice: the engine's own guards are asked, and whether a decision can be
taken back is found by taking it back without keeping the result. So what is offered is what would
be accepted (approvals.md 4, tests 44 and 72).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from flowadmin.directory import permissions
from workflow import queries
from workflow.engine import going_back
from workflow.engine.answering import may_retry
from workflow.engine.commands import TakeBack
from workflow.engine.decide import decide
from workflow.engine.evidence import comment_rule, evidence_of
from workflow.engine.flowdoc.durations import seconds_of
from workflow.engine.flowdoc.rules import RejectBack
from workflow.engine.flowdoc.steps import ApproveStep, HumanStep, WorkStep
from workflow.engine.future import why_no_edit
from workflow.engine.guarding import Stand, return_targets, why_no_removal
from workflow.engine.managing import why_no_withdrawal
from workflow.engine.offers import VERBS, Offer, offers
from workflow.engine.picking import picks_asked
from workflow.engine.plan import START
from workflow.engine.rejections import Rejection
from workflow.engine.state import InstanceState, SeatState
from workflow.models import SPAN, Task
from workflow.published import definition_of
from workflow.runtime.facts import Organisation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from flowadmin.directory.models import User
    from workflow.engine.decision import Definition
    from workflow.engine.events import AnyEvent
    from workflow.engine.state import Activation, Seat, State
    from workflow.models import Instance
    from workflow.queries import TaskLine

# What may be done to a request as a whole (contract; `retry` is ours).
INSTANCE_VERBS = (
    "withdraw", "resubmit", "cancel", "reassign", "suspend", "resume", "jump", "retry",
    "edit-future", "urge",
)  # fmt: skip
# A list does not read longer histories; the detail of a task does.
LONGEST_READ_FOR_A_LIST = 1000
_DECIDED = frozenset({SeatState.APPROVED, SeatState.REJECTED, SeatState.DONE})


@dataclass(frozen=True, slots=True)
class Held:
    """A task as far as it matters to what may be done with it."""

    pk: int
    holder: int
    state: str
    decided_at: datetime | None
    copy: bool = False

    @property
    def number(self) -> int:
        """The number of the seat in its request."""
        return self.pk % SPAN

    @classmethod
    def of(cls, task: Task) -> Held:
        """A task's row."""
        copy = task.kind == Task.Kind.COPY
        return cls(task.pk, task.holder_id, task.state, task.decided_at, copy)


@dataclass(frozen=True, slots=True)
class Situation:
    """One person before one request; ``history`` reads it, and is asked only if it matters."""

    user: User
    definition: Definition
    state: State
    now: datetime
    history: Callable[[], Sequence[AnyEvent]]

    @property
    def manages(self) -> bool:
        """Whether the person steers requests."""
        return permissions.has(self.user, permissions.FLOW_MANAGE)


def task_offers(at: Situation, held: Held) -> tuple[Offer, ...]:
    """All verbs of the contract for this person and this task, with the reason of each refusal.

    Whoever may read a running request may comment; a manager removes whoever was added.
    """
    found = None if held.copy else at.state.seat(held.number)
    user = at.user.pk
    take_back = Offer("take-back", allowed=False, code=_why_no_take_back(at, held))
    if not take_back.code:
        take_back = take_back._replace(allowed=True)
    if found is None:
        known = tuple(_closed(verb, at, held) for verb in VERBS)
    else:
        known = offers(at.definition, at.state, *found, user)
    special = {
        "comment": _commenting(at.state),
        "take-back": take_back,
        "remove-signer": _removing(at, found),
    }
    return tuple(special.get(offer.verb, offer) for offer in known)


def verbs(found: Sequence[Offer]) -> list[str]:
    """The verbs that would be accepted, in the contract's order."""
    return [offer.verb for offer in found if offer.allowed]


def verbs_of_lines(
    user: User, lines: Sequence[TaskLine], now: datetime, *, copies: bool = False
) -> dict[int, list[str]]:
    """The verbs of each row of a person's own task list, in two statements for the whole page.

    Taking back is offered only where a short history says so; `task_offers` of one task reads
    the longest.
    """
    states = queries.states_of({line.instance_id for line in lines})
    asked: dict[int, Held] = {}
    for line in lines:
        asked[line.id] = Held(line.id, user.pk, line.state, line.decided_at, copies)
    wanted = {
        line.instance_id
        for line in lines
        if states[line.instance_id].position <= LONGEST_READ_FOR_A_LIST
        and not _why_no_history(
            definition_of(line.version_id), states[line.instance_id], asked[line.id], user, now
        )
    }
    histories = queries.histories_of(wanted)
    found: dict[int, list[str]] = {}
    for line in lines:
        at = Situation(
            user,
            definition_of(line.version_id),
            states[line.instance_id],
            now,
            _known(histories.get(line.instance_id, [])),
        )
        found[line.id] = verbs(task_offers(at, asked[line.id]))
    return found


def _known(history: Sequence[AnyEvent]) -> Callable[[], Sequence[AnyEvent]]:
    return lambda: history


def removable(at: Situation, held: Held) -> tuple[int, ...]:
    """Ids of the tasks of added people that this person may remove from the task's step."""
    found = at.state.seat(held.number)
    if found is None:
        return ()
    first = held.pk - held.number
    return tuple(first + int(number) for number in _removing(at, found).choices)


def return_steps(at: Situation, held: Held) -> tuple[str, ...]:
    """Where the holder may return the request to, first the start."""
    found = at.state.seat(held.number)
    return () if found is None else return_targets(_stand(at, *found))


def rejection_steps(at: Situation, held: Held) -> tuple[str, ...]:
    """Where a rejection may lead back to, where the step lets the person choose."""
    found = at.state.seat(held.number)
    if found is None:
        return ()
    step = _stand(at, *found).step
    then = step.reject.then if isinstance(step, ApproveStep) else None
    if not isinstance(then, RejectBack) or then.to != "ask":
        return ()
    return going_back.targets(at.definition.plan, at.state, found[0])


def jump_steps(definition: Definition) -> tuple[str, ...]:
    """Where a manager may jump to: the start, each step outside parallel branches, the end."""
    steps = [name for name, placed in definition.plan.steps.items() if not placed.lanes]
    return (START, *steps, "end")


def instance_verbs(user: User, definition: Definition, state: State) -> list[str]:
    """What this person may do to a request as a whole now (contract, `instances/` actions)."""
    if state.status is not InstanceState.RUNNING:
        return []
    found = []
    if why_no_withdrawal(definition, state, user.pk) is None:
        found.append("withdraw")
    if _waits_at_start(state, user.pk):
        found.append("resubmit")
    if permissions.has(user, permissions.FLOW_MANAGE):
        found.append("cancel")
        if _can_be_given(definition, state):
            found.append("reassign")
        if not state.paused and retry_steps(definition, state):
            found.append("retry")
        found.extend(["resume"] if state.paused else ["suspend", "jump"])
    if may_edit_future(user, definition, state):
        found.append("edit-future")
    return found


def may_urge(user: User, instance: Instance, state: State, tasks: Iterable[Task]) -> bool:
    """Whether urging is the person's, and somebody else could act; not whether it is too soon.

    ``tasks`` are those of the request with their holders. Source: contract, Urge.
    """
    return (
        instance.initiator_id == user.pk
        and state.status is InstanceState.RUNNING
        and not state.paused
        and any(
            task.state == Task.State.OPEN and task.holder_id != user.pk and task.holder.is_active
            for task in tasks
        )
    )


def may_edit_future(user: User, definition: Definition, state: State) -> bool:
    """Whether this person may change what comes next in the request now."""
    manager = permissions.has(user, permissions.FLOW_MANAGE)
    return why_no_edit(definition, state, user.pk, manager=manager) is None


def lets_edit(definition: Definition, step_id: str) -> bool:
    """Whether this step lets the holders of its tasks change what comes next."""
    planned = definition.plan.steps.get(step_id)
    step = planned.step if planned is not None else None
    return isinstance(step, HumanStep) and step.acts.edit_future


def retry_steps(definition: Definition, state: State) -> dict[int, str]:
    """The held steps that may be tried again: their ids by the number of the activation."""
    return {
        each.number: each.step
        for each in state.activations
        if may_retry(definition, state, each.number)
    }


def bulk_obstacle(definition: Definition, step_id: str, action: str) -> str:
    """Why a task of this step cannot be decided together with others; empty when it can.

    ``action``: approve, reject or complete. A comment can be given for all of them; whatever else
    a decision asks for has to be seen to one by one (interface.md 7.3, Batch approve).
    """
    planned = definition.plan.steps.get(step_id)
    step = planned.step if planned is not None else None
    evidence = evidence_of(definition, step_id)
    if evidence is not None and "must" in (evidence.signature, evidence.files):
        return "bulk.evidence_needed"
    if action == "reject":
        then = step.reject.then if isinstance(step, ApproveStep) else None
        asks = isinstance(then, RejectBack) and then.to == "ask"
        return "bulk.target_needed" if asks else ""
    if "must" in definition.rights_at(step_id).values():
        return "bulk.form_needed"
    if any(pick.needed and pick.least for pick in picks_asked(definition.plan, step_id)):
        return "bulk.people_needed"
    return ""


def bulk_verbs(definition: Definition, step_id: str) -> list[str]:
    """The bulk actions that a task of this step takes, by its kind and what it asks for."""
    planned = definition.plan.steps.get(step_id)
    step = planned.step if planned is not None else None
    if isinstance(step, ApproveStep):
        wanted = ["approve", "reject"]
    else:
        wanted = ["complete"] if step_id == START or isinstance(step, WorkStep) else []
    return [action for action in wanted if not bulk_obstacle(definition, step_id, action)]


def asks_for_comment(definition: Definition, step_id: str, action: str) -> bool:
    """Whether this decision has to carry a comment."""
    rule = comment_rule(definition, step_id)
    return rule == "must" or (rule == "to_reject" and action == "reject")


def _closed(verb: str, at: Situation, held: Held) -> Offer:
    """The answer for a task whose step is over, or that is only there to be read."""
    if held.copy:
        return Offer(verb, allowed=False, code="act.not_here")  # type: ignore[arg-type]
    code = "task.not_open" if held.holder == at.user.pk else "task.not_yours"
    return Offer(verb, allowed=False, code=code)  # type: ignore[arg-type]


def _commenting(state: State) -> Offer:
    running = state.status is InstanceState.RUNNING
    return Offer("comment", allowed=running, code="" if running else "instance.not_running")


def _removing(at: Situation, found: tuple[Activation, Seat] | None) -> Offer:
    if found is None or at.state.status is not InstanceState.RUNNING:
        return Offer("remove-signer", allowed=False, code="task.not_open")
    stand = _stand(at, *found)
    numbers = [
        str(seat.number)
        for seat in found[0].seats
        if why_no_removal(stand, seat, manager=at.manages) is None
    ]
    code = "" if numbers else "signer.not_yours"
    return Offer("remove-signer", allowed=bool(numbers), code=code, choices=tuple(numbers))


def _stand(at: Situation, activation: Activation, seat: Seat) -> Stand:
    return Stand(at.definition, at.state, activation, seat, at.user.pk)


def _why_no_take_back(at: Situation, held: Held) -> str:
    """Take it back, and forget that: the code of the refusal, empty when it was accepted."""
    known = _why_no_history(at.definition, at.state, held, at.user, at.now)
    if known:
        return known
    command = TakeBack(
        seat=held.number,
        by=at.user.pk,
        comment="",
        history=at.history(),
        decided_at=held.decided_at or at.now,
    )
    try:
        decide(at.definition, at.state, command, Organisation(at.user.tenant_id, at.now), at.now)
    except Rejection as refusal:
        return refusal.code
    return ""


def _why_no_history(
    definition: Definition, state: State, held: Held, user: User, now: datetime
) -> str:
    """Why taking back is out of the question, as far as no history is needed to know."""
    decided = held.state in _DECIDED and held.decided_at is not None and not held.copy
    for code, applies in (
        ("task.not_yours", held.holder != user.pk),
        ("take_back.not_decided", not decided),
        ("act.switched_off", not definition.plan.doc.policy.take_back.on),
        ("instance.not_running", state.status is not InstanceState.RUNNING),
        ("instance.paused", state.paused),
        ("take_back.too_late", _is_too_late(definition, held, now)),
    ):
        if applies:
            return code
    return ""


def _is_too_late(definition: Definition, held: Held, now: datetime) -> bool:
    within = definition.plan.doc.policy.take_back.within
    seconds = seconds_of(within) if within is not None else None
    if seconds is None or held.decided_at is None:
        return False
    return (now - held.decided_at).total_seconds() > seconds


def _waits_at_start(state: State, user: int) -> bool:
    return not state.paused and any(
        activation.step == START and seat.holder == user and seat.is_open
        for activation in state.activations
        for seat in activation.seats
    )


def _can_be_given(definition: Definition, state: State) -> bool:
    """A task that waits is given to somebody; a step that is held for want of people, too."""
    for activation in state.activations:
        if any(seat.waits for seat in activation.seats):
            return True
        planned = definition.plan.steps.get(activation.step)
        asks_people = planned is None or isinstance(planned.step, HumanStep)
        if asks_people and not activation.seats and activation.number in state.incidents:
            return True
    return False
