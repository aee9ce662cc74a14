"""A request's form on a page: Django fields for what may be edited, text for what may be read.

Theory of operation. The browser sends texts; `_typed_json` turns each into the JSON value that a
REST client would have sent, and from there on both go through `workflow.forms.values.clean`. So a
page can neither accept nor refuse anything else than REST does. A hidden field has no Django
field, no row and no name in the HTML at all.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils import formats, numberformat, translation
from django.utils.html import escape
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from workflow.forms.formdoc import (
    RENDERED,
    TEXT_LENGTHS,
    Field,
    FormDoc,
    Limits,
    label_in,
    option_label,
    text_in,
)
from workflow.forms.scalars import FieldType, Value, date_of
from workflow.forms.values import Cleaned, clean, shown_fields
from workflow.wording.findings import sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from django.http import QueryDict

    from workflow.forms.findings import Finding
    from workflow.forms.rights import Right

NOTHING = "—"
_WRITABLE = frozenset({"edit", "must"})
_NO_LIMITS = Limits()


class ValuesForm(forms.Form):
    """The fields of one form that one person may edit now.

    `prefix` keeps their names apart from the page's own inputs ("values-days"). After `is_valid`,
    `submitted` is what a REST client would have sent, to be handed to the action, and `outcome`
    what `values.clean` made of it.
    """

    # The browser's own bubbles would stop a submit before the summary of all problems is shown,
    # and would ask for fields that `show_if` does not need; see `_attrs`.
    use_required_attribute = False

    def __init__(
        self,
        form_doc: FormDoc,
        rights: Mapping[str, Right],
        current: Mapping[str, Value],
        *,
        language: str,
        data: QueryDict | Mapping[str, str] | None = None,
        prefix: str = "values",
    ) -> None:
        super().__init__(data=data, prefix=prefix)
        self.form_doc, self.rights, self.current = form_doc, rights, current
        self.submitted: dict[str, object] = {}
        self.outcome = Cleaned(dict(current), {}, ())
        for field in form_doc.fields:
            right = rights.get(field.id, "hide")
            if right in _WRITABLE and field.type in RENDERED and not field.sum_of:
                self.fields[field.id] = _PageField(
                    field,
                    current.get(field.id),
                    language=language,
                    required=field.required or right == "must",
                )

    def clean(self) -> dict[str, Any]:
        """Check the values as REST does and put every finding beside its field."""
        self.submitted = {**self._foreign(), **self.cleaned_data}
        self.outcome = clean(self.form_doc, self.submitted, self.rights, self.current)
        self.add_findings(self.outcome.findings)
        return self.cleaned_data

    def _foreign(self) -> dict[str, object]:
        """What was sent for fields that this page does not offer: refused as REST refuses it."""
        start = f"{self.prefix}-"
        sent = {name.removeprefix(start): name for name in self.data if name.startswith(start)}
        return {name: self.data[at] for name, at in sent.items() if name not in self.fields}

    def add_findings(self, findings: Iterable[Finding]) -> None:
        """Show findings of an action too: beside the field they point at, else above all."""
        for finding in findings:
            name = finding.at.removeprefix("/")
            self.add_error(name if name in self.fields else None, sentence(finding))


def read_rows(
    form_doc: FormDoc,
    rights: Mapping[str, Right],
    values: Mapping[str, Value],
    language: str,
) -> list[tuple[str, str]]:
    """Label and text of each field that is shown but not edited here, in document order.

    These are the fields to read and the sums; those that `show_if` hides are left out, and a
    field without a value is a dash. The texts are plain: the template escapes them.
    """
    shown = shown_fields(form_doc, values)
    return [
        (label_in(field, language), value_text(field, values.get(field.id), language))
        for field in form_doc.fields
        if field.id in shown
        and field.type in RENDERED
        and (
            rights.get(field.id, "hide") == "read"
            or (field.sum_of and rights.get(field.id, "hide") != "hide")
        )
    ]


def value_text(field: Field, value: Value, language: str) -> str:
    """A stored value as a person of this language reads it; a dash when there is none."""
    if value is None or value in ("", ()):
        return NOTHING
    with translation.override(language):
        match field.type:
            case "bool":
                return gettext("Yes") if value else gettext("No")
            case "date":
                day = date_of(value)
                return str(value) if day is None else formats.date_format(day, "DATE_FORMAT")
            case "amount":
                return _grouped(str(value))
            case "choice":
                return option_label(field, str(value), language)
            case _:
                return str(value)


class _PageField(forms.Field):
    """One field; its own checks are left to `values.clean`, which sees all fields together."""

    def __init__(self, field: Field, value: Value, *, language: str, required: bool) -> None:
        self.field_type: FieldType = field.type
        super().__init__(
            required=required,
            label=label_in(field, language),
            # Marked as safe only after escaping, whatever template shows it.
            help_text=escape(text_in(field.help, language)),
            initial=value,
            widget=_widget(field, language),
        )
        self.widget.attrs.update(_attrs(field, required=required))

    def clean(self, value: object) -> object:
        return _typed_json(self.field_type, value)


def _typed_json(kind: FieldType, raw: object) -> object:
    """What REST would have received for what the browser sent; never raises."""
    if not isinstance(raw, str):
        return raw
    if kind == "long_text":
        raw = raw.replace("\r\n", "\n")
    elif kind != "text":
        raw = raw.strip()
    return raw or None


def _widget(field: Field, language: str) -> forms.Widget:
    match field.type:
        case "long_text":
            return forms.Textarea(attrs={"rows": 4})
        case "integer" | "number":
            return forms.NumberInput()
        case "date":
            return forms.DateInput(attrs={"type": "date"})
        case "bool":
            return forms.CheckboxInput()
        case "choice":
            options = [(one.id, text_in(one.label, language) or one.id) for one in field.options]
            return forms.Select(choices=[("", _("Choose …")), *options])
        case _:
            return forms.TextInput()


def _attrs(field: Field, *, required: bool) -> dict[str, str | int]:
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
        case _:
            pass
    return {name: value for name, value in attrs.items() if value is not None}


def _grouped(amount: str) -> str:
    # Thousands in threes in both languages: Django's Chinese formats have no separator.
    point = formats.get_format("DECIMAL_SEPARATOR")
    comma = "," if point == "." else "\u00a0"
    return numberformat.format(Decimal(amount), point, 2, 3, comma, force_grouping=True)
