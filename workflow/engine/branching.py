"""A choice: the first branch whose condition holds is taken, and every question is remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast

from workflow.engine.events import BranchTaken, GotoDecided, Leaf
from workflow.engine.questions import Question
from workflow.forms.evaluation import Verdict, evaluate, text_of
from workflow.forms.formdoc import Field, fields_by_id

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date

    from workflow.engine.decision import Decision
    from workflow.engine.flowdoc.steps import ChoiceStep, GotoStep
    from workflow.engine.plan import PlanStep, Target
    from workflow.forms.conditions import Cond
    from workflow.forms.evaluation import Unknown
    from workflow.forms.scalars import FieldType, Value


def take_branch(run: Decision, at: PlanStep, step: ChoiceStep) -> Target:
    """Evaluate the branches in order (approvals.md 3.2, Conditions).

    Nothing is unknown while a request runs: a field without a value makes a comparison false,
    and the explanation says so. A published choice has an ``otherwise``: one branch is taken.
    """
    asked: list[Leaf] = []
    for branch, planned in zip(step.branches, at.branches, strict=True):
        if branch.when is not None:
            held, leaves = ask_branch(run, branch.when)
            asked.extend(leaves)
            if not held:
                continue
        run.emit(BranchTaken(step=at.id, branch=branch.id, leaves=tuple(asked)))
        return planned.first
    message = f"The choice {at.id} has no branch for every case."
    raise ValueError(message)


def ask_branch(run: Decision, when: Cond) -> tuple[bool, tuple[Leaf, ...]]:
    """Whether a condition holds now, and each question with the value it saw."""
    form = run.definition.form
    view = RunningView(run, fields_by_id(form) if form is not None else {})
    verdict = evaluate(when, view)
    return verdict.result is True, tuple(leaf_of(each) for each in verdict.leaves())


def decide_goto(run: Decision, at: PlanStep, step: GotoStep) -> bool:
    """Whether a goto leads back this time; what it asked and how often it led back is kept."""
    count = run.state.jumps.get(at.id, 0)
    taken, leaves = (True, ()) if step.when is None else ask_branch(run, step.when)
    run.emit(
        GotoDecided(step=at.id, taken=taken, count=count + 1 if taken else count, leaves=leaves)
    )
    return taken


def leaf_of(verdict: Verdict) -> Leaf:
    return Leaf(
        asked=verdict.asked,
        op=verdict.op,
        expected=text_of(verdict.expected),
        seen=text_of(verdict.seen),
        held=verdict.result is True,
        no_value=verdict.no_value,
        kind=verdict.kind,
        denied=verdict.denied,
    )


class RunningView:
    """What a condition sees of a running request."""

    def __init__(self, run: Decision, fields: Mapping[str, Field]) -> None:
        self.run = run
        self.fields = fields

    @property
    def today(self) -> date:
        return self.run.facts.today

    def value(self, field_id: str, /) -> Value | Unknown:
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

    def outcome(self, step_id: str, /) -> str | Unknown | None:
        return self.run.state.outcomes.get(step_id)

    def rule_says(self, rule: str, pinned: int, /) -> Value | Unknown:
        said = self.run.consulted
        if said is None:
            # A step that mentions a rule is decided only with its answer (consulting).
            message = f"The rule {rule} was not asked."
            raise ValueError(message)
        answer: Any = said.answers[Question(rule, pinned)]
        return tuple(answer) if isinstance(answer, list) else cast("Value", answer)

    def lies_under(
        self,
        kind: Literal["user", "department"],
        ids: tuple[str, ...],
        departments: tuple[str, ...],
        /,
    ) -> bool:
        facts = self.run.facts
        if kind == "department":
            lines = [facts.line_of_department(code) for code in ids]
        else:
            lines = [facts.line_of_user(person.id) for person in facts.people_by_login(ids)]
        return any(unit.code in departments for line in lines for unit in line)
