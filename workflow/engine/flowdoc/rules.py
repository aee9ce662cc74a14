"""How a step is decided, when it is due, and what may be done and seen in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from workflow.engine.flowdoc.people import People
from workflow.engine.flowdoc.scalars import (
    BIGGEST,
    Code,
    FieldId,
    Key,
    Minutes,
    Part,
    Slug,
    tag_of,
)

# Bounds are those of `decide.ratio_range`, which validation reports with the step's own words.
Whole = Annotated[int, msgspec.Meta(ge=-BIGGEST, le=BIGGEST)]
Self = Literal["allow", "skip", "head", "forbid"]
Right = Literal["hide", "read", "edit", "must"]
RowRight = Literal["add", "edit", "delete"]
Label = Annotated[str, msgspec.Meta(max_length=20)]


class Decision(Part, frozen=True, kw_only=True, tag_field="mode"):
    """Base of the ways in which several people decide."""

    @property
    def mode(self) -> str:
        """The tag, such as `all`."""
        return tag_of(self)


class DecideAny(Decision, frozen=True, kw_only=True, tag="any"):
    """One approval is enough."""


class DecideAll(Decision, frozen=True, kw_only=True, tag="all"):
    """Everybody has to approve, in any order."""


class DecideInOrder(Decision, frozen=True, kw_only=True, tag="in_order"):
    """Everybody has to approve, one after the other."""


class DecideClaim(Decision, frozen=True, kw_only=True, tag="claim"):
    """Whoever takes it from the pool decides alone."""


class DecideDraw(Decision, frozen=True, kw_only=True, tag="draw"):
    """One person is drawn; the instance's id seeds the draw, so that a replay is exact."""


class Need(Part, frozen=True, kw_only=True):
    """`{num, den}` or `{count}` (checked when read)."""

    num: Whole | None = None
    den: Whole | None = None
    count: Whole | None = None


class DecideVote(Decision, frozen=True, kw_only=True, tag="vote"):
    """Enough votes decide; who has no entry in `weights` (login → weight) weighs 1.

    `early` ends the step as soon as the outcome is certain.
    """

    need: Need
    weights: Mapping[Code, Annotated[int, msgspec.Meta(ge=0, le=1000)]] | None = None
    early: bool = True


Decide = DecideAny | DecideAll | DecideInOrder | DecideClaim | DecideDraw | DecideVote


class Consequence(Part, frozen=True, kw_only=True, tag_field="do"):
    """Base of what happens after a rejection or when nobody is found."""

    @property
    def do(self) -> str:
        """The tag, such as `end`."""
        return tag_of(self)


class RejectEnd(Consequence, frozen=True, kw_only=True, tag="end"):
    """The whole request is rejected."""


class BackTo(Part, frozen=True, kw_only=True):
    """A named step to go back to."""

    step: Slug


class RejectBack(Consequence, frozen=True, kw_only=True, tag="back"):
    """The request returns; afterwards it goes `forward` step by step or straight back `here`."""

    to: Literal["start", "previous", "ask"] | BackTo
    resume: Literal["forward", "here"] = "forward"


class RejectBranch(Consequence, frozen=True, kw_only=True, tag="finish_branch"):
    """Only this branch ends; the join sees it as rejected."""


class Reject(Part, frozen=True, kw_only=True):
    """When rejections count, and what follows."""

    counts: Literal["any_one", "cannot_pass"] = "any_one"
    then: RejectEnd | RejectBack | RejectBranch = RejectEnd()


class EmptyApprove(Consequence, frozen=True, kw_only=True, tag="approve"):
    """Nobody found: the step passes."""


class EmptyReject(Consequence, frozen=True, kw_only=True, tag="reject"):
    """Nobody found: the step is rejected."""


class EmptyHold(Consequence, frozen=True, kw_only=True, tag="hold"):
    """Nobody found: the request is held until a manager names somebody."""


class EmptyRefuseStart(Consequence, frozen=True, kw_only=True, tag="refuse_start"):
    """Nobody found: the request cannot be filed."""


class EmptyPeople(Consequence, frozen=True, kw_only=True, tag="people"):
    """Nobody found: these people instead, and if they are nobody either, `then`."""

    who: People
    then: Empty = EmptyHold()


class EmptyManagers(Consequence, frozen=True, kw_only=True, tag="managers"):
    """Nobody found: the managers of the flow."""


Empty = EmptyApprove | EmptyReject | EmptyHold | EmptyRefuseStart | EmptyPeople | EmptyManagers


class FieldRef(Part, frozen=True, kw_only=True):
    """The value of a field of the form."""

    field: FieldId


class Remind(Part, frozen=True, kw_only=True):
    """Reminders; with neither `before` nor `after` the moment is the due time itself."""

    before: Minutes | None = None
    after: Minutes | None = None
    every: Minutes | None = None
    max: Annotated[int, msgspec.Meta(ge=1, le=50)] = 1
    to: Annotated[
        tuple[Literal["holder", "initiator", "managers"], ...],
        msgspec.Meta(min_length=1, max_length=3),
    ] = ("holder",)


class Overdue(Part, frozen=True, kw_only=True):
    """What happens at the deadline; exactly one member (checked when read)."""

    reassign: People | None = None
    escalate: Annotated[int, msgspec.Meta(ge=1, le=5)] | None = None
    goto: Slug | None = None


class Deadline(Part, frozen=True, kw_only=True):
    """When a seat is due (P8, P9). `after` may be written as a number of minutes.

    0, blank or absent means off: the document then has no deadline at all.
    """

    after: Minutes | FieldRef
    clock: Key = "wall"
    count_from: Literal["task", "entry", "assignment"] = "task"
    remind: Annotated[tuple[Remind, ...], msgspec.Meta(max_length=10)] = (Remind(),)
    then: Literal["none", "approve", "reject"] | Overdue = "none"


class Labels(Part, frozen=True, kw_only=True):
    """Other words on the buttons; absent or empty = the product's own."""

    approve: Label = ""
    reject: Label = ""
    return_: Label = msgspec.field(default="", name="return")


class Acts(Part, frozen=True, kw_only=True):
    """What a holder may do besides deciding; all but a comment is off unless switched on."""

    transfer: bool = False
    delegate: bool = False
    add_before: bool = False
    add_after: bool = False
    add_with: bool = False
    remove_added: bool = False
    send_copy: bool = False
    give_back: bool = False
    return_to: (
        Literal["none", "previous", "any"]
        | Annotated[tuple[Slug, ...], msgspec.Meta(min_length=1, max_length=300)]
    ) = "none"
    comment: bool = True
    edit_future: bool = False
    labels: Labels = Labels()


class Evidence(Part, frozen=True, kw_only=True):
    """What a decision may or must bring along."""

    comment: Literal["no", "may", "must"] = "may"
    signature: Literal["no", "may", "must"] = "no"
    files: Literal["no", "may", "must"] = "no"


class Rights(Part, frozen=True, kw_only=True):
    """What holders see and change: a default, exceptions by field or `table.column`, and rows."""

    default: Literal["hide", "read", "edit"] = "read"
    set: Annotated[Mapping[FieldId, Right], msgspec.Meta(max_length=500)] = msgspec.field(
        default_factory=dict
    )
    rows: Annotated[
        Mapping[FieldId, Annotated[tuple[RowRight, ...], msgspec.Meta(max_length=3)]],
        msgspec.Meta(max_length=50),
    ] = msgspec.field(default_factory=dict)


class StartRights(Rights, frozen=True, kw_only=True):
    """The same for the initiator, who may fill in everything unless the document says less."""

    default: Literal["hide", "read", "edit"] = "edit"


class EventNotice(Part, frozen=True, kw_only=True):
    """A notice in the product's own list; `text` is the key of a text."""

    to: Annotated[
        tuple[Literal["holder", "initiator", "managers"], ...],
        msgspec.Meta(min_length=1, max_length=3),
    ]
    text: Key


class EventPost(Part, frozen=True, kw_only=True):
    """A callback to a target of the tenant or to an address; exactly one (checked when read)."""

    target: Key | None = None
    url: Annotated[str, msgspec.Meta(max_length=2000)] | None = None


class StepEvent(Part, frozen=True, kw_only=True):
    """Exactly one of notice and post; a post only on a decision (contract, Events of a step)."""

    on: Literal["assigned", "approved", "rejected", "returned", "timed_out", "closed"]
    notice: EventNotice | None = None
    post: EventPost | None = None
