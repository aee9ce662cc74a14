"""The whole process document, version 1."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from workflow.engine.flowdoc.people import People
from workflow.engine.flowdoc.rules import Self, StartRights
from workflow.engine.flowdoc.scalars import BIGGEST, Duration, FieldId, Key, Part, Slug
from workflow.engine.flowdoc.steps import AnyStep, BranchReject


class FormRef(Part, frozen=True, kw_only=True):
    """The form that the flow uses; its version is pinned when the flow is published."""

    key: Slug
    version: Annotated[int, msgspec.Meta(ge=1, le=BIGGEST)] | None = None


class Start(Part, frozen=True, kw_only=True):
    """Who may file a request (absent = everybody of the tenant), and what they fill in."""

    who: People | None = None
    fields: StartRights = StartRights()


class Numbering(Part, frozen=True, kw_only=True):
    """How requests are numbered; gaps are possible."""

    prefix: Annotated[str, msgspec.Meta(max_length=20)] = ""
    period: Literal["none", "year", "month", "day"] = "none"
    width: Annotated[int, msgspec.Meta(ge=3, le=10)] = 6


class TakeBack(Part, frozen=True, kw_only=True):
    """Whether an approver may take a decision back; `within` absent = without a time limit."""

    on: bool = False
    within: Duration | None = None


class Reversal(Part, frozen=True, kw_only=True):
    """Whether an approved request may be reversed by a linked one, and by which flow."""

    on: bool = False
    flow: Slug | None = None
    within: Duration | None = None


class Policy(Part, frozen=True, kw_only=True):
    """What holds for the whole flow. `comment` says when a decision needs a comment."""

    dedupe: Literal["off", "adjacent", "keep_first", "keep_last"] = "off"
    on_self: Self = "allow"
    initiator_cancel: Literal["before_first_decision", "while_running", "never"] = (
        "before_first_decision"
    )
    take_back: TakeBack = TakeBack()
    reversal: Reversal = Reversal()
    comment: Literal["never", "on_reject", "always"] = "never"
    clock: Key = "wall"
    branch_reject: BranchReject = "whole_flow"
    visibility: Literal["participants", "managers", "starters_department"] = "participants"


class Limits(Part, frozen=True, kw_only=True):
    """How many open requests one initiator may have; absent = any number."""

    open_per_initiator: Annotated[int, msgspec.Meta(ge=1, le=10000)] | None = None


class Flowdoc(Part, frozen=True, kw_only=True):
    """A process, version 1 of the format (spec, approvals 3.2).

    Members that the document leaves out have the defaults written here. Where the page names no
    default we chose: everybody of the tenant may start and fills in every field; the title is the
    initiator's name and the flow's; the number has six digits without prefix or period; the first
    person decides; one rejection ends the request; a step for which nobody is found is held; the
    holder only reads the form; a comment is possible and never required; nothing in `acts` but
    `comment`, and neither `take_back` nor `reversal`, is switched on; the initiator may withdraw
    until the first decision; only participants see a request.
    """

    flowdoc: Literal[1]
    key: Slug
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    form: FormRef | None = None
    start: Start = Start()
    steps: Annotated[tuple[AnyStep, ...], msgspec.Meta(max_length=300)] = ()
    title: Annotated[str, msgspec.Meta(max_length=200)] = "{initiator.name} {flow.name}"
    summary: Annotated[tuple[FieldId, ...], msgspec.Meta(max_length=6)] = ()
    number: Numbering = Numbering()
    policy: Policy = Policy()
    managers: People | None = None
    limits: Limits = Limits()
