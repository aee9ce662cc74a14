"""What a valid document asks for and this version of the engine would silently not do.

Such a document is not published: the findings are errors. Later versions shrink this module by
growing the sets below, until it is gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.flowdoc import NoticeStep
from workflow.engine.flowdoc.places import in_document_order
from workflow.engine.validation.look import fault, look_at, warning
from workflow.forms.findings import Finding, child

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workflow.engine.flowdoc import Flowdoc
    from workflow.engine.plan import PlanStep

CHANNELS = frozenset({"inbox"})


def not_run_yet(doc: Flowdoc) -> tuple[Finding, ...]:
    """Everything in the document that this version would not do, in document order.

    What happens by itself is an error (`not_run_yet.channel`); what a person may do
    only if he wants to, and a further way that a message does not take, are the warnings
    `not_run_yet.act` and `not_run_yet.channel`.
    """
    look = look_at(doc, None)
    findings = [*_of_the_whole(doc)]
    for placed in look.steps:
        findings.extend(_of_a_step(placed))
    return in_document_order(doc, findings)


def _of_the_whole(doc: Flowdoc) -> Iterator[Finding]:
    if doc.policy.reversal.on:
        yield warning("not_run_yet.act", None, "/policy/reversal", act="reversal")


def _of_a_step(placed: PlanStep) -> Iterator[Finding]:
    step, at = placed.step, placed.at
    if isinstance(step, NoticeStep):
        # A notice that reaches nobody is an error, one that reaches them in one way less is not.
        told = warning if CHANNELS & set(step.channel) else fault
        for number, channel in enumerate(step.channel):
            if channel not in CHANNELS:
                where = child(child(at, "channel"), number)
                yield told("not_run_yet.channel", placed, where, channel=channel)
