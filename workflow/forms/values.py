"""Submitted values against a form and the rights of a step: the one check for page and REST."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

from workflow.forms.dependencies import known_fields, settling_order
from workflow.forms.evaluation import UNKNOWN, Unknown, evaluate
from workflow.forms.fields import typed
from workflow.forms.findings import Finding, child, printable
from workflow.forms.operators import is_empty
from workflow.forms.references import OUTSIDE, Given, given
from workflow.forms.rights import WRITABLE, fillable, may_rows
from workflow.forms.scalars import (
    EXACT,
    Fault,
    FieldType,
    Value,
    decimal_of,
    is_blank,
    number_value,
    texts_of,
)
from workflow.forms.tables import cells, check_rows, clean_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Literal

    from workflow.forms.formdoc import Field, FormDoc
    from workflow.forms.rights import Right

__all__ = ["Cleaned", "Value", "clean", "shown_fields"]

MOST_UNKNOWN = 20  # unknown names that one answer lists


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What a request's values become.

    `values` are all of them, the invisible ones included, without empty ones; `changed` names
    those that differ from before, an emptied one as None (the shape of a history event). With an
    error among `findings` nothing of it may be stored. `given` are the people, departments and
    files that were not there before: whether they exist is still to be asked (`references`).
    """

    values: dict[str, Value]
    changed: dict[str, Value]
    findings: tuple[Finding, ...]
    given: tuple[Given, ...] = ()

    @property
    def people(self) -> tuple[Given, ...]:
        """The logins among `given`."""
        return tuple(each for each in self.given if each.kind == "user")

    @property
    def departments(self) -> tuple[Given, ...]:
        """The departments' codes among `given`."""
        return tuple(each for each in self.given if each.kind == "department")

    @property
    def files(self) -> tuple[Given, ...]:
        """The files' ids among `given`."""
        return tuple(each for each in self.given if each.kind == "file")


def clean(
    form: FormDoc,
    submitted: Mapping[str, object],
    rights: Mapping[str, Right],
    current: Mapping[str, Value],
    moment: int = 0,
) -> Cleaned:
    """Check submitted JSON values by field id and compute what the request's values become.

    A field that is not submitted keeps its current value; None (and "" in a text) empties it.
    Every problem is reported at once, at `/field_id`: those of `fields.typed`, `form.required`,
    `form.not_editable`, and `form.unknown_field`, which is also the answer for a hidden field,
    because being hidden includes that it exists (spec, 2.10 and invariant 6; acceptance 73). A
    field whose `show_if` is false loses its value and is not required; sums are the server's.
    The rows of a table are checked by `tables.clean_table`, whose codes stand at
    `/table/row/column`; `moment` is the number of the request's event that this follows, 0 where
    there is no request yet, and names new rows.
    """
    cleaning = _Cleaning(form, submitted, rights, current, moment)
    for field in settling_order(form):
        cleaning.settle(field)
    return cleaning.result()


def shown_fields(form: FormDoc, values: Mapping[str, Value]) -> frozenset[str]:
    """The ids of the fields that these values do not hide by `show_if`."""
    view = _FormView(form, dict(values))
    return frozenset(field.id for field in form.fields if _is_shown(field, view))


class _FormView:
    """The values of a form as a condition sees them while they are being settled."""

    today = date.min  # never asked: `show_if` has no operator that depends on the day

    def __init__(self, form: FormDoc, values: dict[str, Value]) -> None:
        self.fields = known_fields(form)
        self.values = values
        self.faulty: set[str] = set()

    def value(self, field_id: str, /) -> Value | Unknown:
        return UNKNOWN if field_id in self.faulty else self.values.get(field_id)

    def field_type(self, field_id: str, /) -> FieldType | None:
        field = self.fields.get(field_id)
        return None if field is None else field.type

    def initiator_in(
        self, _kind: Literal["role", "department", "is"], _ids: tuple[str, ...], /
    ) -> bool | None:
        return None

    def rule_says(self, _rule: str, _pinned: int, /) -> Value | Unknown:
        return UNKNOWN

    def outcome(self, _step_id: str, /) -> str | Unknown | None:
        return UNKNOWN

    def lies_under(
        self,
        _kind: Literal["user", "department"],
        _ids: tuple[str, ...],
        _departments: tuple[str, ...],
        /,
    ) -> bool | None:
        return None


class _Cleaning:
    """One check of one submission."""

    def __init__(
        self,
        form: FormDoc,
        submitted: Mapping[str, object],
        rights: Mapping[str, Right],
        current: Mapping[str, Value],
        moment: int,
    ) -> None:
        self.form, self.submitted, self.rights, self.current = form, submitted, rights, current
        self.moment = moment
        self.view = _FormView(
            form,
            {name: value for name, value in current.items() if not is_empty(value)},
        )
        self.findings: dict[str, Finding] = {}
        self.in_tables: dict[str, list[Finding]] = {}
        self.given: list[Given] = []

    def settle(self, field: Field) -> None:
        """Decide the value of one field; those that it depends on are settled already."""
        if field.type == "table":
            self._settle_table(field)
            return
        right = self.rights.get(field.id, "hide")
        asked = field.id in self.submitted and right != "hide"
        value: Value | Fault = self.view.values.get(field.id)
        if field.sum_of:
            faulty = self.view.faulty
            if faulty and any(name.partition(".")[0] in faulty for name in field.sum_of):
                faulty.add(field.id)
                return
            value = self._sum(field)
        elif right in WRITABLE:
            if asked:
                value = typed(field, self.submitted[field.id])
            needed = field.required or right == "must"
            if self._settled(field, value, needed=needed) and asked and field.type in OUTSIDE:
                self._ask_for(field)
            return
        if asked and self._differs(field, value):
            self._refuse(field, "form.not_editable")
        self._settled(field, value, needed=False)

    def _settled(self, field: Field, value: Value | Fault, *, needed: bool) -> bool:
        """Keep the value, unless it is hidden or wrong; whether it was kept."""
        if not _is_shown(field, self.view):
            self.findings.pop(field.id, None)
            self.view.values.pop(field.id, None)
            return False
        if isinstance(value, Fault):
            self._refuse(field, value.code, value.args)
            self.view.faulty.add(field.id)
            return False
        if needed and is_blank(value):
            self._refuse(field, "form.required")
        self._put(field, value)
        return True

    def _ask_for(self, field: Field) -> None:
        value, before = self.view.values.get(field.id), self.current.get(field.id)
        self.given += given(field, field.id, value, child("", field.id), texts_of(before))

    def _settle_table(self, table: Field) -> None:
        if not _is_shown(table, self.view):
            self.view.values.pop(table.id, None)
            return
        rights, right = self.rights, self.rights.get(table.id, "hide")
        value = self.view.values.get(table.id)
        if table.id in self.submitted and right != "hide":
            done = clean_table(table, self.submitted[table.id], rights, value, self.moment)
            value, found = done.rows, done.findings
            self.given += done.given
            if any(finding.code != "form.required" for finding in found):
                self.view.faulty.add(table.id)
        else:
            found = check_rows(table, rights, value)
        required = table.required or right == "must"
        if required and is_empty(value) and may_rows(rights, table.id, "add") and not found:
            found = [_finding("form.required", table.id, None)]
        if found:
            self.in_tables[table.id] = found
        self._put(table, value)

    def result(self) -> Cleaned:
        ordered = self._ordered() if self.findings or self.in_tables else ()
        values = {
            field.id: self.view.values[field.id]
            for field in self.form.fields
            if field.id in self.view.values
        }
        changed = {
            field.id: values.get(field.id)
            for field in self.form.fields
            if _present(self.current.get(field.id)) != values.get(field.id)
        }
        return Cleaned(values, changed, (*ordered, *self._unknown()), tuple(self.given))

    def _ordered(self) -> Iterator[Finding]:
        for field in self.form.fields:
            if field.id in self.findings:
                yield self.findings[field.id]
            yield from self.in_tables.get(field.id, ())

    def _unknown(self) -> list[Finding]:
        known = {name for name in self.view.fields if self.rights.get(name, "hide") != "hide"}
        names = [name for name in self.submitted if name not in known]
        return [
            Finding("form.unknown_field", child("", name), args={"field": printable(name)})
            for name in names[:MOST_UNKNOWN]
        ]

    def _put(self, field: Field, value: Value) -> None:
        if is_empty(value):
            self.view.values.pop(field.id, None)
        else:
            self.view.values[field.id] = value

    def _differs(self, field: Field, value: Value | Fault) -> bool:
        sent = typed(field, self.submitted[field.id])
        return isinstance(sent, Fault) or isinstance(value, Fault) or sent != value

    def _sum(self, field: Field) -> Value | Fault:
        total, found = Decimal(0), False
        for name in field.sum_of:
            for addend in self._addends(name):
                number = decimal_of(addend)
                if number is not None:
                    total, found = EXACT.add(total, number), True
        if not found:
            return None
        kind = field.type
        if kind not in ("integer", "number", "amount"):
            return None
        value = number_value(kind, total)
        return value if isinstance(value, Fault) else typed(field, value)

    def _addends(self, name: str) -> Iterable[Value]:
        table, dot, column = name.partition(".")
        value = self.view.values.get(table)
        return cells(value, column) if dot else (value,)

    def _refuse(
        self, field: Field, code: str, args: Mapping[str, str | int] | None = None
    ) -> None:
        if self.rights.get(field.id, "hide") != "hide":
            self.findings[field.id] = _finding(code, field.id, args)
            return
        # Only a sum can be wrong while it is hidden; its visible parts are blamed, not itself.
        for part in field.sum_of:
            name = part.partition(".")[0]
            if name in self.submitted and fillable(self.view.fields[name], self.rights):
                self.findings.setdefault(name, _finding(code, name, args))


def _finding(code: str, name: str, args: Mapping[str, str | int] | None) -> Finding:
    return Finding(code, child("", name), args={**(args or {}), "field": name})


def _is_shown(field: Field, view: _FormView) -> bool:
    # Unknown counts as shown: nobody loses a value because of somebody else's mistyped one.
    return field.show_if is None or evaluate(field.show_if, view).result is not False


def _present(value: Value) -> Value:
    return None if is_empty(value) else value
