"""What a person may do with a task now: one answer for those who offer it and those who do it.

Pages and REST offer what `offers` says, and the commands ask the same functions, so that nothing
is offered that would be refused, and nothing done that was not offered (approvals.md 2.10).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from workflow.engine import going_back
from workflow.engine.flowdoc.steps import ApproveStep, HumanStep, WorkStep
from workflow.engine.rejections import NotAllowed, NotOpen, Rejection
from workflow.engine.state import InstanceState
from workflow.engine.tallying import OWN_GROUP, READERS, claimer, depth_of, is_pool

if TYPE_CHECKING:
    from workflow.engine.decision import Definition
    from workflow.engine.flowdoc.rules import Acts
    from workflow.engine.state import Activation, Place, Seat, State

Verb = Literal[
    "approve", "reject", "complete", "return", "transfer", "delegate", "hand-back", "add-signer",
    "remove-signer", "copy", "comment", "take-back", "claim", "release", "snooze",
    "ask-substitute",
]  # fmt: skip
AddPlace = Literal["before", "after", "with"]

ADD_PLACES: tuple[AddPlace, ...] = ("before", "after", "with")
# How deep people may be added to people who were added (approvals.md 2.5).
DEEPEST = 3

# What needs no switch in the process: the holder's own affairs.
_OWN_AFFAIRS: frozenset[Verb] = frozenset({"snooze", "ask-substitute"})
# What moves nothing, and so may be done while the request is paused.
_WHILE_PAUSED: frozenset[Verb] = frozenset({"comment", "snooze", "ask-substitute"})
# What a delegate may do: he gives an opinion and does not decide (approvals.md 2.5).
_OF_DELEGATES: frozenset[Verb] = frozenset(
    {"hand-back", "transfer", "delegate", "add-signer", "copy", "comment"}
)
_OF_THE_START: frozenset[Verb] = frozenset({"complete", "comment", "snooze"})
_SWITCHES: dict[Verb, str] = {
    "transfer": "transfer",
    "delegate": "delegate",
    "copy": "send_copy",
    "comment": "comment",
    "release": "give_back",
}
_KINDS: dict[Verb, type[HumanStep]] = {
    "approve": ApproveStep,
    "reject": ApproveStep,
    "complete": WorkStep,
}


@dataclass(frozen=True, slots=True)
class Stand:
    """A person before a seat of an open step."""

    definition: Definition
    state: State
    activation: Activation
    seat: Seat
    user: int

    @property
    def step(self) -> HumanStep | None:
        """The step; nothing where the initiator has to send the request on."""
        planned = self.definition.plan.steps.get(self.activation.step)
        step = planned.step if planned is not None else None
        return step if isinstance(step, HumanStep) else None

    @property
    def place(self) -> Place | None:
        """How the seat's group was added; nothing for the step's own."""
        group = self.activation.group(self.seat.group)
        return group.place if group is not None else None


def why_not(verb: Verb, stand: Stand) -> Rejection | None:
    """Why the person may not do that with this seat now; nothing when he may.

    In the contract's order: what is not his or not allowed (403), then what is over (409).
    """
    if stand.seat.group == READERS:
        return NotAllowed("act.not_here", act=verb)
    if verb == "remove-signer":
        removable = removable_by(stand)
        return None if removable else NotAllowed("signer.not_yours")
    if stand.seat.holder != stand.user:
        return NotAllowed("task.not_yours")
    return _not_allowed(verb, stand) or _not_open(verb, stand)


def why_no_place(place: AddPlace, stand: Stand) -> Rejection | None:
    """Why people may not be added in this way; the tests that `why_not` leaves to the place."""
    name = f"add_{place}"
    step = stand.step
    if step is None or (stand.place == "delegate" and place != "before"):
        return NotAllowed("act.not_here", act=name)
    if not getattr(step.acts, name):
        return NotAllowed("act.switched_off", act=name)
    return None


def too_deep(stand: Stand) -> bool:
    """Whether nobody may be added before or after this seat, nor asked for an opinion on it."""
    return depth_of(stand.activation, stand.seat) >= DEEPEST


def return_targets(stand: Stand) -> tuple[str, ...]:
    """Where the holder may send the request back to (approvals.md 2.3, and ``acts.return_to``)."""
    step = stand.step
    if step is None or step.acts.return_to == "none":
        return ()
    where = (stand.definition.plan, stand.state, stand.activation)
    if step.acts.return_to == "previous":
        return (going_back.previous(*where),)
    allowed = going_back.targets(*where)
    if step.acts.return_to == "any":
        return allowed
    return tuple(each for each in allowed if each in step.acts.return_to)


def removable_by(stand: Stand) -> tuple[int, ...]:
    """The seats of the step that this person added and may remove again."""
    step = stand.step
    if step is None:
        return ()
    return tuple(
        seat.number
        for seat in stand.activation.seats
        if why_no_removal(stand, seat, manager=False) is None
    )


def why_no_removal(stand: Stand, seat: Seat, *, manager: bool) -> Rejection | None:
    """Why a seat of the step may not be removed (approvals.md 2.5: by its adder or a manager)."""
    step = stand.step
    if step is None or seat.origin not in {"added", "delegated"}:
        return NotAllowed("signer.not_added")
    if not manager:
        if seat.by != stand.user:
            return NotAllowed("signer.not_yours")
        switch = "delegate" if seat.origin == "delegated" else "remove_added"
        if not getattr(step.acts, switch):
            return NotAllowed("act.switched_off", act="remove-signer")
    if stand.state.paused:
        return NotOpen("instance.paused")
    return None if seat.waits else NotOpen("task.not_open")


def _not_allowed(verb: Verb, stand: Stand) -> Rejection | None:
    """What the process or the kind of the task does not let anybody do here (403)."""
    step = stand.step
    if step is None:
        allowed = verb in _OF_THE_START
        return None if allowed else NotAllowed("act.not_here", act=verb)
    if not _fits(verb, stand, step):
        return NotAllowed("act.not_here", act=verb)
    if verb == "add-signer":
        off = all(why_no_place(place, stand) is not None for place in ADD_PLACES)
    else:
        off = not _is_switched_on(verb, step.acts)
    return NotAllowed("act.switched_off", act=verb) if off else None


def _fits(verb: Verb, stand: Stand, step: HumanStep) -> bool:
    delegated = stand.place == "delegate"
    if verb in _OWN_AFFAIRS:
        return True
    if verb == "hand-back" or delegated:
        return delegated and verb in _OF_DELEGATES
    if verb in {"claim", "release"}:
        return is_pool(step) and stand.seat.group == OWN_GROUP
    return isinstance(step, _KINDS.get(verb, HumanStep))


def _is_switched_on(verb: Verb, acts: Acts) -> bool:
    if verb == "return":
        return acts.return_to != "none"
    switch = _SWITCHES.get(verb)
    return switch is None or bool(getattr(acts, switch))


def _not_open(verb: Verb, stand: Stand) -> Rejection | None:
    """What is over, or waits for something else (409)."""
    if stand.state.status is not InstanceState.RUNNING or not stand.seat.waits:
        return NotOpen("task.not_open")
    if stand.state.paused and verb not in _WHILE_PAUSED:
        return NotOpen("instance.paused")
    if verb == "comment":
        return None
    closed = None if stand.seat.is_open else NotOpen("task.not_open")
    nowhere = NotOpen("return.nowhere") if verb == "return" and not return_targets(stand) else None
    return _not_free(verb, stand) or closed or nowhere


def _not_free(verb: Verb, stand: Stand) -> Rejection | None:
    """Who took the work out of the pool, if that is what stands in the way."""
    taker = claimer(stand.activation)
    mine = taker is not None and taker.number == stand.seat.number
    if verb == "release" and not mine:
        return NotOpen("task.not_claimed")
    if taker is None or (mine and verb != "claim"):
        return None
    if verb == "claim" or (not stand.seat.is_open and stand.seat.group == OWN_GROUP):
        return NotOpen("task.claimed", by=taker.holder)
    return None
