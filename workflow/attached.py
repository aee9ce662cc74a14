"""Who may read the files that a request holds: whoever may read the field or the comment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flowadmin.rest.problems import Problem
from workflow import access
from workflow.forms.scalars import rows_of
from workflow.reading import reading_of

if TYPE_CHECKING:
    from flowadmin.directory.models import User
    from flowadmin.files.models import File
    from workflow.forms.scalars import Value
    from workflow.reading import Reading

PLACE = "instance"
_LONGEST_ID = 19


def may_read(user: User, file: File) -> bool:
    """Whether this person may read a file bound to a request (contract, Files).

    ``bound_to`` is ``instance:<id>:field:<field>`` or ``instance:<id>:task:<task>``. Comments of
    a request are for everybody who may read it, and so is what came with them. A file of a table
    is read by whoever sees the column that it stands in.
    """
    parts = file.bound_to.split(":")
    if len(parts) != 4 or parts[0] != PLACE or not _is_id(parts[1]):
        return False
    try:
        instance = access.instance(user, int(parts[1]))
    except Problem:
        return False
    if parts[2] == "task":
        return True
    return parts[2] == "field" and _shows(reading_of(user, instance), parts[3], file.id)


def _is_id(text: str) -> bool:
    digits = text.isascii() and text.isdecimal() and len(text) <= _LONGEST_ID
    return digits and int(text) <= access.LARGEST_ID


def _shows(reading: Reading, field: str, file_id: str) -> bool:
    """Whether the file is seen there; one that is in no row any more needs the whole table."""
    if not reading.shows(field):
        return False
    value = reading.state.values.get(field)
    if _holds(reading.values().get(field), file_id):
        return True
    if _holds(value, file_id):
        return False
    form = reading.definition.form
    columns = [
        column.id
        for each in (form.fields if form is not None else ())
        if each.id == field
        for column in each.columns
        if column.type == "file"
    ]
    return all(reading.shows(f"{field}.{column}") for column in columns)


def _holds(value: Value, file_id: str) -> bool:
    if not isinstance(value, tuple | list):
        return False
    cells = [cell for row in rows_of(value) for cell in row.values()]
    return file_id in value or any(
        isinstance(cell, tuple | list) and file_id in cell for cell in cells
    )
