"""The values that a `set` step gives to fields of the form, by the form's own rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC
from typing import TYPE_CHECKING

from workflow.engine.flowdoc.steps import Computed
from workflow.engine.questions import Question
from workflow.forms.formdoc import field_named
from workflow.forms.references import unknown
from workflow.forms.rights import effective
from workflow.forms.scalars import ROW_ID, moment_text, rows_of, texts_of
from workflow.forms.values import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from workflow.engine.decision import Decision
    from workflow.engine.flowdoc.steps import Change, SetStep
    from workflow.forms.findings import Finding
    from workflow.forms.formdoc import FormDoc
    from workflow.forms.references import Given
    from workflow.forms.scalars import Value


@dataclass(frozen=True, slots=True)
class Computation:
    """What a `set` step comes to: the changed values, or the first field that refuses its own."""

    changed: Mapping[str, Value] = field(default_factory=dict)
    refused: str = ""


class _Unfit(Exception):
    """There is no such value for this field."""


def computed(run: Decision, step: SetStep) -> Computation:
    """The changes of a `set` step against the values as they stand before it.

    All of them see the values from before, so two fields can change places; of two changes of one
    field the later one holds. ``table.column`` means that column of every row. Sums and hidden
    fields follow as when a person edits. Source: approvals.md 3.2, Step.
    """
    form = run.definition.form
    if form is None:
        return Computation(refused=step.changes[0].field)
    submitted: dict[str, object] = {}
    for change in step.changes:
        try:
            _submit(run, form, change, submitted)
        except _Unfit:
            return Computation(refused=change.field)
    return fitted(run, submitted, [change.field for change in step.changes])


def fitted(
    run: Decision, submitted: Mapping[str, object], named: Iterable[str] = ()
) -> Computation:
    """New values for fields that no person gives, checked as if a person had given them.

    ``named`` are the fields and columns that may be written; those submitted when none is named.
    """
    if not submitted:
        return Computation()
    form = run.definition.form
    if form is None:
        return Computation(refused=next(iter(submitted)))
    written = tuple(named) or tuple(submitted)
    rights = effective("read", dict.fromkeys(written, "edit"), form)
    cleaned = clean(form, submitted, rights, run.state.values, run.state.position)
    findings = cleaned.findings or _unknown(run, cleaned.given)
    if findings:
        return Computation(refused=str(findings[0].args.get("field", findings[0].at)))
    return Computation(changed=cleaned.changed)


def _submit(run: Decision, form: FormDoc, change: Change, submitted: dict[str, object]) -> None:
    """Add a change to what a person would have sent to have it so."""
    table, dot, column = change.field.partition(".")
    if field_named(form, change.field) is None:
        raise _Unfit
    if not dot:
        submitted[table] = _value(run, form, change)
        return
    before = _rows(run, table)
    rows = submitted.setdefault(table, [{ROW_ID: row[ROW_ID]} for row in before])
    if not isinstance(rows, list) or any(ROW_ID not in row for row in rows):
        # The same step gives the table other rows: which of them is meant cannot be said.
        raise _Unfit
    for row, old in zip(rows, before, strict=True):
        row[column] = _cell(run, form, change, table, old)


def _rows(run: Decision, table: str) -> tuple[Mapping[str, object], ...]:
    return rows_of(run.state.values.get(table))


def _value(run: Decision, form: FormDoc, change: Change) -> object:
    to = change.to
    if not isinstance(to, Computed):
        return list(to) if isinstance(to, tuple) else to
    if to.now:
        return _now(run, form, change.field)
    if to.rule is not None:
        if run.consulted is None:
            # It was not asked (decision 9): a preview knows nothing of it.
            raise _Unfit
        return run.consulted.answers.get(Question(to.rule))
    if to.copy is None or "." in to.copy:
        # Of the rows of a table there is no one value.
        raise _Unfit
    value = run.state.values.get(to.copy)
    if rows_of(value):
        # Copied rows are new ones here.
        return [{name: each[name] for name in each if name != ROW_ID} for each in rows_of(value)]
    return list(value) if isinstance(value, tuple) else value


def _cell(
    run: Decision, form: FormDoc, change: Change, table: str, row: Mapping[str, object]
) -> object:
    """One cell of a column: a copy may come from the same row."""
    to = change.to
    if isinstance(to, Computed) and to.copy is not None and to.copy.startswith(f"{table}."):
        cell = row.get(to.copy.partition(".")[2])
        return list(cell) if isinstance(cell, tuple) else cell
    return _value(run, form, change)


def _now(run: Decision, form: FormDoc, name: str) -> object:
    """This moment as the field's type has it: the tenant's day, else the moment in UTC."""
    target = field_named(form, name)
    match target.type if target is not None else "":
        case "date":
            return run.facts.today.isoformat()
        case "time":
            return run.now.astimezone(UTC).strftime("%H:%M:%S")
        case "timestamp" | "text" | "long_text":
            return moment_text(run.now)
        case _:
            raise _Unfit


def _unknown(run: Decision, given: Sequence[Given]) -> tuple[Finding, ...]:
    """What is newly named and not there; what stands in the form already may be copied."""
    if not given:
        return ()
    known = _named_in_form(run.state.values)
    known |= {person.login for person in run.facts.people_by_login(_ids(given, "user"))}
    known |= {each for each in _ids(given, "department") if run.facts.line_of_department(each)}
    return unknown(given, known)


def _ids(given: Sequence[Given], kind: str) -> list[str]:
    return [each.id for each in given if each.kind == kind]


def _named_in_form(values: Mapping[str, Value]) -> set[str]:
    cells = [cell for value in values.values() for row in rows_of(value) for cell in row.values()]
    return {text for value in (*values.values(), *cells) for text in texts_of(value)}
