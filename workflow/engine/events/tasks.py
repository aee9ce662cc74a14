"""What happened to the seats of a step: who got one, what became of it, who was added."""

from __future__ import annotations

from typing import Literal

from workflow.engine.events.basis import Event
from workflow.engine.state import Origin, Place, Reason, SeatState


class TaskAssigned(Event, frozen=True, tag="task_assigned"):
    """A person got a seat; the members are those of Seat."""

    activation: int
    seat: int
    holder: int
    state: SeatState = SeatState.OPEN
    group: int = 0
    weight: int = 1
    origin: Origin = "designed"
    by: int = 0
    absent: int = 0
    due: str = ""


class TaskOpened(Event, frozen=True, tag="task_opened"):
    """A seat that waited for its turn became open; ``due`` when its deadline begins now."""

    seat: int
    version: int
    due: str = ""


class TaskBlocked(Event, frozen=True, tag="task_blocked"):
    """An open seat has to wait: for people added before it, or because another took the work."""

    seat: int
    version: int


class TaskApproved(Event, frozen=True, tag="task_approved"):
    """``because`` is the earlier seat whose approval counts again (dedupe).

    ``later`` is the later step that asks the same person again, which is why this one need not.
    ``reusable``: a later step of this process may count this one again. ``files`` and
    ``signature`` are ids of files.
    """

    seat: int
    version: int
    reason: Reason = Reason.HUMAN
    comment: str = ""
    form: str = ""
    files: tuple[str, ...] = ()
    signature: str = ""
    because: int = 0
    later: str = ""
    reusable: bool = False


class TaskRejected(Event, frozen=True, tag="task_rejected"):
    """``to`` is the step that the person chose to go back to, where the step lets him choose."""

    seat: int
    version: int
    reason: Reason = Reason.HUMAN
    comment: str = ""
    form: str = ""
    files: tuple[str, ...] = ()
    signature: str = ""
    to: str = ""


class TaskCompleted(Event, frozen=True, tag="task_completed"):
    """Work was done, or the initiator sent the request on again."""

    seat: int
    version: int
    reason: Reason = Reason.HUMAN
    comment: str = ""
    form: str = ""
    files: tuple[str, ...] = ()
    signature: str = ""


class TaskReturned(Event, frozen=True, tag="task_returned"):
    """The holder sent the request back to an earlier step."""

    seat: int
    version: int
    to: str
    comment: str = ""
    form: str = ""
    files: tuple[str, ...] = ()
    signature: str = ""


class OpinionGiven(Event, frozen=True, tag="opinion_given"):
    """A delegate said what he thinks; the seat that asked him decides."""

    seat: int
    version: int
    comment: str = ""
    form: str = ""
    files: tuple[str, ...] = ()
    signature: str = ""


class TaskHandedOn(Event, frozen=True, tag="task_handed_on"):
    """The holder asked a delegate; the seat waits for the opinion."""

    seat: int
    version: int
    comment: str = ""
    files: tuple[str, ...] = ()
    signature: str = ""


class TaskClosed(Event, frozen=True, tag="task_closed"):
    """Ended without a decision of its own; ``by_seat`` is the decision that ended it, if any.

    ``removed``: a person who had been added was removed again, with a comment.
    """

    seat: int
    version: int
    reason: Reason
    by_seat: int = 0
    removed: bool = False
    comment: str = ""


class TaskReassigned(Event, frozen=True, tag="task_reassigned"):
    """The seat has another holder: handed over by a manager, or by the holder (reason human)."""

    seat: int
    version: int
    before: int
    holder: int
    comment: str
    reason: Reason = Reason.ADMIN
    files: tuple[str, ...] = ()
    signature: str = ""
    due: str = ""


class TaskTakenBack(Event, frozen=True, tag="task_taken_back"):
    """The holder took his own decision back; a new seat of his is assigned beside it."""

    seat: int
    version: int
    comment: str = ""


class TaskClaimed(Event, frozen=True, tag="task_claimed"):
    """The holder took the work of the step from the pool."""

    seat: int
    version: int


class TaskReleased(Event, frozen=True, tag="task_released"):
    """The holder gave the work back to the pool."""

    seat: int
    version: int


class GroupAdded(Event, frozen=True, tag="group_added"):
    """People are being added to a seat; their seats follow. The members are those of Group."""

    activation: int
    group: int
    seat: int
    place: Place
    decide: Literal["any", "all", "in_order"] = "all"
    counts: Literal["any_one", "cannot_pass"] = "any_one"
    comment: str = ""
    files: tuple[str, ...] = ()
    signature: str = ""


class PeopleAdded(Event, frozen=True, tag="people_added"):
    """People are being added beside a seat, with the same say; their seats follow."""

    seat: int
    comment: str = ""
    files: tuple[str, ...] = ()
    signature: str = ""


class Picked(Event, frozen=True, tag="picked"):
    """Somebody chose the people of a later step."""

    step: str
    people: tuple[int, ...]


class TaskSnoozed(Event, frozen=True, tag="task_snoozed"):
    """The holder wants to see the task again at that moment (RFC 3339, UTC; "": now)."""

    seat: int
    until: str


class SubstituteAsked(Event, frozen=True, tag="substitute_asked"):
    """The holder asked the managers to find somebody else for this task."""

    seat: int
    comment: str
