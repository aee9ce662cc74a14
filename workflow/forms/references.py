"""People, departments and files named in a form: whether they exist is asked outside of it.

The form alone can only tell that a text may be a login, a code or the id of a file. So
`values.clean` hands back every one that was not there before (`Cleaned.given`), whoever can look
it up does so, and `unknown` makes the findings. What stood there already is not asked for again: a
request stays editable when somebody named in it has left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from workflow.forms.findings import Finding, child, printable
from workflow.forms.scalars import texts_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from workflow.forms.formdoc import Field, FormDoc
    from workflow.forms.scalars import FieldType, Value

Outside = Literal["user", "department", "file"]
_OUTSIDE: dict[FieldType, Outside] = {"user": "user", "department": "department", "file": "file"}
# The types whose values name something that only others know.
OUTSIDE = frozenset(_OUTSIDE)
_CODES: dict[Outside, str] = {
    "user": "form.unknown_person",
    "department": "form.unknown_department",
    "file": "form.unknown_file",
}


@dataclass(frozen=True, slots=True)
class Given:
    """An id that a value newly names: a login, a department's code or a file's id.

    `at` is the JSON Pointer of the id in the submitted values, `field` the id of its field or
    `table.column`.
    """

    kind: Outside
    id: str
    at: str
    field: str


def given(field: Field, name: str, value: Value, at: str, before: Collection[str]) -> list[Given]:
    """What `value` names and `before` did not; `name` and `at` are those of the value."""
    kind = _OUTSIDE.get(field.type)
    if kind is None:
        return []
    many = isinstance(value, tuple)
    return [
        Given(kind, each, child(at, number) if many else at, name)
        for number, each in enumerate(texts_of(value))
        if each not in before
    ]


def unknown(asked: Iterable[Given], known: Collection[str]) -> tuple[Finding, ...]:
    """`form.unknown_person`, `form.unknown_department` and `form.unknown_file` at their places.

    `known` are those of the ids asked for that exist; give the ids of one kind at a time.
    """
    return tuple(
        Finding(_CODES[each.kind], each.at, args={"field": each.field, "id": printable(each.id)})
        for each in asked
        if each.id not in known
    )


def in_defaults(form: FormDoc, at: str = "") -> tuple[Given, ...]:
    """The people and departments that new requests start with; `at` is the form's position."""
    found: list[Given] = []
    where = child(at, "fields")
    for number, field in enumerate(form.fields):
        here = child(where, number)
        found += given(field, field.id, field.default, child(here, "default"), ())
        for place, column in enumerate(field.columns):
            name = f"{field.id}.{column.id}"
            there = child(child(child(here, "columns"), place), "default")
            found += given(column, name, column.default, there, ())
    return tuple(found)
