"""What a valid document asks for and this version of the engine would silently not do.

Such a document is not published: the findings are errors. Later versions shrink this module by
growing the sets below, until it is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.flowdoc import Acts, HumanStep
from workflow.engine.flowdoc.people import Source
from workflow.engine.flowdoc.places import in_document_order
from workflow.engine.flowdoc.steps import Computed
from workflow.engine.validation.look import fault, look_at, warning
from workflow.forms.conditions import Cond, leaves, shape
from workflow.forms.findings import Finding, child

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workflow.engine.flowdoc import Flowdoc
    from workflow.engine.plan import PlanStep
    from workflow.engine.validation.look import Look, Spot

KINDS_NOT_RUN = frozenset({"notice"})
SOURCES_NOT_RUN = frozenset({"rule"})
CONDITIONS_NOT_RUN = frozenset({"rule"})
VISIBILITY = frozenset({"participants"})
# What only adds to a step when somebody wants it.
ACTS_NOT_RUN = ("edit_future",)


def not_run_yet(doc: Flowdoc) -> tuple[Finding, ...]:
    """Everything in the document that this version would not do, in document order.

    What happens by itself is an error (`not_run_yet.kind`, `.source` …, with its name in the
    arguments); what a person may do only if he wants to, and messages that nothing depends on,
    are the warnings `not_run_yet.act` and `not_run_yet.notice`.
    """
    look = look_at(doc, None)
    findings = [*_of_the_whole(doc)]
    for placed in look.steps:
        if placed.step.kind in KINDS_NOT_RUN:
            findings.append(_kind(placed))
        else:
            findings.extend(_of_a_step(placed))
    findings.extend(_of_parts(look))
    return in_document_order(doc, findings)


def _kind(placed: PlanStep) -> Finding:
    return fault("not_run_yet.kind", placed, child(placed.at, "kind"), kind=placed.step.kind)


def _of_the_whole(doc: Flowdoc) -> Iterator[Finding]:
    policy, at = doc.policy, "/policy"
    if policy.visibility not in VISIBILITY:
        where = child(at, "visibility")
        yield fault(
            "not_run_yet.policy", None, where, policy="visibility", value=policy.visibility
        )
    if policy.reversal.on:
        yield warning("not_run_yet.act", None, child(at, "reversal"), act="reversal")


def _of_a_step(placed: PlanStep) -> Iterator[Finding]:
    step, at = placed.step, placed.at
    for number, event in enumerate(step.on_event):
        where = child(child(at, "on_event"), number)
        if event.post is not None:
            yield fault("not_run_yet.event", placed, where)
        else:
            yield warning("not_run_yet.notice", placed, where)
    if isinstance(step, HumanStep):
        yield from _of_a_human_step(step, placed)


def _of_a_human_step(step: HumanStep, placed: PlanStep) -> Iterator[Finding]:
    at = placed.at
    if step.deadline is not None and step.deadline.remind:
        where = child(child(at, "deadline"), "remind")
        yield warning("not_run_yet.notice", placed, where)
    for name in ACTS_NOT_RUN:
        if getattr(step.acts, name) != getattr(Acts(), name):
            yield warning("not_run_yet.act", placed, child(child(at, "acts"), name), act=name)


def _of_parts(look: Look) -> Iterator[Finding]:
    for spot in look.spots():
        # A kind that is not run is reported once, and not again with everything in it.
        if spot.placed is None or spot.placed.step.kind not in KINDS_NOT_RUN:
            yield from _of_a_part(spot)


def _of_a_part(spot: Spot) -> Iterator[Finding]:
    part = spot.part
    if isinstance(part, Source) and part.by in SOURCES_NOT_RUN:
        yield fault("not_run_yet.source", spot, spot.at, source=part.by)
    elif isinstance(part, Computed) and part.rule is not None:
        yield fault("not_run_yet.source", spot, child(spot.at, "rule"), source="rule")
    elif isinstance(part, Cond):
        for at, leaf in leaves(part, spot.at):
            if shape(leaf) in CONDITIONS_NOT_RUN:
                yield fault("not_run_yet.condition", spot, at, condition=shape(leaf))
