"""Fields of the form as the process uses them (approvals 3.2, invariants 6 and 7)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, get_args

from workflow.engine.flowdoc import (
    BaseOf,
    ByFormDepartmentHead,
    ByFormUsers,
    CopyStep,
    DelayStep,
    Each,
    FieldRef,
    GotoStep,
    HumanStep,
    NoticeStep,
    Rights,
    SubflowStep,
    ValueOf,
)
from workflow.engine.plan import branches_of
from workflow.engine.validation.look import Look, Spot, fault, warning
from workflow.forms.condition_checks import check as check_condition
from workflow.forms.conditions import Cond, leaves
from workflow.forms.findings import Finding, child, printable
from workflow.forms.rights import WRITABLE, effective, may_rows
from workflow.forms.scalars import FieldType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from workflow.engine.plan import PlanStep
    from workflow.forms.formdoc import Field, FormDoc

MOMENTS: frozenset[FieldType] = frozenset({"date", "timestamp"})
# A deadline may also stand in a field as a number of minutes.
_DUE: frozenset[FieldType] = MOMENTS | {"integer"}
_BASES: frozenset[FieldType] = frozenset({"user", "department"})
_USERS: frozenset[FieldType] = frozenset({"user"})
_DEPARTMENTS: frozenset[FieldType] = frozenset({"department"})
_MANY: frozenset[FieldType] = frozenset({"user", "table", "multi_choice"})
# What can stand in a line of text.
_WRITABLE: frozenset[FieldType] = frozenset(get_args(FieldType)) - {"table", "file", "note"}
_PLACEHOLDERS = frozenset({"initiator.name", "flow.name", "number", "today"})
_BRACES = re.compile(r"\{([^{}]*)\}")
_ASKS_FOR_EMPTY = frozenset({"empty", "not_empty"})


def check(look: Look) -> Iterator[Finding]:
    """Every finding about fields: rights, conditions, people, deadlines, texts, summary."""
    yield from _texts(look)
    yield from _never_filled(look)
    for spot in look.spots():
        yield from _references(spot, look)
        if isinstance(spot.part, Rights):
            yield from _rights(spot.part, spot, look)
        if isinstance(spot.part, Cond):
            yield from check_condition(spot.part, look.form, spot.at, spot.step)
            yield from _asked_steps(spot.part, spot, look)
    yield from _optional(look)


def template_faults(
    text: str, look: Look, spot: Spot | PlanStep | None, at: str
) -> Iterator[Finding]:
    """Placeholders that nobody fills in; braces are for placeholders only."""
    for found in _BRACES.finditer(text):
        name = found.group(1)
        if name.startswith("form."):
            kind = _type_of_field(name.removeprefix("form."), look)
            if kind is None or kind not in _WRITABLE:
                code = "form.unknown_field" if kind is None else "form.type_mismatch"
                args = {} if kind is None else {"type": kind}
                yield fault(code, spot, at, field=printable(name.removeprefix("form.")), **args)
        elif name not in _PLACEHOLDERS:
            yield fault("title.unknown_placeholder", spot, at, placeholder=printable(name))
    if re.search(r"[{}]", _BRACES.sub("", text)):
        yield fault("title.unknown_placeholder", spot, at, placeholder="{")


def _type_of_field(name: str, look: Look) -> FieldType | None:
    """The type of a field with one value for the whole request; a column has many."""
    return None if "." in name else look.type_of(name)


def _texts(look: Look) -> Iterator[Finding]:
    yield from template_faults(look.doc.title, look, None, "/title")
    yield from _hidden_in_title(look)
    for number, name in enumerate(look.doc.summary):
        kind = _type_of_field(name, look)
        if kind is None or kind not in _WRITABLE:
            at = child("/summary", number)
            yield fault("summary.unknown_field", None, at, field=printable(name))
    for placed in look.steps:
        if isinstance(placed.step, NoticeStep):
            for name, text in (("title", placed.step.title), ("text", placed.step.text)):
                yield from template_faults(text, look, placed, child(placed.at, name))


def _hidden_in_title(look: Look) -> Iterator[Finding]:
    """Everybody who meets a request reads its title, so it must not tell what a step hides."""
    named = {name.removeprefix("form.") for name in _BRACES.findall(look.doc.title)}
    shown = [name for name in look.fields if name in named]
    if look.form is None or not shown:
        return
    for placed in look.steps:
        if not isinstance(placed.step, HumanStep | CopyStep):
            continue
        rights = effective(placed.step.fields.default, placed.step.fields.set, look.form)
        for name in shown:
            if rights[name] == "hide":
                yield fault("title.hidden_field", placed, "/title", field=name)


def _references(spot: Spot, look: Look) -> Iterator[Finding]:
    for name, member, fitting in _named_fields(spot):
        at = child(spot.at, member)
        if "." in name and not (isinstance(spot.part, ByFormUsers) or _is_cell(spot, name)):
            # Only people are gathered from all rows; anything else has to be one value.
            yield fault("form.unknown_field", spot, at, field=printable(name))
        else:
            yield from look.field_faults(name, spot, at, fitting)


def _is_cell(spot: Spot, name: str) -> bool:
    """In a subflow for each row of a table, a column is one value: that of the row."""
    step = spot.placed.step if spot.placed is not None else None
    each = step.each if isinstance(step, SubflowStep) else None
    return (
        isinstance(spot.part, ValueOf)
        and each is not None
        and name.partition(".")[0] == each.field
    )


def _named_fields(spot: Spot) -> Iterator[tuple[str, str, frozenset[FieldType] | None]]:
    match spot.part:
        case BaseOf(field=str(name)):
            yield name, "field", _BASES
        case FieldRef(field=name):
            yield name, "field", _DUE
        case ByFormUsers(field=name):
            yield name, "field", _USERS
        case ByFormDepartmentHead(field=name):
            yield name, "field", _DEPARTMENTS
        case DelayStep(until_field=str(name)):
            yield name, "until_field", MOMENTS
        case Each(field=name):
            yield name, "field", _MANY
        case ValueOf(field=str(name)):
            yield name, "field", None
        case _:
            return


def _rights(rights: Rights, spot: Spot, look: Look) -> Iterator[Finding]:
    for name in rights.set:
        at = child(child(spot.at, "set"), name)
        field_id, dot, _ = name.partition(".")
        if field_id not in look.fields:
            yield fault("form.unknown_field", spot, at, field=printable(name))
        elif dot and look.type_of(name) is None:
            yield fault("form.right_on_missing_column", spot, at, field=printable(name))
    for name in rights.rows:
        at = child(child(spot.at, "rows"), name)
        yield from look.field_faults(name, spot, at, frozenset({"table"}))


def _asked_steps(cond: Cond, spot: Spot, look: Look) -> Iterator[Finding]:
    """A condition may ask how an earlier step ended, not a later one or one that is not there."""
    for at, leaf in leaves(cond, spot.at):
        if leaf.step is None:
            continue
        asked = look.known.get(leaf.step)
        if asked is None or spot.placed is None or asked.number >= spot.placed.number:
            where = child(at, "step")
            yield fault("cond.unknown_step", spot, where, target=printable(leaf.step))


def _never_filled(look: Look) -> Iterator[Finding]:
    """A required field that is hidden from, or only shown to, everybody who could fill it in."""
    if look.form is None:
        return
    all_rights = [look.doc.start.fields, *(placed.step.fields for placed in look.steps)]
    allowed = [effective(each.default, each.set, look.form, each.rows) for each in all_rights]
    for field in look.form.fields:
        for name in _needed(field):
            if any(rights[name] in WRITABLE for rights in allowed):
                continue
            # A column is missed only where rows can come into being.
            if name == field.id or any(may_rows(each, field.id, "add") for each in allowed):
                at = "/start/fields"
                yield fault("form.required_but_hidden", None, at, field=name)


def _needed(field: Field) -> Iterator[str]:
    if field.required and field.default is None and not field.sum_of:
        yield field.id
    for column in field.columns:
        if column.required and column.default is None:
            yield f"{field.id}.{column.id}"


def _optional(look: Look) -> Iterator[Finding]:
    """Invariant 7: what is asked before anybody had to fill it in, without a word about empty."""
    if look.form is None:
        return
    start = look.doc.start.fields
    at_start = effective(start.default, start.set, look.form)
    editable = {
        name: _editable_in(each.step.fields, look.form) for name, each in look.known.items()
    }
    for placed in look.steps:
        asked = list(_asked_fields(placed, look))
        earlier = _editable_before(placed, editable) if asked else frozenset[str]()
        seen: set[str] = set()
        for name, at, handled in asked:
            field = look.fields.get(name)
            if field is None or name in seen or name in earlier or name in handled:
                continue
            seen.add(name)
            if not _filled_at_start(field, at_start[name]):
                yield warning("form.condition_on_optional", placed, at, field=name)


def _filled_at_start(field: Field, right: str) -> bool:
    if field.sum_of or field.default is not None:
        return True
    must = right == "must" or (field.required and right == "edit")
    return must and field.show_if is None


def _editable_before(placed: PlanStep, editable: Mapping[str, frozenset[str]]) -> frozenset[str]:
    return frozenset[str]().union(*(editable[dominator] for dominator in placed.dominators))


def _editable_in(rights: Rights, form: FormDoc) -> frozenset[str]:
    allowed = effective(rights.default, rights.set, form)
    return frozenset(name for name, right in allowed.items() if right in WRITABLE)


def _asked_fields(placed: PlanStep, look: Look) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Fields that the step asks, where, and those whose emptiness the same block asks about."""
    conditions = list(_conditions(placed))
    handled = frozenset(
        leaf.field
        for cond, at in conditions
        for _, leaf in leaves(cond, at)
        if leaf.field is not None and leaf.op in _ASKS_FOR_EMPTY
    )
    for cond, at in conditions:
        for where, leaf in leaves(cond, at):
            if leaf.field is not None:
                yield leaf.field, child(where, "field"), handled
    nothing: frozenset[str] = frozenset()
    for spot in look.spots_of(placed):
        if isinstance(spot.part, BaseOf | ByFormUsers | ByFormDepartmentHead):
            field_id = spot.part.field or ""
            yield field_id, child(spot.at, "field"), nothing


def _conditions(placed: PlanStep) -> Iterable[tuple[Cond, str]]:
    if isinstance(placed.step, GotoStep) and placed.step.when is not None:
        yield placed.step.when, child(placed.at, "when")
    for number, branch in enumerate(branches_of(placed.step)):
        if branch.when is not None:
            yield branch.when, child(child(child(placed.at, "branches"), number), "when")
