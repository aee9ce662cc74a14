"""The form that a file without one gets: the fields that its conditions name."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from workflow.forms.findings import Finding, child, printable
from workflow.importing.naming import Ids

if TYPE_CHECKING:
    from collections.abc import Iterator

Type = Literal["number", "text", "choice"]

_ORDERING = frozenset({"gt", "ge", "lt", "le", "between"})
_TEXTUAL = frozenset({"contains", "starts", "ends"})
_NUMBER = re.compile(r"-?[0-9]{1,20}(?:\.[0-9]{1,10})?")
_LONGEST_LABEL = 200


@dataclass(slots=True)
class _Use:
    op: str
    values: tuple[str, ...]
    at: str


@dataclass(slots=True)
class _Field:
    id: str
    name: str
    label: str
    at: str
    given: Type | None = None
    options: dict[str, str] = field(default_factory=dict)
    uses: list[_Use] = field(default_factory=list)


class FormFields:
    """Collects what conditions ask of each field; the types follow when all have been seen.

    A field that is compared by size is a number. One that is only compared for being the same is
    a text, which takes every value that the other system would have taken. Each field is required:
    there a condition whose field has no value is false, also one with "not equal", and here
    nobody can leave the field empty.
    """

    def __init__(self) -> None:
        self._fields: dict[str, _Field] = {}
        self._ids = Ids()
        self.findings: list[Finding] = []

    def leaf(
        self,
        name: str,
        op: str,
        *values: str,
        label: str,
        at: str,
        given: Type | None = None,
        options: dict[str, str] | None = None,
    ) -> dict[str, Any]:
        """The condition that asks a field of the source; the field is remembered.

        `at` is the position of the condition in the source; `given` its type where the file says
        so. Two values are a range (`between`), several are a list (`in`).
        """
        known = self._fields.get(name)
        if known is None:
            new = _Field(self._ids.give(name, "field"), name, label, at, given)
            known = self._fields.setdefault(name, new)
        elif label and label != known.label:
            args: dict[str, str | int] = {"label": printable(label), "kept": known.label}
            self.findings.append(Finding("import.other_label", at, level="warning", args=args))
        known.options.update(options or {})
        known.uses.append(_Use(op, values, at))
        value = values[0] if op not in {"between", "in"} else list(values)
        return {"field": known.id, "op": op, "value": value}

    def form(self) -> tuple[dict[str, Any] | None, dict[str, str]]:
        """The form document (None without fields) and where each of its fields comes from."""
        fields = [self._written(each) for each in self._fields.values()]
        origins = {
            child("/form/fields", number): each.at
            for number, each in enumerate(self._fields.values())
        }
        return ({"formdoc": 1, "fields": fields} if fields else None), origins

    def _written(self, each: _Field) -> dict[str, Any]:
        kind = self._type(each)
        label = (each.label or each.name)[:_LONGEST_LABEL]
        made: dict[str, Any] = {"id": each.id, "type": kind, "label": label, "required": True}
        if kind == "choice":
            made["options"] = [{"id": one, "label": text} for one, text in each.options.items()]
        args: dict[str, str | int] = {"field": printable(each.name), "type": kind}
        self.findings.append(Finding("import.field_made", each.at, level="warning", args=args))
        return made

    def _type(self, each: _Field) -> Type:
        by_size = any(use.op in _ORDERING for use in each.uses)
        kind = each.given or ("number" if by_size else "text")
        self.findings.extend(_misfits(each, kind))
        return kind


def _misfits(each: _Field, kind: Type) -> Iterator[Finding]:
    """Comparisons that this type cannot make: the file contradicts itself."""
    for use in each.uses:
        args: dict[str, str | int] = {"field": printable(each.name), "op": use.op}
        if kind == "number" and use.op in _TEXTUAL:
            yield Finding("import.field_two_types", use.at, args=args)
        elif kind == "number" and not all(_NUMBER.fullmatch(value) for value in use.values):
            yield Finding("import.not_a_number", use.at, args=args)
        elif not all(use.values):
            yield Finding("import.no_operand", use.at, args=args)
