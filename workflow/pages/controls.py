"""The control of one form field, and what REST would have received for what the browser sent."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.translation import gettext_lazy as _

from workflow.forms.formdoc import TEXT_LENGTHS, Field, Limits, takes_many, text_in
from workflow.forms.scalars import Value, moment_text, texts_of
from workflow.pages.outside import FILES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workflow.pages.outside import Outside

MOST_BOXES = 20  # options that stand side by side as boxes to tick; more are a list
MEBIBYTES = 10  # a file may have (contract, Files)
_NO_LIMITS = Limits()
_MOMENTS = {"date": "date", "time": "time", "timestamp": "datetime-local"}
# Thousands in threes, between commas (also the wide ones), spaces or apostrophes: 12,000.50.
_IN_THREES = re.compile(
    r"-?[0-9]{1,3}([,\uff0c\u00a0\u202f '\u2019])[0-9]{3}(?:\1[0-9]{3})*(\.[0-9]*)?"
)
# Spaces, commas and semicolons, also the wide ones of Chinese.
_BETWEEN_IDS = re.compile(r"[\s,;\uff0c\uff1b\u3001]+")


class FilesWidget(forms.Widget):
    """A list of files: each a link with its id in a hidden input, and a button to add one.

    The bytes never travel with the page's form: a script posts each chosen file to the files room
    and puts the id it answers with into the list (`frontend/src/uploads.ts`).
    """

    template_name = "components/files.html"
    use_fieldset = True

    def __init__(self, outside: Outside, most: int | None) -> None:
        super().__init__()
        self.outside, self.most = outside, most

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        ids = [each for each in value or () if isinstance(each, str)]
        context["files"] = [(each, self.outside.name_of("file", each)) for each in ids]
        context |= {"address": FILES, "most": self.most, "mebibytes": MEBIBYTES}
        return context

    def value_from_datadict(self, data: Mapping[str, Any], _files: Any, name: str) -> list[str]:
        return several(data, name)

    def id_for_label(self, id_: str) -> str:
        return id_


class Boxes(forms.CheckboxSelectMultiple):
    """Several options to tick."""

    template_name = "components/boxes.html"


def several(data: Mapping[str, Any], name: str) -> list[str]:
    """Everything that was sent under one name, in order."""
    getlist = getattr(data, "getlist", None)
    if getlist is not None:
        return list(getlist(name))
    found = data.get(name, [])
    return list(found) if isinstance(found, list | tuple) else [found]


def widget_of(
    field: Field, language: str, outside: Outside, *, value: Value = None, boxes: bool = True
) -> forms.Widget:
    """The control of a field or column. `boxes` allows a group of boxes, which no cell holds.

    `value` is what stands in it now: a person who cannot be chosen any more stays on offer.
    """
    match field.type:
        case "long_text":
            return forms.Textarea(attrs={"rows": 4 if boxes else 2})
        case "integer" | "number":
            return forms.NumberInput()
        case "date" | "time" | "timestamp" as kind:
            return forms.DateTimeInput(attrs={"type": _MOMENTS[kind]})
        case "bool":
            return forms.CheckboxInput()
        case "file":
            return FilesWidget(outside, (field.limits or _NO_LIMITS).max_count)
        case _:
            options = _offered(field, language, outside, value)
            return _typing(field) if options is None else _choosing(options, field, boxes=boxes)


def _offered(
    field: Field, language: str, outside: Outside, value: Value
) -> list[tuple[str, str]] | None:
    """The answers to choose from; None where one types."""
    if field.type in {"choice", "multi_choice"}:
        return [(one.id, text_in(one.label, language) or one.id) for one in field.options]
    known = outside.offered(field.type)
    if known is None:
        return None
    gone = [each for each in texts_of(value) if each not in known]
    return [*known.items(), *((each, each) for each in gone)]


def _typing(field: Field) -> forms.Widget:
    return forms.Textarea(attrs={"rows": 2}) if takes_many(field) else forms.TextInput()


def _choosing(options: list[tuple[str, str]], field: Field, *, boxes: bool) -> forms.Widget:
    if not takes_many(field):
        return forms.Select(choices=[("", _("Choose …")), *options])
    if boxes and len(options) <= MOST_BOXES:
        return Boxes(choices=options)
    return forms.SelectMultiple(choices=options, attrs={"size": min(6, max(2, len(options)))})


def attrs_of(field: Field, *, required: bool) -> dict[str, str | int]:
    """Hints for the browser; every one of them is checked again by the server."""
    limits = field.limits or _NO_LIMITS
    attrs: dict[str, str | int | None] = {"autocomplete": "off"}
    # A conditional field may be left empty while it is not shown; a bool always has a value.
    if required and field.show_if is None and field.type != "bool":
        attrs["aria-required"] = "true"
    match field.type:
        case "text" | "long_text":
            usual, _most = TEXT_LENGTHS[field.type]
            attrs["maxlength"] = usual if limits.max_length is None else limits.max_length
        case "integer" | "number":
            attrs["step"] = 1 if field.type == "integer" else "any"
            attrs.update({"min": limits.min, "max": limits.max})
        case "amount":
            attrs["inputmode"] = "decimal"
        case "date":
            attrs.update({"min": limits.earliest, "max": limits.latest})
        case "multi_choice" | "file":
            attrs = {}
        case _:
            pass
    return {name: value for name, value in attrs.items() if value is not None}


def shown_in_control(field: Field, value: Value, outside: Outside) -> object:
    """A stored value as its control takes it."""
    if field.type == "timestamp":
        local = outside.local(value)
        return value if local is None else local.replace(tzinfo=None).isoformat()
    if field.type in {"user", "department"} and isinstance(value, tuple):
        return (
            list(value) if outside.offered(field.type) is not None else "\n".join(texts_of(value))
        )
    return list(value) if isinstance(value, tuple) else value


def typed_json(field: Field, raw: object, outside: Outside) -> object:
    """What REST would have received for what the browser sent; never raises."""
    if isinstance(raw, list):
        return [each for each in raw if each != ""] or None
    if not isinstance(raw, str):
        return raw
    read: object = raw.strip()
    if field.type in {"text", "long_text"}:
        # As it was typed; only the line ends of browsers are not somebody's own.
        read = raw.replace("\r\n", "\n") if field.type == "long_text" else raw
    elif field.type == "timestamp":
        read = _moment(raw.strip(), outside)
    elif field.type in {"amount", "number"}:
        read = _number(raw.strip())
    elif field.type in {"user", "department"} and takes_many(field):
        read = [each for each in _BETWEEN_IDS.split(raw) if each]
    return read or None


def _number(raw: str) -> str:
    """A number as REST takes it, where the marks between its digits can only mean thousands.

    `12,000.50` and `12 000` are plain; `12,5` or `1,23,456` may mean something else, and are left
    for the server to refuse with the spelling that it expects.
    """
    found = _IN_THREES.fullmatch(raw)
    return raw if found is None else raw.replace(found[1], "")


def _moment(raw: str, outside: Outside) -> str:
    """The moment that a browser means by a local time without a zone; else what was sent.

    A time that a change of clocks leaves out or repeats is read with the offset before it.
    """
    try:
        local = datetime.fromisoformat(raw)
        if local.tzinfo is None:
            return moment_text(local.replace(tzinfo=outside.here()))
    except (ValueError, OverflowError):
        pass
    return raw
