"""A choice: the first branch whose condition holds is taken, and every question is remembered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from workflow.engine.events import BranchTaken, Leaf
from workflow.forms.evaluation import Verdict, evaluate, text_of
from workflow.forms.formdoc import Field, fields_by_id

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from workflow.engine.decision import Decision
    from workflow.engine.flowdoc.steps import ChoiceStep
    from workflow.engine.plan import PlanStep, Target
    from workflow.forms.scalars import FieldType, Value


def take_branch(run: Decision, at: PlanStep, step: ChoiceStep) -> Target:
    """Evaluate the branches in order (approvals.md 3.2, Conditions).

    Nothing is unknown while a request runs: a field without a value makes a comparison false,
    and the explanation says so. A published choice has an ``otherwise``: one branch is taken.
    """
    form = run.definition.form
    view = RunningView(run, fields_by_id(form) if form is not None else {})
    asked: list[Leaf] = []
    for branch, planned in zip(step.branches, at.branches, strict=True):
        if branch.when is not None:
            verdict = evaluate(branch.when, view)
            asked.extend(_leaf(each) for each in verdict.leaves())
            if verdict.result is not True:
                continue
        run.emit(BranchTaken(step=at.id, branch=branch.id, leaves=tuple(asked)))
        return planned.first
    message = f"The choice {at.id} has no branch for every case."
    raise ValueError(message)


def _leaf(verdict: Verdict) -> Leaf:
    return Leaf(
        asked=verdict.asked,
        op=verdict.op,
        expected=text_of(verdict.expected),
        seen=text_of(verdict.seen),
        held=verdict.result is True,
        no_value=verdict.no_value,
        kind=verdict.kind,
    )


@dataclass(frozen=True, slots=True)
class RunningView:
    """What a condition sees of a running request."""

    run: Decision
    fields: Mapping[str, Field]

    @property
    def today(self) -> date:
        return self.run.facts.today

    def value(self, field_id: str, /) -> Value:
        return self.run.state.values.get(field_id)

    def field_type(self, field_id: str, /) -> FieldType | None:
        field = self.fields.get(field_id)
        return field.type if field is not None else None

    def initiator_in(
        self, kind: Literal["role", "department", "is"], ids: tuple[str, ...], /
    ) -> bool:
        initiator, facts = self.run.state.initiator, self.run.facts
        if kind == "department":
            return any(line.code in ids for line in facts.line_of_user(initiator))
        members = facts.role_members(ids) if kind == "role" else facts.people_by_login(ids)
        return any(person.id == initiator for person in members)

    def outcome(self, step_id: str, /) -> str | None:
        return self.run.state.outcomes.get(step_id)
