"""What all acts on a task share: may he, is it still so, keep what he brought, and go on."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from workflow.engine import routing
from workflow.engine.dedupe import digest_seen
from workflow.engine.events import Commented, FormChanged
from workflow.engine.evidence import check_evidence
from workflow.engine.guarding import Stand, why_not
from workflow.engine.named import unknown_named
from workflow.engine.rejections import Invalid, NotOpen, VersionMoved
from workflow.engine.settling import settle
from workflow.forms.findings import Finding, child
from workflow.forms.scalars import says_something
from workflow.forms.values import MOST_UNKNOWN, clean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workflow.engine.commands import OnTask
    from workflow.engine.decision import Decision
    from workflow.engine.guarding import Verb


def stand_before(run: Decision, seat: int, user: int) -> Stand:
    """The person before a seat. Raises NotOpen (task.not_open) when its step is over."""
    found = run.state.seat(seat)
    if found is None:
        raise NotOpen("task.not_open")
    return Stand(run.definition, run.state, *found, user)


def take_up(run: Decision, verb: Verb, command: OnTask) -> Stand:
    """Test an act in the contract's order and keep what the person brought along.

    403 not his or not allowed, 409 not open, 412 the task has moved, 422 evidence and form. The
    form's changes are recorded with the rights of the step, whatever else is done with the task
    (approvals.md 2.5). Raises NotAllowed, NotOpen, VersionMoved, Invalid.
    """
    stand = stand_before(run, command.seat, command.by)
    refusal = why_not(verb, stand)
    if refusal is not None:
        raise refusal
    if stand.seat.version != command.version:
        raise VersionMoved("task.version_moved", current_version=stand.seat.version)
    check_evidence(run.definition, stand.activation.step, verb, command)
    keep_changes(run, stand, command.changes, complete=verb in {"approve", "complete"})
    return stand


def keep_changes(
    run: Decision, stand: Stand, changes: Mapping[str, object], *, complete: bool
) -> None:
    """Apply a person's changes of the form, if the rights of the step allow every one of them.

    Only with ``complete`` everything that the step must fill in has to be there.
    """
    form = run.definition.form
    if form is None:
        refuse_values(changes)
        return
    if not changes and not complete:
        return
    rights = run.definition.rights_at(stand.activation.step)
    cleaned = clean(form, changes, rights, run.state.values, run.state.position)
    findings = (*cleaned.findings, *unknown_named(run.facts, cleaned))
    if not complete:
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


def note(run: Decision, stand: Stand, comment: str) -> None:
    """Keep the comment of an act whose own event has no room for one."""
    if says_something(comment):
        run.emit(Commented(comment=comment, step=stand.activation.step))


def seen_by(run: Decision, stand: Stand) -> str:
    """The digest of what the holder sees of the form at this moment."""
    return digest_seen(run, stand.activation.step)


def carry_on(run: Decision, activation: int) -> None:
    """Reckon a step anew after its seats have changed, and follow where that leads."""
    asked = settle(run, activation)
    if asked is not None:
        routing.follow(run, asked)
