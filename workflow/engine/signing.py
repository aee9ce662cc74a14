"""A person decides a task: the tests in the contract's order, the form, then the consequence."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Literal

from workflow.engine.asking import settle
from workflow.engine.commands import Approve, Reject
from workflow.engine.events import FormChanged, TaskApproved, TaskRejected
from workflow.engine.flowdoc.steps import ApproveStep, HumanStep
from workflow.engine.rejections import Invalid, NotAllowed, NotOpen, VersionMoved
from workflow.engine.routing import go_on
from workflow.engine.state import Activation, InstanceState, Reason, Seat
from workflow.forms.digest import values_digest
from workflow.forms.findings import Finding, child
from workflow.forms.rights import visible
from workflow.forms.scalars import says_something
from workflow.forms.values import MOST_UNKNOWN, clean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workflow.engine.decision import Decision, Definition


CommentRule = Literal["no", "may", "to_reject", "must"]


def decide_task(run: Decision, command: Approve | Reject) -> None:
    """Approve or reject a task (contract, A task is one seat).

    Raises NotAllowed, NotOpen, VersionMoved, Invalid, tested in this order; then the decision is
    recorded with the digest of what the person could see, and its consequence follows.
    """
    activation, seat = _seat(run, command)
    step = run.plan.steps[activation.step].step
    if not isinstance(step, ApproveStep):
        raise NotOpen("task.not_open")
    _check_comment(run, step, command)
    _change_form(run, step, command)
    seen = _digest_of_what_is_seen(run, step)
    if isinstance(command, Approve):
        run.emit(
            TaskApproved(
                seat=seat.number, version=seat.version + 1, comment=command.comment, form=seen
            )
        )
    else:
        run.emit(
            TaskRejected(
                seat=seat.number, version=seat.version + 1, comment=command.comment, form=seen
            )
        )
    target = settle(run, activation.number)
    if target is not None:
        go_on(run, target, Reason.HUMAN)


def _seat(run: Decision, command: Approve | Reject) -> tuple[Activation, Seat]:
    found = run.state.seat(command.seat)
    if found is not None and found[1].holder != command.by:
        raise NotAllowed("task.not_yours")
    if found is None or run.state.status is not InstanceState.RUNNING or not found[1].is_open:
        raise NotOpen("task.not_open")
    if found[1].version != command.version:
        raise VersionMoved("task.version_moved", current_version=found[1].version)
    return found


def comment_rule(definition: Definition, step_id: str) -> CommentRule:
    """What a decision of this step asks of a comment (policy.comment, evidence.comment).

    One rule for the engine, the pages and REST, so that what is offered is what is accepted.
    """
    step = definition.plan.steps[step_id].step
    if not isinstance(step, HumanStep):
        return "no"
    policy = definition.plan.doc.policy.comment
    if step.evidence.comment == "must" or policy == "always":
        return "must"
    if policy == "on_reject":
        return "to_reject"
    return "no" if step.evidence.comment == "no" else "may"


def _check_comment(run: Decision, step: ApproveStep, command: Approve | Reject) -> None:
    rule, given = comment_rule(run.definition, step.id), says_something(command.comment)
    needed = rule == "must" or (rule == "to_reject" and isinstance(command, Reject))
    if needed and not given:
        raise Invalid("comment.required", findings=(Finding("comment.required", "/comment"),))
    if step.evidence.comment == "no" and not needed and given:
        raise Invalid("comment.not_taken", findings=(Finding("comment.not_taken", "/comment"),))


def _change_form(run: Decision, step: ApproveStep, command: Approve | Reject) -> None:
    """Apply the person's changes, if the step's rights allow every one of them.

    Whoever rejects need not fill in what an approval would need.
    """
    form = run.definition.form
    if form is None:
        refuse_values(command.changes)
        return
    rights = run.definition.rights_at(step.id)
    cleaned = clean(form, command.changes, rights, run.state.values)
    findings = cleaned.findings
    if isinstance(command, Reject):
        findings = tuple(each for each in findings if each.code != "form.required")
    if findings:
        raise Invalid("form.invalid", findings=findings)
    if cleaned.changed:
        run.emit(FormChanged(changes=dict(cleaned.changed)))


def refuse_values(values: Mapping[str, object]) -> None:
    """A process without a form takes no values. Raises Invalid that names the first of them."""
    if values:
        named = itertools.islice(values, MOST_UNKNOWN)
        findings = tuple(Finding("form.unknown_field", child("", name)) for name in named)
        raise Invalid("form.invalid", findings=findings)


def _digest_of_what_is_seen(run: Decision, step: ApproveStep) -> str:
    form = run.definition.form
    if form is None:
        return ""
    rights = run.definition.rights_at(step.id)
    return values_digest(visible(run.state.values, rights))
