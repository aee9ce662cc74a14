"""Values of a form as a person reads them: texts, lists of names, links to files, small tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.template.loader import render_to_string
from django.utils.html import format_html_join

from workflow.forms.formdoc import Field, FormDoc, label_in, text_in
from workflow.forms.rights import WRITABLE, fillable
from workflow.forms.scalars import Row, Value, rows_of, texts_of
from workflow.forms.values import shown_fields
from workflow.pages.outside import FILES, NOTHING_KNOWN, Outside
from workflow.wording.values import told_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.utils.safestring import SafeString

    from workflow.forms.rights import Right

NOTHING = "—"


def read_rows(
    form_doc: FormDoc,
    rights: Mapping[str, Right],
    values: Mapping[str, Value],
    language: str,
    outside: Outside = NOTHING_KNOWN,
) -> list[tuple[str, str]]:
    """Label and text of each field that is shown but not edited here, in document order.

    These are the fields to read and the sums; those that `show_if` hides are left out, and a
    field without a value is a dash. Notes stand in the form where there is one, else here. The
    texts are plain and escaped by the template, except tables and links, which are safe HTML.
    """
    shown = shown_fields(form_doc, values)
    has_form = any(_is_edited(field, rights) for field in form_doc.fields)
    return [
        (label_in(field, language), _shown(field, values.get(field.id), rights, language, outside))
        for field in form_doc.fields
        if field.id in shown
        and rights.get(field.id, "hide") != "hide"
        and not _is_edited(field, rights)
        and not (field.type == "note" and has_form)
    ]


def _is_edited(field: Field, rights: Mapping[str, Right]) -> bool:
    """Whether the field stands in the form beside; the right to a table alone may say so too."""
    if field.type == "table" and f"{field.id}+add" in rights:
        return fillable(field, rights)
    return not field.sum_of and rights.get(field.id, "hide") in WRITABLE


def value_text(field: Field, value: Value, language: str, outside: Outside = NOTHING_KNOWN) -> str:
    """A stored value as a person of this language reads it; a dash when there is none.

    A table is told by the number of its rows: what stands in them depends on the reader.
    """
    if value is None or value in ("", ()):
        return NOTHING
    return told_value(field, value, language, outside)


def _shown(
    field: Field, value: Value, rights: Mapping[str, Right], language: str, outside: Outside
) -> str:
    if field.type == "note":
        return text_in(field.help, language)
    if field.type == "file" and value:
        return _links(value, outside)
    if field.type == "table" and (rows := rows_of(value)):
        return _table(field, rows, rights, language, outside)
    return value_text(field, value, language, outside)


def _links(value: Value, outside: Outside) -> SafeString:
    files = [(FILES, each, outside.name_of("file", each)) for each in texts_of(value)]
    return format_html_join("\n", '<a href="{}{}/" download>{}</a>', files)


def _table(
    field: Field,
    rows: tuple[Row, ...],
    rights: Mapping[str, Right],
    language: str,
    outside: Outside,
) -> str:
    """The rows as a table of the columns that may be seen; cards on a narrow screen."""
    columns = [
        column
        for column in field.columns
        if rights.get(f"{field.id}.{column.id}", "hide") != "hide"
    ]
    if not columns:
        return value_text(field, rows, language, outside)
    labels = [label_in(column, language) for column in columns]
    cells = [
        [
            (label, _cell(column, row.get(column.id), language, outside))
            for label, column in zip(labels, columns, strict=True)
        ]
        for row in rows
    ]
    context = {"caption": label_in(field, language), "labels": labels, "rows": cells}
    return render_to_string("components/rows_shown.html", context)


def _cell(column: Field, value: Value, language: str, outside: Outside) -> str:
    if column.type == "file" and value:
        return _links(value, outside)
    return value_text(column, value, language, outside)
