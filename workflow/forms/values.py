"""Submitted values against a form and the rights of a step: the one check for page and REST."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

from workflow.forms.dependencies import settling_order
from workflow.forms.evaluation import UNKNOWN, Unknown, evaluate
from workflow.forms.fields import typed
from workflow.forms.findings import Finding, child, printable
from workflow.forms.formdoc import fields_by_id
from workflow.forms.operators import is_empty
from workflow.forms.scalars import (
    EXACT,
    Fault,
    FieldType,
    Value,
    decimal_of,
    number_value,
    says_something,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Literal

    from workflow.forms.formdoc import Field, FormDoc
    from workflow.forms.rights import Right

__all__ = ["Cleaned", "Value", "clean", "shown_fields"]

MOST_UNKNOWN = 20  # unknown names that one answer lists
_WRITABLE = frozenset({"edit", "must"})


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What a request's values become.

    `values` are all of them, the invisible ones included, without empty ones; `changed` names
    those that differ from before, an emptied one as None (the shape of a history event). With an
    error among `findings` nothing of it may be stored.
    """

    values: dict[str, Value]
    changed: dict[str, Value]
    findings: tuple[Finding, ...]


def clean(
    form: FormDoc,
    submitted: Mapping[str, object],
    rights: Mapping[str, Right],
    current: Mapping[str, Value],
) -> Cleaned:
    """Check submitted JSON values by field id and compute what the request's values become.

    A field that is not submitted keeps its current value; None (and "" in a text) empties it.
    Every problem is reported at once, at `/field_id`: those of `fields.typed`, `form.required`,
    `form.not_editable`, and `form.unknown_field`, which is also the answer for a hidden field,
    because being hidden includes that it exists (spec, 2.10 and invariant 6; acceptance 73). A
    field whose `show_if` is false loses its value and is not required; sums are the server's.
    """
    cleaning = _Cleaning(form, submitted, rights, current)
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
        self.fields = fields_by_id(form)
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

    def outcome(self, _step_id: str, /) -> str | Unknown | None:
        return UNKNOWN


class _Cleaning:
    """One check of one submission."""

    def __init__(
        self,
        form: FormDoc,
        submitted: Mapping[str, object],
        rights: Mapping[str, Right],
        current: Mapping[str, Value],
    ) -> None:
        self.form, self.submitted, self.rights, self.current = form, submitted, rights, current
        self.view = _FormView(
            form,
            {name: value for name, value in current.items() if not is_empty(value)},
        )
        self.findings: dict[str, Finding] = {}

    def settle(self, field: Field) -> None:
        """Decide the value of one field; those that it depends on are settled already."""
        right = self.rights.get(field.id, "hide")
        writable = right in _WRITABLE and not field.sum_of
        value: Value | Fault = self.view.values.get(field.id)
        if field.sum_of:
            if not self.view.faulty.isdisjoint(field.sum_of):
                self.view.faulty.add(field.id)
                return
            value = self._sum(field)
        asked = field.id in self.submitted and right != "hide"
        if asked and writable:
            value = typed(field, self.submitted[field.id])
        elif asked and self._differs(field, value):
            self._refuse(field, "form.not_editable")
        if not _is_shown(field, self.view):
            self.findings.pop(field.id, None)
            self.view.values.pop(field.id, None)
            return
        if isinstance(value, Fault):
            self._refuse(field, value.code, value.args)
            self.view.faulty.add(field.id)
            return
        if writable and (field.required or right == "must") and _is_blank(value):
            self._refuse(field, "form.required")
        self._put(field, value)

    def result(self) -> Cleaned:
        ordered = [
            self.findings[field.id] for field in self.form.fields if field.id in self.findings
        ]
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
        return Cleaned(values, changed, (*ordered, *self._unknown()))

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
            number = decimal_of(self.view.values.get(name))
            if number is not None:
                total, found = EXACT.add(total, number), True
        if not found:
            return None
        kind = field.type
        if kind not in ("integer", "number", "amount"):
            return None
        value = number_value(kind, total)
        return value if isinstance(value, Fault) else typed(field, value)

    def _refuse(
        self, field: Field, code: str, args: Mapping[str, str | int] | None = None
    ) -> None:
        if self.rights.get(field.id, "hide") != "hide":
            self.findings[field.id] = _finding(code, field.id, args)
            return
        # Only a sum can be wrong while it is hidden; its visible parts are blamed, not itself.
        for name in field.sum_of:
            if name in self.submitted and self.rights.get(name, "hide") in _WRITABLE:
                self.findings.setdefault(name, _finding(code, name, args))


def _finding(code: str, name: str, args: Mapping[str, str | int] | None) -> Finding:
    return Finding(code, child("", name), args={**(args or {}), "field": name})


def _is_shown(field: Field, view: _FormView) -> bool:
    # Unknown counts as shown: nobody loses a value because of somebody else's mistyped one.
    return field.show_if is None or evaluate(field.show_if, view).result is not False


def _present(value: Value) -> Value:
    return None if is_empty(value) else value


def _is_blank(value: Value) -> bool:
    return is_empty(value) or (isinstance(value, str) and not says_something(value))
