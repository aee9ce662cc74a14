"""What a valid document asks for and this version of the engine would silently not do.

Such a document is not published: the findings are errors. Later versions shrink this module by
growing the sets below, until it is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.flowdoc import (
    Acts,
    ApproveStep,
    BaseOf,
    CopyStep,
    Empty,
    HumanStep,
    Labels,
    RejectEnd,
)
from workflow.engine.flowdoc.people import Source
from workflow.engine.flowdoc.places import in_document_order
from workflow.engine.validation.look import fault, look_at, warning
from workflow.forms.conditions import Cond, leaves, shape
from workflow.forms.findings import Finding, child

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workflow.engine.flowdoc import Flowdoc
    from workflow.engine.plan import PlanStep
    from workflow.engine.validation.look import Look, Spot

KINDS = frozenset({"approve", "copy", "choice", "auto", "finish"})
SOURCES = frozenset({"user", "role", "department", "head", "initiator"})
DECISIONS = frozenset({"any", "all", "in_order"})
EMPTY_RULES = frozenset({"approve", "reject", "hold", "refuse_start", "people", "managers"})
SELF_RULES = frozenset({"allow", "skip", "head", "forbid"})
CONDITIONS = frozenset({"all", "any", "not", "field", "initiator", "step"})
DEDUPE = frozenset({"off"})
REJECT_COUNTS = frozenset({"any_one"})
VISIBILITY = frozenset({"participants"})
CLOCKS = frozenset({"wall"})
CANCEL = frozenset({"never", "before_first_decision"})
# What a decision may bring along, beside a comment.
EVIDENCE = ("signature", "files")


def not_run_yet(doc: Flowdoc) -> tuple[Finding, ...]:
    """Everything in the document that this version would not do, in document order.

    What happens by itself is an error (`not_run_yet.kind`, `.source` …, with its name in the
    arguments); what a person may do only if he wants to (`acts`, taking back, reversal) is the
    warning `not_run_yet.act`.
    """
    look = look_at(doc, None)
    findings = [*_of_the_whole(doc)]
    for placed in look.steps:
        if placed.step.kind not in KINDS:
            findings.append(_kind(placed))
        else:
            findings.extend(_of_a_step(placed))
    findings.extend(_of_parts(look))
    return in_document_order(doc, findings)


def _kind(placed: PlanStep) -> Finding:
    return fault("not_run_yet.kind", placed, child(placed.at, "kind"), kind=placed.step.kind)


def _of_the_whole(doc: Flowdoc) -> Iterator[Finding]:
    policy, at = doc.policy, "/policy"
    if policy.dedupe not in DEDUPE:
        yield fault("not_run_yet.dedupe", None, child(at, "dedupe"), dedupe=policy.dedupe)
    for name, value, run in (
        ("visibility", policy.visibility, VISIBILITY),
        ("clock", policy.clock, CLOCKS),
    ):
        if value not in run:
            yield fault("not_run_yet.policy", None, child(at, name), policy=name, value=value)
    for name, is_on in (
        ("initiator_cancel", policy.initiator_cancel not in CANCEL),
        ("take_back", policy.take_back.on),
        ("reversal", policy.reversal.on),
    ):
        if is_on:
            yield warning("not_run_yet.act", None, child(at, name), act=name)
    if doc.limits.open_per_initiator is not None:
        where = "/limits/open_per_initiator"
        yield fault("not_run_yet.limit", None, where, limit="open_per_initiator")


def _of_a_step(placed: PlanStep) -> Iterator[Finding]:
    step, at = placed.step, placed.at
    if step.on_event:
        yield fault("not_run_yet.event", placed, child(at, "on_event"))
    if isinstance(step, CopyStep) and step.also_initiator_picks:
        where = child(at, "also_initiator_picks")
        yield fault("not_run_yet.source", placed, where, source="picked_at_start")
    if isinstance(step, HumanStep):
        yield from _of_a_human_step(step, placed)
    if isinstance(step, ApproveStep):
        yield from _reject(step, placed)


def _of_a_human_step(step: HumanStep, placed: PlanStep) -> Iterator[Finding]:
    at, mode = placed.at, step.decide.mode
    if mode not in DECISIONS:
        yield fault("not_run_yet.decide", placed, child(at, "decide"), mode=mode)
    if step.on_self is not None and step.on_self not in SELF_RULES:
        yield fault("not_run_yet.self", placed, child(at, "on_self"), rule=step.on_self)
    if step.deadline is not None:
        yield fault("not_run_yet.deadline", placed, child(at, "deadline"))
    if step.repeat_skip is not None and step.repeat_skip not in DEDUPE:
        yield fault(
            "not_run_yet.dedupe", placed, child(at, "repeat_skip"), dedupe=step.repeat_skip
        )
    yield from _beside_the_decision(step, placed)


def _beside_the_decision(step: HumanStep, placed: PlanStep) -> Iterator[Finding]:
    at = placed.at
    for name in EVIDENCE:
        if getattr(step.evidence, name) != "no":
            where = child(child(at, "evidence"), name)
            yield fault("not_run_yet.evidence", placed, where, evidence=name)
    for name in Acts.__struct_fields__:
        if getattr(step.acts, name) not in (False, "none", Labels()):
            yield warning("not_run_yet.act", placed, child(child(at, "acts"), name), act=name)


def _reject(step: ApproveStep, placed: PlanStep) -> Iterator[Finding]:
    at, reject = child(placed.at, "reject"), step.reject
    if reject.counts not in REJECT_COUNTS:
        yield fault("not_run_yet.reject", placed, child(at, "counts"), reject=reject.counts)
    if not isinstance(reject.then, RejectEnd):
        yield fault("not_run_yet.reject", placed, child(at, "then"), reject=reject.then.do)


def _of_parts(look: Look) -> Iterator[Finding]:
    for spot in look.spots():
        # A kind that is not run is reported once, and not again with everything in it.
        if spot.placed is None or spot.placed.step.kind in KINDS:
            yield from _of_a_part(spot)


def _of_a_part(spot: Spot) -> Iterator[Finding]:
    part = spot.part
    if isinstance(part, Source) and part.by not in SOURCES:
        yield fault("not_run_yet.source", spot, spot.at, source=part.by)
    elif isinstance(part, BaseOf) and part.field is not None:
        yield fault("not_run_yet.source", spot, child(spot.at, "field"), source="field")
    elif isinstance(part, Empty) and part.do not in EMPTY_RULES:
        yield fault("not_run_yet.empty", spot, spot.at, rule=part.do)
    elif isinstance(part, Cond):
        for at, leaf in leaves(part, spot.at):
            if shape(leaf) not in CONDITIONS:
                yield fault("not_run_yet.condition", spot, at, condition=shape(leaf))
