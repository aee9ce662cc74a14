"""Which values of a request another version of its form can hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workflow.forms.formdoc import takes_many
from workflow.forms.scalars import rows_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workflow.forms.formdoc import Field, FormDoc
    from workflow.forms.scalars import Value


def dropped_values(
    old: FormDoc | None, new: FormDoc | None, values: Mapping[str, Value]
) -> tuple[str, ...]:
    """Fields whose present values are of another kind than what the new form calls by this id.

    A field that is new gets nothing, also where an earlier version had one of that id; a field
    that is gone keeps its value, which nobody sees any more.
    """
    if new is None:
        return ()
    before = {} if old is None else {each.id: each for each in old.fields}
    return tuple(
        each.id
        for each in new.fields
        if each.id in values and not _fits(before.get(each.id), each, values[each.id])
    )


def _fits(before: Field | None, after: Field, value: Value) -> bool:
    if before is None or _shape(before) != _shape(after):
        return False
    if after.type != "table":
        return True
    columns = {each.id: each for each in before.columns}
    return all(
        each.id in columns and _shape(columns[each.id]) == _shape(each)
        for each in after.columns
        if any(row.get(each.id) is not None for row in rows_of(value))
    )


def _shape(field_doc: Field) -> tuple[object, ...]:
    decimals = field_doc.limits.decimals if field_doc.limits is not None else None
    return field_doc.type, takes_many(field_doc), decimals
