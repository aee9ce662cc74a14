"""What an act on a task brings along: comment, signature and files as the step asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from workflow.engine.flowdoc.steps import HumanStep
from workflow.engine.rejections import Invalid
from workflow.forms.findings import Finding
from workflow.forms.scalars import says_something

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workflow.engine.commands import OnTask
    from workflow.engine.decision import Definition
    from workflow.engine.flowdoc.rules import Evidence
    from workflow.engine.guarding import Verb

CommentRule = Literal["no", "may", "to_reject", "must"]

_DECISIONS: frozenset[Verb] = frozenset({"approve", "reject", "complete", "return"})
_AGAINST: frozenset[Verb] = frozenset({"reject", "return"})
# Acts that only move a task about have no place for files in the history.
_BARE: frozenset[Verb] = frozenset({"claim", "release", "snooze", "ask-substitute", "copy"})


def comment_rule(definition: Definition, step_id: str) -> CommentRule:
    """What a decision of this step asks of a comment (policy.comment, evidence.comment).

    ``to_reject``: to reject or to return. One rule for the engine, the pages and REST, so that
    what is offered is what is accepted. Whoever sends the request on again from ``start`` may.
    """
    evidence = evidence_of(definition, step_id)
    if evidence is None:
        return "may" if step_id not in definition.plan.steps else "no"
    policy = definition.plan.doc.policy.comment
    if evidence.comment == "must" or policy == "always":
        return "must"
    if policy == "on_reject":
        return "to_reject"
    return "no" if evidence.comment == "no" else "may"


def evidence_of(definition: Definition, step_id: str) -> Evidence | None:
    """What a decision of this step may or must bring along; nothing where nobody decides."""
    planned = definition.plan.steps.get(step_id)
    step = planned.step if planned is not None else None
    return step.evidence if isinstance(step, HumanStep) else None


def check_evidence(definition: Definition, step_id: str, verb: Verb, command: OnTask) -> None:
    """Raises Invalid with every finding: comment, signature, files `.required` or `.not_taken`.

    Only a decision must bring something; whatever else is done with a task may carry a comment,
    and a signature and files where the step takes them (approvals.md 2.5).
    """
    findings = (
        *_of_comment(definition, step_id, verb, command),
        *_of_papers(evidence_of(definition, step_id), verb, command),
    )
    if findings:
        raise Invalid(findings[0].code, findings=findings)


def _of_comment(
    definition: Definition, step_id: str, verb: Verb, command: OnTask
) -> Iterator[Finding]:
    given = says_something(command.comment)
    if verb == "ask-substitute" and not given:
        yield Finding("comment.required", "/comment")
    if verb not in _DECISIONS:
        return
    rule = comment_rule(definition, step_id)
    needed = rule == "must" or (rule == "to_reject" and verb in _AGAINST)
    evidence = evidence_of(definition, step_id)
    if needed and not given:
        yield Finding("comment.required", "/comment")
    elif given and not needed and evidence is not None and evidence.comment == "no":
        yield Finding("comment.not_taken", "/comment")


def _of_papers(evidence: Evidence | None, verb: Verb, command: OnTask) -> Iterator[Finding]:
    for name, given in (("signature", command.signature), ("files", command.files)):
        rule = "no" if evidence is None or verb in _BARE else getattr(evidence, name)
        if given and rule == "no":
            yield Finding(f"{name}.not_taken", f"/{name}")
        elif not given and rule == "must" and verb in _DECISIONS:
            yield Finding(f"{name}.required", f"/{name}")
