"""Whether a condition makes sense on a form: its fields exist, its operators and values fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.forms.conditions import DEEPEST, MOST_LEAVES, Cond, leaves, parts
from workflow.forms.findings import Finding, child, printable
from workflow.forms.formdoc import Field, FormDoc, fields_by_id
from workflow.forms.operators import (
    NUMBER_OPERATORS,
    OPERATORS,
    TABLE_OPERATOR,
    operand_fits,
    unsafe_reason,
)
from workflow.forms.scalars import NUMERIC, FieldType, nfc

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Mapping


def check(
    cond: Cond, form: FormDoc | None, at: str, step: str | None = None
) -> tuple[Finding, ...]:
    """Every problem of a condition, in document order; `at` is its JSON Pointer.

    `cond.depth` (more than 8 levels), `cond.too_many` (more than 100 leaves), `cond.bad_op`,
    `cond.bad_value`, `cond.pattern_unsafe`, `form.unknown_field`, `form.type_mismatch` (spec,
    Invariants 2 and 6). Roles, people, steps and rules that a leaf names are the caller's to
    check: they are not of the form. Without a form there is no field to ask about.
    """
    findings = list(_size(cond, at, step))
    fields = {} if form is None else fields_by_id(form)
    for number, (where, leaf) in enumerate(leaves(cond, at)):
        if number >= MOST_LEAVES:
            break
        if leaf.field is not None:
            findings.extend(_field_leaf(leaf, fields, where, step))
    return tuple(findings)


def check_show_if(cond: Cond, form: FormDoc, at: str) -> tuple[Finding, ...]:
    """Every problem of a field's `show_if`.

    It may ask fields only, and nothing that changes with the day or the organisation: otherwise a
    value that was right when it was typed would be dropped by somebody's later approval.
    """
    findings = list(check(cond, form, at))
    for where, leaf in leaves(cond, at):
        if leaf.field is None:
            findings.append(Finding("cond.bad_op", where, args={"op": "show_if"}))
        elif leaf.op in {"within_last", "within_next", "under"}:
            findings.append(Finding("cond.bad_op", child(where, "op"), args={"op": leaf.op}))
    return tuple(findings)


def _size(cond: Cond, at: str, step: str | None) -> Iterator[Finding]:
    waiting, too_deep = [(at, cond, 1)], False
    while waiting:
        where, node, depth = waiting.pop()
        if depth > DEEPEST:
            if not too_deep:
                yield Finding("cond.depth", where, step, args={"max": DEEPEST})
            too_deep = True
            continue
        waiting.extend((where + end, part, depth + 1) for end, part in reversed(parts(node)))
    for number, (where, _) in enumerate(leaves(cond, at)):
        if number == MOST_LEAVES:
            yield Finding("cond.too_many", where, step, args={"max": MOST_LEAVES})
            return


def _field_leaf(
    leaf: Cond, fields: Mapping[str, Field], at: str, step: str | None
) -> Iterator[Finding]:
    name, op = leaf.field or "", leaf.op or ""
    field = fields.get(name)
    if field is None:
        unknown = {"field": printable(name)}
        yield Finding("form.unknown_field", child(at, "field"), step, args=unknown)
    elif field.type == "table" and (found := TABLE_OPERATOR.fullmatch(op)):
        for code, end, args in _table_faults(leaf, field, found):
            yield Finding(code, child(at, end), step, args=args)
    elif op not in OPERATORS[field.type]:
        args = {"op": printable(op), "field": field.id, "type": field.type}
        yield Finding("cond.bad_op", child(at, "op"), step, args=args)
    elif op == "matches" and (reason := _unsafe(leaf)):
        yield Finding("cond.pattern_unsafe", child(at, "value"), step, args={"reason": reason})
    elif not operand_fits(field.type, op, leaf.value):
        args = {"op": op, "field": field.id, "type": field.type}
        yield Finding("cond.bad_value", child(at, "value"), step, args=args)
    elif field.type in {"choice", "multi_choice"} and leaf.value is not None:
        yield from _options(leaf, field, at, step)


def _table_faults(
    leaf: Cond, table: Field, op: re.Match[str]
) -> Iterator[tuple[str, str, dict[str, str | int]]]:
    name, column_id = op["count"] or op["sum"], op["column"]
    column = next((column for column in table.columns if column.id == column_id), None)
    kind: FieldType = "integer" if column is None else column.type
    asked = table.id if column_id is None else f"{table.id}.{column_id}"
    if name not in NUMBER_OPERATORS:
        yield "cond.bad_op", "op", {"op": name, "field": asked, "type": table.type}
    elif column is None and column_id is not None:
        yield "form.unknown_field", "op", {"field": asked}
    elif kind not in NUMERIC:
        yield "form.type_mismatch", "op", {"field": asked, "type": kind}
    elif not operand_fits(kind, name, leaf.value):
        yield "cond.bad_value", "value", {"op": op.group(), "field": asked, "type": kind}


def _options(leaf: Cond, field: Field, at: str, step: str | None) -> Iterator[Finding]:
    known = {option.id for option in field.options}
    single = not isinstance(leaf.value, tuple)
    values = leaf.value if isinstance(leaf.value, tuple) else (leaf.value,)
    for number, value in enumerate(values):
        if nfc(str(value)) not in known:
            where = child(at, "value") if single else child(child(at, "value"), number)
            args = {"op": leaf.op or "", "field": field.id, "type": field.type}
            yield Finding("cond.bad_value", where, step, args=args)


def _unsafe(leaf: Cond) -> str | None:
    return unsafe_reason(leaf.value) if isinstance(leaf.value, str) else None
