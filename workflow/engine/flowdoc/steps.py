"""The fifteen kinds of step, and the branches that hold more of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec

from workflow.engine.flowdoc.people import Base, People
from workflow.engine.flowdoc.rules import (
    Acts,
    Deadline,
    Decide,
    DecideAny,
    Empty,
    EmptyHold,
    Evidence,
    Reject,
    Rights,
    Self,
    StepEvent,
)
from workflow.engine.flowdoc.scalars import (
    BIGGEST,
    Duration,
    FieldId,
    Key,
    Name,
    Part,
    Slug,
    Template,
    Timestamp,
    Version,
    tag_of,
)
from workflow.forms.conditions import Cond

Number = Annotated[int, msgspec.Meta(ge=-BIGGEST, le=BIGGEST)]
Literally = Annotated[str, msgspec.Meta(max_length=2000)] | Number | bool | None
BranchReject = Literal["whole_flow", "branch_only"]


class Step(Part, frozen=True, kw_only=True, tag_field="kind"):
    """What all steps have. `note` is guidance for the approver."""

    id: Slug
    name: Name
    note: Annotated[str, msgspec.Meta(max_length=500)] = ""
    fields: Rights = Rights()
    on_event: Annotated[tuple[StepEvent, ...], msgspec.Meta(max_length=10)] = ()

    @property
    def kind(self) -> str:
        """The tag of the step, such as `approve`."""
        return tag_of(self)


class HumanStep(Step, frozen=True, kw_only=True):
    """What `approve` and `work` share; `on_self` absent = the policy's."""

    who: People
    decide: Decide = DecideAny()
    on_empty: Empty = EmptyHold()
    on_self: Self | None = None
    deadline: Deadline | None = None
    acts: Acts = Acts()
    evidence: Evidence = Evidence()
    repeat_skip: Literal["off", "adjacent", "keep_first", "keep_last"] | None = None


class ApproveStep(HumanStep, frozen=True, kw_only=True, tag="approve"):
    """People say yes or no."""

    reject: Reject = Reject()


class WorkStep(HumanStep, frozen=True, kw_only=True, tag="work"):
    """People do something; its result is `done`, there is no rejection."""


class CopyStep(Step, frozen=True, kw_only=True, tag="copy"):
    """People get to read it; nothing waits for them."""

    who: People
    also_initiator_picks: bool = False


class AutoStep(Step, frozen=True, kw_only=True, tag="auto"):
    """The step decides itself, with a reason."""

    verdict: Literal["approve", "reject"]
    reason: Annotated[str, msgspec.Meta(max_length=500)] = ""


class AtLeast(Part, frozen=True, kw_only=True):
    """The join waits for this many branches."""

    at_least: Annotated[int, msgspec.Meta(ge=1, le=BIGGEST)]


Join = Literal["all", "first"] | AtLeast


class Branch(Part, frozen=True, kw_only=True):
    """One way through a block; it may be empty."""

    id: Slug
    name: Name
    when: Cond | None = None
    otherwise: bool = False
    steps: Annotated[tuple[AnyStep, ...], msgspec.Meta(max_length=300)] = ()


Branches = Annotated[tuple[Branch, ...], msgspec.Meta(min_length=2, max_length=20)]


class ChoiceStep(Step, frozen=True, kw_only=True, tag="choice"):
    """The first branch that holds is taken; exactly one `otherwise`, and it is the last."""

    branches: Branches


class ParallelStep(Step, frozen=True, kw_only=True, tag="parallel"):
    """All branches run; `branch_reject` absent = the policy's."""

    branches: Branches
    join: Join
    branch_reject: BranchReject | None = None


class InclusiveStep(Step, frozen=True, kw_only=True, tag="inclusive"):
    """All branches that hold run, or the optional `otherwise` when none does."""

    branches: Branches
    join: Join
    branch_reject: BranchReject | None = None


class ValueOf(Part, frozen=True, kw_only=True):
    """A field of this form or a variable of the run; exactly one (checked when read)."""

    field: FieldId | None = None
    var: Slug | None = None


# What is handed in: their name → a literal, a field of this form or a variable of the run.
Input = Annotated[Mapping[FieldId, Literally | ValueOf], msgspec.Meta(max_length=100)]
# What is taken out: a field of this form → the name of the value there.
Output = Annotated[Mapping[FieldId, FieldId], msgspec.Meta(max_length=100)]


class Each(Part, frozen=True, kw_only=True):
    """One child for each row or person of a field."""

    field: FieldId
    mode: Literal["all", "one_by_one"] = "all"
    join: Join = "all"


class SubflowStep(Step, frozen=True, kw_only=True, tag="subflow"):
    """Another flow is started."""

    flow: Slug
    version: Version
    wait: bool = True
    starter: Base = "initiator"
    input: Input = msgspec.field(default_factory=dict)
    output: Output = msgspec.field(default_factory=dict)
    each: Each | None = None
    on_child_reject: Literal["reject", "continue", "hold"] = "reject"


class DelayStep(Step, frozen=True, kw_only=True, tag="delay"):
    """A pause; exactly one of `for`, `until_field`, `until`. `clock` absent = the policy's."""

    for_: Duration | None = msgspec.field(default=None, name="for")
    until_field: FieldId | None = None
    until: Timestamp | None = None
    clock: Key | None = None


class SecretRef(Part, frozen=True, kw_only=True):
    """A secret of the tenant, by its key."""

    secret: Key


class GotoRef(Part, frozen=True, kw_only=True):
    """A step to go to."""

    goto: Slug


class Saved(Part, frozen=True, kw_only=True):
    """A value taken out of an answer: where it is, where it goes, and what it must be."""

    pointer: Annotated[str, msgspec.Meta(max_length=500)]
    to: ValueOf
    type: Literal["text", "number", "integer", "amount", "date", "bool"]


class HttpStep(Step, frozen=True, kw_only=True, tag="http"):
    """A request to another system; `timeout` is at most 60 s."""

    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    url: Annotated[str, msgspec.Meta(min_length=1, max_length=2000)]
    headers: Annotated[
        Mapping[
            Annotated[str, msgspec.Meta(pattern="^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")],
            Annotated[str, msgspec.Meta(max_length=2000)] | SecretRef,
        ],
        msgspec.Meta(max_length=50),
    ] = msgspec.field(default_factory=dict)
    body: Annotated[str, msgspec.Meta(max_length=20000)] = ""
    mode: Literal["fire", "need_2xx", "wait_callback"] = "need_2xx"
    timeout: Duration = "PT10S"
    retry: Key | None = None
    save: Annotated[tuple[Saved, ...], msgspec.Meta(max_length=50)] = ()
    on_fail: Literal["hold", "continue"] | GotoRef = "hold"


class Computed(Part, frozen=True, kw_only=True):
    """A value found when the step runs; exactly one member (checked when read)."""

    copy: FieldId | None = None
    now: bool | None = None
    rule: Key | None = None


class Change(Part, frozen=True, kw_only=True):
    """A new value for a field; null empties it."""

    field: FieldId
    to: Literally | Annotated[tuple[str, ...], msgspec.Meta(max_length=100)] | Computed


class SetStep(Step, frozen=True, kw_only=True, tag="set"):
    """Fields of the form are changed."""

    changes: Annotated[tuple[Change, ...], msgspec.Meta(min_length=1, max_length=50)]


class RuleRef(Part, frozen=True, kw_only=True):
    """A published rule, `application/chain_id`."""

    key: Key
    version: Version


class RuleStep(Step, frozen=True, kw_only=True, tag="rule"):
    """A rule runs over values of the form; the bridge to the *rules* app."""

    rule: RuleRef
    input: Input = msgspec.field(default_factory=dict)
    save: Output = msgspec.field(default_factory=dict)


class NoticeStep(Step, frozen=True, kw_only=True, tag="notice"):
    """A message; nothing waits for it."""

    who: People
    channel: Annotated[
        tuple[Literal["inbox", "email", "webhook"], ...], msgspec.Meta(min_length=1, max_length=3)
    ]
    title: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    text: Template = ""


class GotoStep(Step, frozen=True, kw_only=True, tag="goto"):
    """Back to an earlier step, at most `max` times; without `when` always."""

    to: Slug
    when: Cond | None = None
    max: Annotated[int, msgspec.Meta(ge=1, le=20)] | None = None


class FinishStep(Step, frozen=True, kw_only=True, tag="finish"):
    """The whole request ends here."""

    result: Literal["approved", "rejected", "cancelled"]


AnyStep = (
    ApproveStep
    | WorkStep
    | CopyStep
    | AutoStep
    | ChoiceStep
    | ParallelStep
    | InclusiveStep
    | SubflowStep
    | DelayStep
    | HttpStep
    | SetStep
    | RuleStep
    | NoticeStep
    | GotoStep
    | FinishStep
)
BlockStep = ChoiceStep | ParallelStep | InclusiveStep
