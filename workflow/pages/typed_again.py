"""What a browser would send for values that were kept, so that a form shows them as typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import QueryDict

from workflow.forms.formdoc import takes_many
from workflow.forms.rights import fillable
from workflow.forms.values import clean
from workflow.pages.controls import shown_in_control
from workflow.pages.picking import PREFIX as PICKED
from workflow.pages.shown import NOTHING, value_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from workflow.forms.formdoc import Field, FormDoc
    from workflow.forms.rights import Right
    from workflow.pages.outside import Outside

VALUES = "values"
MOST_ROWS = 500


def typed_again(
    form: FormDoc,
    values: Mapping[str, object],
    picked: Mapping[str, Sequence[str]],
    outside: Outside,
) -> QueryDict:
    """The fields of a POST with these values, right or wrong, as `ValuesForm` reads them.

    ``values`` are JSON values by field id as they were typed; what fits no control is left out.
    """
    data = QueryDict(mutable=True)
    for field in form.fields:
        value = values.get(field.id)
        if value is None:
            continue
        if field.type == "table":
            _put_rows(data, field, value, outside)
        else:
            data.setlist(f"{VALUES}-{field.id}", list(_texts(field, value, outside)))
    for step, logins in picked.items():
        data.setlist(f"{PICKED}-{step}", list(logins))
    return data


def _put_rows(data: QueryDict, table: Field, rows: object, outside: Outside) -> None:
    name = f"{VALUES}-{table.id}"
    found = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    keys = [f"n{number}" for number in range(1, len(found[:MOST_ROWS]) + 1)]
    data.setlist(name, keys)
    for key, row in zip(keys, found, strict=False):
        for column in table.columns:
            value = row.get(column.id)
            if value is not None:
                data.setlist(f"{name}.{key}.{column.id}", list(_texts(column, value, outside)))


def _texts(field: Field, value: object, outside: Outside) -> Iterator[str]:
    """The texts that the control of a field sends for a value."""
    if isinstance(value, bool):
        if value:
            yield "on"
    elif isinstance(value, list):
        texts = [each for each in value if isinstance(each, str)]
        typed = field.type in {"user", "department"} and outside.offered(field.type) is None
        if typed and takes_many(field):
            yield "\n".join(texts)
        else:
            yield from texts
    elif isinstance(value, str | int):
        yield str(shown_in_control(field, value, outside))


def told_again(
    form: FormDoc,
    rights: Mapping[str, Right],
    values: Mapping[str, object],
    language: str,
    outside: Outside,
) -> dict[str, str]:
    """Each kept value of a field that can be filled in, as one reads it; by field id."""
    known = {field.id: field for field in form.fields if fillable(field, rights)}
    sent = {name: value for name, value in values.items() if name in known}
    read = clean(form, sent, rights, {}).values
    told = {}
    for name, field in known.items():
        if read.get(name) is False:
            continue  # an unticked box says as little as none
        if name in read:
            told[name] = value_text(field, read[name], language, outside)
        elif sent.get(name) not in (None, "", [], False):
            told[name] = _raw(sent[name])
    return {name: text for name, text in told.items() if text != NOTHING}


def _raw(value: object) -> str:
    """A value that is not what its field takes, as it was typed."""
    if isinstance(value, list):
        return ", ".join(str(each) for each in value if not isinstance(each, dict)) or "…"
    return "…" if isinstance(value, dict) else str(value)
