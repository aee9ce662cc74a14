"""A table of a form on a page: rows to fill in, each cell with the control of its column.

Theory of operation. Each row has a key: its `_id`, or `n1`, `n2` … for a new one. The hidden
inputs `values-lines` carry the keys in order, the controls are called
`values-lines.<key>.<column>`. So the order of the rows is that of the page, and a row that a
script took away is simply not sent. Without a script there are spare rows to fill in and a box to
tick for a row that should go; a new row in which nothing stands is no row. What comes out is the
JSON that a REST client would send.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _

from workflow.forms.formdoc import Field, Limits, label_in
from workflow.forms.rights import WRITABLE, may_rows
from workflow.forms.scalars import ROW_ID, Row, Value, rows_of
from workflow.forms.tables import MOST_ROWS
from workflow.pages.controls import (
    FilesWidget,
    attrs_of,
    several,
    shown_in_control,
    typed_json,
    widget_of,
)
from workflow.pages.shown import value_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from django.core.files.uploadedfile import UploadedFile
    from django.utils.safestring import SafeString

    from workflow.forms.rights import Right
    from workflow.pages.outside import Outside

KEY = "_key"
REMOVE = "_remove"
TEMPLATE_KEY = "__row__"  # stands for the key in the row that a script copies
SPARE = 2  # empty rows for whoever has no script


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell as the template shows it: a control, or the text of what may only be read."""

    label: str
    id: str
    kind: str
    required: bool
    control: SafeString | str
    text: str
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ShownRow:
    """One row; `number` counts from 1, `spare` is one that nobody asked for."""

    key: str
    number: int
    cells: list[Cell]
    removable: bool
    spare: bool = False


@dataclass(slots=True)
class Table:
    """What a person may do with one table, in one language."""

    described: Field
    rights: Mapping[str, Right]
    before: dict[str, Row]
    language: str
    outside: Outside
    # (number of the row from 0, column) → what is wrong with the cell, or with the row ("").
    errors: dict[tuple[int, str], list[str]] = field(default_factory=lambda: defaultdict(list))

    def right(self, column: Field) -> Right:
        return self.rights.get(f"{self.described.id}.{column.id}", "hide")

    def may(self, what: Any) -> bool:
        return may_rows(self.rights, self.described.id, what)

    def columns(self) -> list[Field]:
        """The columns that this person sees."""
        return [column for column in self.described.columns if self.right(column) != "hide"]

    def is_written(self, column: Field, key: str) -> bool:
        """Whether a cell of this column is filled in by this person in that row."""
        here = self.may("edit") if key in self.before else self.may("add")
        return here and self.right(column) in WRITABLE

    def control(self, column: Field, value: Value) -> forms.Widget:
        widget = widget_of(column, self.language, self.outside, value=value, boxes=False)
        required = column.required or self.right(column) == "must"
        # Rows are numbered while they are being filled in, so nothing is asked for by the browser.
        widget.attrs.update(attrs_of(column, required=required))
        return widget


class RowsWidget(forms.Widget):
    """The rows of one table with their controls."""

    template_name = "components/rows.html"
    use_fieldset = True

    def __init__(self, table: Table) -> None:
        super().__init__()
        self.table = table

    def id_for_label(self, id_: str) -> str:
        return id_

    def value_from_datadict(self, data: Any, _files: Any, name: str) -> list[dict[str, Any]]:
        """The rows that were sent, each with its key and its cells as the browser sent them."""
        sent: dict[str, list[str]] = defaultdict(list)
        for each in data:
            if each.startswith(f"{name}."):
                key, dot, column = each.removeprefix(f"{name}.").partition(".")
                if dot:
                    sent[key].append(column)
        rows = []
        for key in list(dict.fromkeys(several(data, name)))[: MOST_ROWS + 1]:
            if REMOVE in sent[key]:
                continue
            row = self._sent(data, name, key, sent[key])
            if key in self.table.before or not self._is_untouched(row):
                rows.append(row)
        return rows

    def _sent(self, data: Any, name: str, key: str, columns: Iterable[str]) -> dict[str, Any]:
        table = self.table
        row: dict[str, Any] = {KEY: key}
        files: MultiValueDict[str, UploadedFile[Any]] = MultiValueDict()
        for column in table.columns():
            if table.is_written(column, key):
                widget = table.control(column, None)
                row[column.id] = widget.value_from_datadict(
                    data, files, f"{name}.{key}.{column.id}"
                )
        # Whatever else was sent is for the server to refuse, as it refuses it from REST.
        row.update({each: data[f"{name}.{key}.{each}"] for each in columns if each not in row})
        return row

    def _is_untouched(self, row: Mapping[str, Any]) -> bool:
        return all(
            name == KEY or value in (None, False, []) or not str(value).strip()
            for name, value in row.items()
        )

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        table = self.table
        rows = [row if KEY in row else self._stored(row) for row in rows_of(value or ())]
        shown = [self._row(name, number, row) for number, row in enumerate(rows)]
        used = {str(row[KEY]) for row in rows}
        if table.may("add"):
            free = (f"n{number}" for number in range(1, len(used) + SPARE + 1))
            keys = [key for key in free if key not in used][:SPARE]
            shown += [
                self._row(name, len(rows) + place, {KEY: key}, spare=True)
                for place, key in enumerate(keys)
            ]
            context["blank"] = self._row(name, -1, {KEY: TEMPLATE_KEY, **self._defaults()})
        context |= {
            "rows": shown,
            "labels": [label_in(column, table.language) for column in table.columns()],
            "caption": label_in(table.described, table.language),
            "most": (table.described.limits or Limits()).max_count or MOST_ROWS,
        }
        return context

    def _stored(self, row: Row) -> dict[str, Any]:
        raw: dict[str, Any] = {KEY: row.get(ROW_ID, "")}
        for column in self.table.columns():
            raw[column.id] = shown_in_control(column, row.get(column.id), self.table.outside)
        return raw

    def _defaults(self) -> dict[str, Any]:
        return {
            column.id: shown_in_control(column, column.default, self.table.outside)
            for column in self.table.columns()
        }

    def _row(
        self, name: str, number: int, row: Mapping[str, Any], *, spare: bool = False
    ) -> ShownRow:
        key, table = str(row[KEY]), self.table
        cells = [self._cell(name, number, key, column, row) for column in table.columns()]
        removable = table.may("delete") if key in table.before else True
        return ShownRow(key, number + 1, cells, removable, spare)

    def _cell(
        self, name: str, number: int, key: str, column: Field, row: Mapping[str, Any]
    ) -> Cell:
        table = self.table
        called = f"{name}.{key}.{column.id}"
        before = table.before.get(key, {}).get(column.id)
        errors = tuple(table.errors.get((number, column.id), ()))
        label, text = label_in(column, table.language), ""
        control: SafeString | str = ""
        required = column.required or table.right(column) == "must"
        kind = "text"
        if table.is_written(column, key):
            widget = table.control(column, before)
            attrs: dict[str, Any] = {"id": f"id_{called}", "class": _class_of(widget)}
            if errors:
                attrs |= {"aria-invalid": "true", "aria-describedby": f"id_{called}_error"}
            control = widget.render(called, row.get(column.id), attrs)
            kind = _kind_of(widget)
        else:
            shown = before if key in table.before else column.default
            text = value_text(column, shown, table.language, table.outside)
        return Cell(label, f"id_{called}", kind, required, control, text, errors)


class RowsField(forms.Field):
    """A table in a form of a page; its own checks are left to `values.clean`."""

    def __init__(
        self,
        table_field: Field,
        rights: Mapping[str, Right],
        value: Value,
        language: str,
        outside: Outside,
        **options: Any,
    ) -> None:
        before = {str(row.get(ROW_ID, "")): row for row in rows_of(value)}
        self.table = Table(table_field, rights, before, language, outside)
        super().__init__(
            widget=RowsWidget(self.table),
            initial=value,
            template_name="components/field_rows.html",
            **options,
        )

    def clean(self, value: Any) -> list[dict[str, Any]]:
        """The rows as REST would have received them."""
        columns = {column.id: column for column in self.table.described.columns}
        rows = []
        for raw in value or ():
            row: dict[str, Any] = {} if str(raw[KEY]).startswith("n") else {ROW_ID: raw[KEY]}
            for name, sent in raw.items():
                if name in columns:
                    row[name] = typed_json(columns[name], sent, self.table.outside)
                elif name != KEY:
                    row[name] = sent
            rows.append(row)
        return rows

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Whether a row was added, taken away or moved, or a cell filled in otherwise."""
        sent = self.clean(data)
        before = [self._as_sent(row) for row in rows_of(initial or ())]
        return sent != before

    def _as_sent(self, row: Row) -> dict[str, Any]:
        """An untouched row as the page sends it back."""
        key = str(row.get(ROW_ID, ""))
        sent: dict[str, Any] = {ROW_ID: key}
        for column in self.table.columns():
            if self.table.is_written(column, key):
                value = row.get(column.id)
                if column.type == "bool":
                    value = bool(value)
                sent[column.id] = list(value) if isinstance(value, tuple) else _text(value)
        return sent

    def note(self, number: int, column: str, text: str) -> str:
        """Keep what is wrong beside the cell; the whole sentence for the summary."""
        found = self.table.errors[number, column]
        if text not in found:
            found.append(text)
        label = next(
            (label_in(each, self.table.language) for each in self.table.columns()
             if each.id == column),
            "",
        )  # fmt: skip
        if not label:
            return _("Row %(row)s: %(text)s") % {"row": number + 1, "text": text}
        words = {"row": number + 1, "column": label, "text": text}
        return _("Row %(row)s, %(column)s: %(text)s") % words


def _text(value: Value) -> Value:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _kind_of(widget: forms.Widget) -> str:
    if isinstance(widget, FilesWidget):
        return "group"
    return "check" if isinstance(widget, forms.CheckboxInput) else "control"


def _class_of(widget: forms.Widget) -> str:
    if isinstance(widget, forms.CheckboxInput):
        return "form-check-input"
    return "form-select" if isinstance(widget, forms.Select) else "form-control"
