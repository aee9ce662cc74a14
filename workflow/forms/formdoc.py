"""The form document, version 1: the fields of a request as one frozen value."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from workflow.forms.conditions import Cond
from workflow.forms.scalars import FieldType, Value

# What the pages can show.
RENDERED: frozenset[FieldType] = frozenset(get_args(FieldType))

MOST_FIELDS = 500
MOST_COLUMNS = 50
MOST_OPTIONS = 500


class Translated(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """A text in the two languages of the product; an empty one falls back to the other."""

    en: str = ""
    zh_hans: str = msgspec.field(default="", name="zh-hans")


Label = str | Translated


class Option(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One answer of a choice; the id is stored, the label is shown."""

    id: str
    label: Label


class Limits(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """What a value may be beyond its type; None means the product's own limit.

    | types | members |
    |---|---|
    | text, long_text | `min_length`, `max_length` in characters: 500 by default, at most 1,000 in
      text; 5,000 and 20,000 in long_text |
    | integer | `min`, `max`, inclusive decimal texts within ±2^53 |
    | number | `min`, `max`, `decimals` 0…10 (10); at most 20 digits before the point |
    | amount | `min`, `max`; always 2 decimals, at most 15 digits before the point |
    | date | `earliest`, `latest`, inclusive, `YYYY-MM-DD` |
    | multi_choice, user, department, file, table | `min_count`, `max_count` 0…500 |

    A user or department field holds one, unless a count above 1 says that it holds a list.
    """

    min_length: int | None = None
    max_length: int | None = None
    min: str | None = None
    max: str | None = None
    decimals: int | None = None
    earliest: str | None = None
    latest: str | None = None
    min_count: int | None = None
    max_count: int | None = None


_COUNTS = ("min_count", "max_count")
LIMITS_OF: dict[FieldType, tuple[str, ...]] = {
    "text": ("min_length", "max_length"),
    "long_text": ("min_length", "max_length"),
    "integer": ("min", "max"),
    "number": ("min", "max", "decimals"),
    "amount": ("min", "max"),
    "date": ("earliest", "latest"),
    "multi_choice": _COUNTS,
    "user": _COUNTS,
    "department": _COUNTS,
    "file": _COUNTS,
    "table": _COUNTS,
}
# Characters of a text: without a limit of its own, and at most.
TEXT_LENGTHS: dict[FieldType, tuple[int, int]] = {
    "text": (500, 1_000),
    "long_text": (5_000, 20_000),
}


class Field(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """One field of a form, or one column of a table (contract, The form document).

    `default` is the canonical value that a new request starts with; `show_if` hides the field
    while the condition is false; `sum_of` names numeric fields (or `table.column`) whose exact
    sum the server puts here.
    """

    id: str
    type: FieldType
    label: Label
    required: bool = False
    help: Label | None = None
    default: Value = None
    options: tuple[Option, ...] = ()
    limits: Limits | None = None
    columns: tuple[Field, ...] = ()
    show_if: Cond | None = None
    sum_of: tuple[str, ...] = ()


class FormDoc(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, cache_hash=True
):
    """A form, version 1. Made by `workflow.forms.reading.decode_form`."""

    formdoc: Literal[1]
    fields: tuple[Field, ...] = ()


NO_FORM = FormDoc(formdoc=1, fields=())


def fields_by_id(form: FormDoc) -> dict[str, Field]:
    """The fields in document order, by id."""
    return {field.id: field for field in form.fields}


def field_named(form: FormDoc, name: str) -> Field | None:
    """The field of that id, or the column that `table.column` names; None without one."""
    field_id, dot, column_id = name.partition(".")
    found = next((field for field in form.fields if field.id == field_id), None)
    if found is None or not dot:
        return found
    return next((column for column in found.columns if column.id == column_id), None)


def takes_many(field: Field) -> bool:
    """Whether the value of the field is a list of ids."""
    if field.type in {"user", "department"}:
        limits = field.limits
        return limits is not None and max(limits.min_count or 0, limits.max_count or 0) > 1
    return field.type in {"multi_choice", "file"}


def option_label(field: Field, option_id: str, language: str) -> str:
    """What the option is called; its id when the form does not know it any more."""
    for option in field.options:
        if option.id == option_id:
            return text_in(option.label, language) or option_id
    return option_id


def label_in(field: Field, language: str) -> str:
    """What the field is called in this language ("en", "zh-hans" …); its id as a last resort."""
    return text_in(field.label, language) or field.id


def text_in(label: Label | None, language: str) -> str:
    """A label's text in this language, else in the other one, else empty."""
    if label is None:
        return ""
    if isinstance(label, str):
        return label
    if language.lower().startswith("zh"):
        return label.zh_hans or label.en
    return label.en or label.zh_hans


def defaults(form: FormDoc) -> dict[str, Value]:
    """The values that a new request starts with: pass them as `current` to `values.clean`."""
    return {field.id: field.default for field in form.fields if field.default is not None}
