"""Everything that can be asked of a request, in the imperative."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from workflow.engine.decision import Definition
    from workflow.engine.events import AnyEvent, FutureEdit
    from workflow.engine.state import InstanceState
    from workflow.forms.scalars import Value


@dataclass(frozen=True, slots=True)
class Start:
    """File a request. ``number`` was reserved by the runtime; ``values`` are typed JSON values.

    ``picked`` are the people chosen for steps, ids by step id.
    """

    initiator: int
    number: str
    values: Mapping[str, object]
    picked: Mapping[str, Sequence[int]] = field(default_factory=dict)
    # The request whose subflow step files this one; 0: a person does.
    parent: int = 0
    # In which the title names choices ("en", "zh-hans" …): that of whoever files it.
    language: str = "en"


# What a person does with a task of his own -------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class OnTask:
    """What all acts on a task bring along, whichever it is (approvals.md 2.5: all is kept).

    ``version`` is the one the person saw; ``changes`` are form values; ``files`` and
    ``signature`` are ids of files that the person uploaded.
    """

    seat: int
    by: int
    version: int
    comment: str = ""
    changes: Mapping[str, object] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    signature: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approve(OnTask):
    """Decide a task for it; ``picked`` are people for later steps that this step picks."""

    picked: Mapping[str, Sequence[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reject(OnTask):
    """Decide a task against it; ``to`` is the step to go back to where the step says *ask*."""

    to: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Complete(OnTask):
    """Work is done; on a task of step ``start``: the initiator sends the request on again."""

    picked: Mapping[str, Sequence[int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Return(OnTask):
    """Send the request back to an earlier step (a dominator, or "start").

    ``resume``: once more step by step, or straight back here.
    """

    to: str
    resume: Literal["forward", "here"] = "forward"


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer(OnTask):
    """Give the task to another person for good."""

    to: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Delegate(OnTask):
    """Ask another person for an opinion; the task comes back with it."""

    to: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HandBack(OnTask):
    """A delegate gives the opinion, and the task goes back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddSigners(OnTask):
    """Add people before this task, after it, or beside it (approvals.md 2.5).

    ``decide`` and ``counts`` are the added group's own rules; beside, the step's hold.
    """

    people: tuple[int, ...]
    place: Literal["before", "after", "with"]
    decide: Literal["any", "all", "in_order"] = "all"
    counts: Literal["any_one", "cannot_pass"] = "any_one"


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveSigner:
    """Remove a person who was added: by whoever added him, or by a manager of the request."""

    seat: int
    by: int
    comment: str = ""
    manager: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SendCopy(OnTask):
    """Let others read the request."""

    to: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim(OnTask):
    """Take the work of a pool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Release(OnTask):
    """Give it back to the pool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snooze(OnTask):
    """See the task again at ``until`` (aware UTC); nothing: now."""

    until: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AskSubstitute(OnTask):
    """Ask the managers for somebody else for this one task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeBack:
    """Take an own decision back. ``history`` is the whole history of the request, from its start.

    The state keeps of the past only what the way forward needs; what was decided, and what it
    led to, is read here. ``decided_at`` is when the task was decided.
    """

    seat: int
    by: int
    comment: str
    history: Sequence[AnyEvent]
    decided_at: datetime


# What others do with a request -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Comment:
    """Say something for the record without deciding."""

    by: int
    comment: str
    step: str = ""


@dataclass(frozen=True, slots=True)
class Withdraw:
    """The initiator calls the request off."""

    by: int
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Reassign:
    """Give an open task to another person (a manager's act, with a reason)."""

    seat: int
    to: int
    by: int
    comment: str


@dataclass(frozen=True, slots=True)
class AssignHeld:
    """Name the person for a step that is held because nobody was found (a manager's act)."""

    activation: int
    to: int
    by: int
    comment: str


@dataclass(frozen=True, slots=True)
class Terminate:
    """End a running request (a manager's act, with a reason)."""

    by: int
    comment: str


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing moves until it is resumed (a manager's act, with a reason)."""

    by: int
    comment: str


@dataclass(frozen=True, slots=True)
class Resume:
    """Go on after a pause (a manager's act)."""

    by: int
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Jump:
    """Continue at another step of the process (a manager's act, with a reason)."""

    to: str
    by: int
    comment: str


@dataclass(frozen=True, slots=True)
class Retry:
    """Ask outside once more in a step that is held because it failed (a manager's act)."""

    activation: int
    by: int
    comment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Migrate:
    """Go on by another version of the process; ``old`` and ``new`` are ids of versions.

    ``definition`` is the new one; the numbers are what people call the versions. ``edits``: it is
    the request's own, in which what comes next was edited.
    """

    definition: Definition
    old: int
    new: int
    old_number: int
    new_number: int
    comment: str = ""
    edits: tuple[FutureEdit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoMigration:
    """Take the last move back; ``definition`` is that of ``old``, from which it was moved.

    ``history`` is the whole one: how the request stood before is read there.
    """

    definition: Definition
    old: int
    new: int
    old_number: int
    new_number: int
    history: Sequence[AnyEvent]
    comment: str = ""


# What workers report -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FinishWork:
    """The automatic step of this activation is to be carried out now."""

    activation: int


@dataclass(frozen=True, slots=True)
class TimeOut:
    """The deadline of this job has passed."""

    job: int


@dataclass(frozen=True, slots=True)
class Answered:
    """What a step asked for outside has been answered (decision 9).

    ``ok`` is whether the answer can be used; ``values`` are what it saves by field, as plain JSON,
    ``variables`` by name, typed; otherwise ``code`` says what went wrong, and ``about`` with what.
    ``rules`` are the answers of the rules that a step asks before it goes on, as plain JSON by
    the rule's key and the version that the process names (0: the newest).
    """

    activation: int
    ok: bool
    values: Mapping[str, object] = field(default_factory=dict)
    variables: Mapping[str, Value] = field(default_factory=dict)
    code: str = ""
    about: str = ""
    rules: Mapping[tuple[str, int], object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChildBegun:
    """The request that this job was to start is there, under this id and number."""

    job: int
    instance: int
    number: str


@dataclass(frozen=True, slots=True)
class ChildOver:
    """The request of this job has ended; ``values`` are those of its form."""

    job: int
    instance: int
    number: str
    result: InstanceState
    values: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class ChildRefused:
    """The request of this job could not be started, and why."""

    job: int
    code: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class EndChild:
    """The request that started this one needs it no more."""


Deciding = Approve | Reject | Complete | Return | HandBack
Command = (
    Start
    | Approve
    | Reject
    | Complete
    | Return
    | Transfer
    | Delegate
    | HandBack
    | AddSigners
    | RemoveSigner
    | SendCopy
    | Claim
    | Release
    | Snooze
    | AskSubstitute
    | TakeBack
    | Comment
    | Withdraw
    | Reassign
    | AssignHeld
    | Terminate
    | Pause
    | Resume
    | Jump
    | FinishWork
    | TimeOut
    | Answered
    | Retry
    | Migrate
    | UndoMigration
    | ChildBegun
    | ChildOver
    | ChildRefused
    | EndChild
)
