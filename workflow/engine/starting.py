"""A request is filed: may this person, is the form right, what is it called, where does it go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.engine.decision import Decision, Definition
from workflow.engine.events import InstanceStarted
from workflow.engine.named import unknown_named
from workflow.engine.people import resolve
from workflow.engine.picking import take_picks
from workflow.engine.plan import START
from workflow.engine.rejections import Invalid, NotAllowed
from workflow.engine.routing import begin
from workflow.engine.signing import refuse_values
from workflow.engine.state import State
from workflow.engine.sure_picks import require_sure_picks
from workflow.engine.titles import Titling
from workflow.forms.formdoc import defaults
from workflow.forms.values import clean

if TYPE_CHECKING:
    from datetime import datetime

    from workflow.engine.commands import Start
    from workflow.engine.facts import Facts
    from workflow.forms.scalars import Value


def start(definition: Definition, command: Start, facts: Facts, now: datetime) -> Decision:
    """Begin a history. Raises NotAllowed (start.not_allowed), then Invalid (form.invalid, …).

    Whoever may not start learns nothing of the form: 403 comes before 422 (contract).
    """
    people = facts.people_by_id([command.initiator])
    if not people or not people[0].active:
        raise NotAllowed("start.not_allowed")
    if not may_start(Decision(definition, facts, now, State(initiator=command.initiator))):
        raise NotAllowed("start.not_allowed")
    values = _values(definition, command, facts)
    titling = Titling(definition.form, values, facts, command.language)
    started = InstanceStarted(
        initiator=command.initiator,
        number=command.number,
        title=titling.of(definition.plan.doc, people[0], command.number),
        values=values,
        parent=command.parent,
    )
    run = Decision.begin(definition, started, facts, now)
    take_picks(run, START, command.picked)
    require_sure_picks(run)
    begin(run)
    return run


def may_start(run: Decision) -> bool:
    """Whether the initiator is among those who may file this request; without a rule everybody."""
    who = run.plan.doc.start.who
    return who is None or run.state.initiator in resolve(run, who).people


def _values(definition: Definition, command: Start, facts: Facts) -> dict[str, Value]:
    form = definition.form
    if form is None:
        refuse_values(command.values)
        return {}
    cleaned = clean(form, command.values, definition.start_rights(), defaults(form))
    findings = (*cleaned.findings, *unknown_named(facts, cleaned))
    if findings:
        raise Invalid("form.invalid", findings=findings)
    return {name: value for name, value in cleaned.values.items() if value is not None}
