"""Which branches can hold together, which never do, and what no branch is for.

Theory of operation. Where conditions ask one field only, and compare it with fixed values, their
answers change at these values and nowhere else. So it is enough to ask them, with the evaluator
that runs them later, for each of the values, for one between each two neighbours, and for one
beyond either end.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Literal

from workflow.engine.flowdoc import ChoiceStep, InclusiveStep
from workflow.engine.validation.look import warning
from workflow.forms.conditions import fields_of, leaves
from workflow.forms.evaluation import UNKNOWN, Unknown, evaluate, text_of
from workflow.forms.findings import Finding, child, printable
from workflow.forms.scalars import (
    EXACT,
    Value,
    date_of,
    decimal_of,
    moment_text,
    nfc,
    plain,
    time_of,
    timestamp_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from decimal import Decimal

    from workflow.engine.flowdoc import Branch
    from workflow.engine.plan import PlanStep
    from workflow.engine.validation.look import Look
    from workflow.forms.conditions import Cond
    from workflow.forms.formdoc import Field
    from workflow.forms.scalars import FieldType

_FIXED = frozenset(
    {"eq", "ne", "gt", "ge", "lt", "le", "between", "in", "before", "after", "is"}
    | {"empty", "not_empty"}
)
# Stands for everybody whom no condition names.
_SOMEBODY_ELSE = "…"
_STEPS = {"integer": "1", "amount": "0.01", "number": "0.0000000001"}
# Answers that are asked for at most; beyond that the document is simply not proved.
MOST_ANSWERS = 20_000


def check(look: Look) -> Iterator[Finding]:
    """`branch.overlap`, `branch.never` and `branch.gap` (warnings) with a sample value each."""
    for placed in look.steps:
        step = placed.step
        if isinstance(step, ChoiceStep | InclusiveStep):
            where = child(placed.at, "branches")
            asked = {_field_of(branch.when) for branch in step.branches if branch.when is not None}
            for name in sorted(each for each in asked if each):
                if name in look.fields:
                    yield from _of_field(look.fields[name], step, placed, where)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A branch, its number, and the samples for which it holds."""

    number: int
    branch: Branch
    holds: frozenset[int]


def _of_field(
    field: Field, step: ChoiceStep | InclusiveStep, placed: PlanStep, where: str
) -> Iterator[Finding]:
    conditions = [
        (number, branch, branch.when)
        for number, branch in enumerate(step.branches)
        if branch.when is not None and not branch.otherwise and _field_of(branch.when) == field.id
    ]
    samples = _samples(field, [when for _, _, when in conditions])
    size = sum(len(list(leaves(when))) for _, _, when in conditions)
    if not samples or len(samples) * size > MOST_ANSWERS:
        return
    asked = [
        _Asked(number, branch, frozenset(_holding(when, field, samples)))
        for number, branch, when in conditions
    ]
    if isinstance(step, ChoiceStep):
        yield from _choice(asked, samples, placed, where)
    elif len(asked) == len(step.branches):
        yield from _gap(asked, samples, placed, where)


def _choice(
    asked: list[_Asked], samples: list[Value], placed: PlanStep, where: str
) -> Iterator[Finding]:
    for index, each in enumerate(asked):
        at = child(child(where, each.number), "when")
        earlier = asked[:index]
        taken = frozenset[int]().union(*(other.holds for other in earlier))
        if each.holds <= taken:
            yield warning("branch.never", placed, at, branch=each.branch.id)
            continue
        for other in earlier:
            both = sorted(each.holds & other.holds)
            if both:
                sample = printable(text_of(samples[both[0]]))
                args = {"branch": each.branch.id, "other": other.branch.id, "sample": sample}
                yield warning("branch.overlap", placed, at, **args)
                break


def _gap(
    asked: list[_Asked], samples: list[Value], placed: PlanStep, where: str
) -> Iterator[Finding]:
    covered = frozenset[int]().union(*(each.holds for each in asked))
    for number, sample in enumerate(samples):
        if sample is not None and number not in covered:
            yield warning("branch.gap", placed, where, sample=printable(text_of(sample)))
            return


def _holding(when: Cond, field: Field, samples: list[Value]) -> Iterator[int]:
    for number, sample in enumerate(samples):
        if evaluate(when, _Sample(field, sample)).result is True:
            yield number


def _field_of(when: Cond | None) -> str:
    """The one field that a condition compares with fixed values; "" when it asks for more."""
    if when is None:
        return ""
    names = fields_of(when)
    fixed = all(leaf.field is not None and leaf.op in _FIXED for _, leaf in leaves(when))
    return names[0] if fixed and len(names) == 1 else ""


def _samples(field: Field, conditions: list[Cond]) -> list[Value]:
    """Values in order that stand for all others, at the end "no value"; none where unknown."""
    operands = [
        item
        for when in conditions
        for _, leaf in leaves(when)
        for item in (leaf.value if isinstance(leaf.value, tuple) else (leaf.value,))
        if item is not None
    ]
    found: list[Value]
    match field.type:
        case "choice":
            found = [option.id for option in field.options]
        case "bool":
            found = [False, True]
        case "user" | "department":
            named = dict.fromkeys(nfc(each) for each in operands if isinstance(each, str))
            found = [*named, _SOMEBODY_ELSE]
        case "date":
            found = list(_around_dates(filter(None, map(date_of, operands))))
        case "time":
            times = [each for each in map(time_of, operands) if each is not None]
            found = list(_around_times(times))
        case "timestamp":
            found = list(_around_moments(filter(None, map(timestamp_of, operands))))
        case kind:
            numbers = [number for number in map(decimal_of, operands) if number is not None]
            found = list(_around_numbers(kind, numbers))
    return [*found, None] if found else []


def _around_dates(dates: Iterable[date]) -> Iterator[str]:
    days: set[date] = set()
    for day in dates:
        days.add(day)
        days.update(day + timedelta(days=step) for step in (-1, 1) if date.min < day < date.max)
    return (day.isoformat() for day in sorted(days))


def _around_times(times: Iterable[time]) -> Iterator[str]:
    day, second = date(2000, 1, 1), timedelta(seconds=1)
    near: set[time] = set()
    for each in times:
        near.add(each)
        if each > time.min:
            near.add((datetime.combine(day, each) - second).time())
        if each < time(23, 59, 59):
            near.add((datetime.combine(day, each) + second).time())
    return (each.isoformat("seconds" if each.second else "minutes") for each in sorted(near))


def _around_moments(moments: Iterable[datetime]) -> Iterator[str]:
    near: set[datetime] = set()
    for moment in moments:
        near.add(moment)
        if date.min < moment.date() < date.max:
            near.update(moment + timedelta(seconds=step) for step in (-1, 1))
    return (moment_text(moment) for moment in sorted(near))


def _around_numbers(kind: FieldType, numbers: list[Decimal]) -> Iterator[Value]:
    step = decimal_of(_STEPS.get(kind))
    if step is None:
        return
    near: set[Decimal] = set()
    for number in numbers:
        # Only values that the field can hold: the compared one may lie between two of them.
        below = EXACT.multiply(EXACT.divide_int(number, step), step)
        near.update((EXACT.subtract(below, step), below, EXACT.add(below, step)))
    for value in sorted(near):
        yield int(value) if kind == "integer" else plain(value)


@dataclass(frozen=True, slots=True)
class _Sample:
    """A request of which only one value is known."""

    field: Field
    sample: Value

    @property
    def today(self) -> date:
        # No operator that depends on the day is asked here.
        return date.min

    def value(self, field_id: str, /) -> Value:
        return self.sample if field_id == self.field.id else None

    def field_type(self, field_id: str, /) -> FieldType | None:
        return self.field.type if field_id == self.field.id else None

    def initiator_in(
        self, kind: Literal["role", "department", "is"], ids: tuple[str, ...], /
    ) -> None:
        return None

    def rule_says(self, rule: str, pinned: int, /) -> Unknown:
        return UNKNOWN

    def outcome(self, step_id: str, /) -> None:
        return None

    def lies_under(
        self,
        kind: Literal["user", "department"],
        ids: tuple[str, ...],
        departments: tuple[str, ...],
        /,
    ) -> None:
        return None
