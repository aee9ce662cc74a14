"""Everything that can have happened to a request, in past tense; the history is made of these.

Each event carries what was decided *and why*, so that a replay asks nobody again and the history
stays true when the organisation changes. Actor and time stand beside the event, in its row.
"""

from __future__ import annotations

import msgspec

from workflow.engine.state import ActivationState, InstanceState, Reason, SeatState
from workflow.forms.scalars import Value


class Event(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field="event"):
    """Base of all events; the tag is the stored kind."""


class Leaf(msgspec.Struct, frozen=True, omit_defaults=True):
    """One question of a condition with the value it saw (explanations, approvals.md 5.1)."""

    asked: str
    op: str
    expected: str = ""
    seen: str = ""
    held: bool = False
    no_value: bool = False
    kind: str = "field"


class Chosen(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a person was chosen: the source's kind and what of it (a role's code, a login …)."""

    user: int
    by: str
    of: str = ""


class Dropped(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a person was left out: disabled, excluded, is the initiator, beyond the cap …"""

    user: int
    why: str


class InstanceStarted(Event, frozen=True, tag="instance_started"):
    initiator: int
    number: str
    title: str
    values: dict[str, Value]


class StepEntered(Event, frozen=True, tag="step_entered"):
    activation: int
    step: str
    round: int
    chosen: tuple[Chosen, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    # The empty rule's word when nobody was found: approve, reject, hold, refuse_start, people …
    when_empty: str = ""


class TaskAssigned(Event, frozen=True, tag="task_assigned"):
    activation: int
    seat: int
    holder: int
    state: SeatState = SeatState.OPEN


class TaskOpened(Event, frozen=True, tag="task_opened"):
    """A seat that waited for its turn became open (one by one)."""

    seat: int
    version: int


class TaskApproved(Event, frozen=True, tag="task_approved"):
    seat: int
    version: int
    reason: Reason = Reason.HUMAN
    comment: str = ""
    form: str = ""


class TaskRejected(Event, frozen=True, tag="task_rejected"):
    seat: int
    version: int
    reason: Reason = Reason.HUMAN
    comment: str = ""
    form: str = ""


class TaskClosed(Event, frozen=True, tag="task_closed"):
    """Ended without a decision of its own; ``by_seat`` is the decision that ended it, if any."""

    seat: int
    version: int
    reason: Reason
    by_seat: int = 0


class TaskReassigned(Event, frozen=True, tag="task_reassigned"):
    seat: int
    version: int
    before: int
    holder: int
    comment: str
    reason: Reason = Reason.ADMIN


class FormChanged(Event, frozen=True, tag="form_changed"):
    """New values by field; an emptied field has no value (null)."""

    changes: dict[str, Value]


class Commented(Event, frozen=True, tag="commented"):
    comment: str
    step: str = ""


class BranchTaken(Event, frozen=True, tag="branch_taken"):
    """A choice was made; ``leaves`` are the questions asked on the way to it, in order."""

    step: str
    branch: str
    leaves: tuple[Leaf, ...] = ()


class WorkAsked(Event, frozen=True, tag="work_asked"):
    """An automatic step became a durable row that a worker will claim."""

    activation: int
    kind: str


class CopySent(Event, frozen=True, tag="copy_sent"):
    """A copy for a reader: a seat that asks nothing of its holder."""

    activation: int
    seat: int
    why: Chosen

    @property
    def holder(self) -> int:
        return self.why.user


class StepEnded(Event, frozen=True, tag="step_ended"):
    """An activation ended; ``outcome`` is what conditions on this step see, if anything."""

    activation: int
    state: ActivationState
    reason: Reason
    outcome: str = ""


class InstanceHeld(Event, frozen=True, tag="instance_held"):
    """An incident: nobody can go on until a manager acts."""

    activation: int
    code: str


class InstanceReleased(Event, frozen=True, tag="instance_released"):
    """The incident is over."""

    activation: int


class InstanceFinished(Event, frozen=True, tag="instance_finished"):
    result: InstanceState
    reason: Reason
    comment: str = ""


AnyEvent = (
    InstanceStarted
    | StepEntered
    | TaskAssigned
    | TaskOpened
    | TaskApproved
    | TaskRejected
    | TaskClosed
    | TaskReassigned
    | FormChanged
    | Commented
    | BranchTaken
    | WorkAsked
    | CopySent
    | StepEnded
    | InstanceHeld
    | InstanceReleased
    | InstanceFinished
)
