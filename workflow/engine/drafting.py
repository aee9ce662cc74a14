"""A request that is being filled in: what fits of it so far, and what may still be filled in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workflow.engine.decision import Decision
from workflow.engine.events import InstanceStarted
from workflow.engine.named import unknown_named
from workflow.engine.picking import take_picks
from workflow.engine.plan import START
from workflow.engine.rejections import Invalid
from workflow.engine.ways import PartialView, Way
from workflow.forms.dependencies import settling_order
from workflow.forms.evaluation import evaluate
from workflow.forms.findings import Finding, child
from workflow.forms.formdoc import defaults
from workflow.forms.rights import fillable
from workflow.forms.values import MOST_UNKNOWN, clean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from workflow.engine.decision import Definition
    from workflow.engine.facts import Facts
    from workflow.forms.scalars import Value

_NOT_YET = frozenset({"form.required"})


@dataclass(frozen=True, slots=True)
class Draft:
    """What a preview looks at: a decision that nobody keeps, and the fields that are open.

    ``findings`` say what was given and does not fit; it counts as not given. Form values stand at
    ``/form/<field>``, people at ``/picked/<step>``. What is only missing is no finding.
    """

    run: Decision
    open_fields: frozenset[str]
    findings: tuple[Finding, ...]


def draft(
    definition: Definition,
    initiator: int,
    submitted: Mapping[str, object],
    picked: Mapping[str, Sequence[int]],
    facts: Facts,
    now: datetime,
) -> Draft:
    """Take what fits of a half-filled form, as a start would take all of it.

    ``submitted`` are JSON values by field id, ``picked`` people's ids by step id, ``now`` aware
    UTC. Raises nothing for whatever is given (approvals.md 4, test 70).
    """
    values, findings = _values(definition, submitted, facts)
    started = InstanceStarted(initiator=initiator, number="", title="", values=values)
    run = Decision.begin(definition, started, facts, now)
    for step, people in picked.items():
        try:
            take_picks(run, START, {step: people}, needed=False)
        except Invalid as refusal:
            findings = (*findings, *refusal.findings)
    return Draft(run, open_fields(run), findings)


def open_fields(run: Decision, at: str = START) -> frozenset[str]:
    """The empty fields that whoever acts in this step may still fill in.

    A field that is surely hidden by `show_if` is not among them; one that may yet be shown is.
    """
    form = run.definition.form
    if form is None:
        return frozenset()
    rights = run.definition.rights_at(at)
    found: frozenset[str] = frozenset()
    for field in settling_order(form):
        if run.state.values.get(field.id) is not None or not fillable(field, rights):
            continue
        view = PartialView(run, Way(run.state, open=found), run.state.outcomes)
        if field.show_if is None or evaluate(field.show_if, view).result is not False:
            found |= {field.id}
    return found


def _values(
    definition: Definition, submitted: Mapping[str, object], facts: Facts
) -> tuple[dict[str, Value], tuple[Finding, ...]]:
    form = definition.form
    if form is None:
        names = list(submitted)[:MOST_UNKNOWN]
        return {}, tuple(Finding("form.unknown_field", child("/form", name)) for name in names)
    rights = definition.start_rights()
    cleaned = clean(form, submitted, rights, defaults(form))
    found = (*cleaned.findings, *unknown_named(facts, cleaned))
    faults = tuple(each for each in found if each.code not in _NOT_YET)
    unfit = {each.at.split("/")[1].replace("~1", "/").replace("~0", "~") for each in faults}
    if unfit:
        # Once more without them, because sums and hidden fields follow from what is left.
        rest = {name: value for name, value in submitted.items() if name not in unfit}
        kept = {name: each for name, each in defaults(form).items() if name not in unfit}
        cleaned = clean(form, rest, rights, kept)
    placed = tuple(replace(each, at=f"/form{each.at}") for each in faults)
    return {name: each for name, each in cleaned.values.items() if each is not None}, placed
