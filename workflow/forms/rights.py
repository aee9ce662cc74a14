"""What a person may do with each field at a step: hide, read, edit, must."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeGuard, get_args

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workflow.forms.formdoc import FormDoc
    from workflow.forms.scalars import Value

Right = Literal["hide", "read", "edit", "must"]
_RIGHTS = frozenset(get_args(Right))


def effective(default: str, exceptions: Mapping[str, str], form: FormDoc) -> dict[str, Right]:
    """The right to every field, and to every column as `table.column`, in document order.

    `default` and `exceptions` are the members `default` and `set` of a step's `fields` (spec,
    Decide … rights). A column follows its table unless it is named itself; a column of a hidden
    table is hidden. A note is text for the reader, so it is never edited. An unknown word hides:
    what nobody understands must not open anything.
    """
    rights: dict[str, Right] = {}
    for field in form.fields:
        right = _right(exceptions.get(field.id, default))
        if field.type == "note" and right in {"edit", "must"}:
            right = "read"
        rights[field.id] = right
        for column in field.columns:
            name = f"{field.id}.{column.id}"
            rights[name] = "hide" if right == "hide" else _right(exceptions.get(name, right))
    return rights


def visible(values: Mapping[str, Value], rights: Mapping[str, Right]) -> dict[str, Value]:
    """The values that may leave the server; a field without a right is hidden."""
    return {name: value for name, value in values.items() if rights.get(name, "hide") != "hide"}


def _right(word: str) -> Right:
    return word if _is_right(word) else "hide"


def _is_right(word: str) -> TypeGuard[Right]:
    return word in _RIGHTS
