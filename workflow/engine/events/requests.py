"""What happened to a request as a whole."""

from __future__ import annotations

from typing import Literal

import msgspec

from workflow.engine.events.basis import Event
from workflow.engine.state import Approval, InstanceState, Reason
from workflow.forms.scalars import Value


class InstanceStarted(Event, frozen=True, tag="instance_started"):
    initiator: int
    number: str
    title: str
    values: dict[str, Value]
    # The request whose subflow step started this one.
    parent: int = 0


class FormChanged(Event, frozen=True, tag="form_changed"):
    """New values by field; an emptied field has no value (null)."""

    changes: dict[str, Value]


class VariablesSet(Event, frozen=True, tag="variables_set"):
    """What an automatic step found out, beside the form."""

    changes: dict[str, Value]


class Commented(Event, frozen=True, tag="commented"):
    comment: str
    step: str = ""


class InstanceHeld(Event, frozen=True, tag="instance_held"):
    """An incident that a manager has to look at; ``about`` is the field it speaks of, if any."""

    activation: int
    code: str
    about: str = ""


class InstanceReleased(Event, frozen=True, tag="instance_released"):
    """The incident is over."""

    activation: int


class InstancePaused(Event, frozen=True, tag="instance_paused"):
    """Nothing moves until the request is resumed; deadlines keep their moments."""

    comment: str


class InstanceResumed(Event, frozen=True, tag="instance_resumed"):
    comment: str = ""


class WentBack(Event, frozen=True, tag="went_back"):
    """The request goes back to an earlier step: approvals before this count for nothing later.

    ``reason``: returned (by a person or a rejection), auto_step (a goto), admin (a jump, also
    forwards), timeout.
    """

    to: str
    reason: Reason
    comment: str = ""


class InstanceFinished(Event, frozen=True, tag="instance_finished"):
    result: InstanceState
    reason: Reason
    comment: str = ""


class StepMoved(Event, frozen=True, tag="step_moved"):
    """An open step stands elsewhere in the process from now on, and stays what it is.

    Its block is gone from the new version, or the step that it was to lead straight back to is;
    the members are those of Activation.
    """

    activation: int
    within: int = 0
    branch: str = ""
    resume: str = ""


class FutureEdit(msgspec.Struct, frozen=True, omit_defaults=True):
    """One change of what lies ahead of one request (approvals.md 5, idea 13).

    ``step`` is the step that was put in, taken out or given other people, ``name`` what it is
    called, ``after`` the step behind which it was put in, ``people`` who are asked there now.
    """

    do: Literal["insert_approve", "set_people", "remove"]
    step: str
    name: str
    after: str = ""
    people: tuple[int, ...] = ()
    decide: Literal["any", "all", "in_order"] = "any"


class Migrated(Event, frozen=True, tag="migrated"):
    """The request goes on by another published version of its process, or by one of its own.

    ``old`` and ``new`` are ids of versions, ``old_number`` and ``new_number`` what people call
    them. ``since`` is how many events there were before the move: what it closed stands between
    them and this one. ``emptied`` are fields whose values have no place in the new form, because
    it uses the same id for something else; the history keeps them. ``edits``: what comes next was
    changed for this request alone, and ``new`` is a version of its own.
    """

    old: int
    new: int
    old_number: int
    new_number: int
    since: int
    comment: str = ""
    emptied: tuple[str, ...] = ()
    edits: tuple[FutureEdit, ...] = ()


class Remembered(msgspec.Struct, frozen=True, omit_defaults=True):
    """What of a state a move may have changed beside its open steps; the members are State's."""

    values: dict[str, Value]
    outcomes: dict[str, str]
    deciders: dict[str, list[int]]
    incidents: dict[int, str]
    approvals: tuple[Approval, ...]
    jumps: dict[str, int]
    lap: int


class MigrationUndone(Event, frozen=True, tag="migration_undone"):
    """The last move was taken back: ``new`` is the version on which the request goes on again.

    What the move opened was closed before this event; what it closed is opened behind it.
    """

    old: int
    new: int
    old_number: int
    new_number: int
    was: Remembered
    comment: str = ""
