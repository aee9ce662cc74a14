"""A request's form on a page: Django fields for what may be edited, text for what may be read.

Theory of operation. The browser sends texts; `controls.typed_json` turns each into the JSON value
that a REST client would have sent, and from there on both go through `forms.values.clean`. So a
page can neither accept nor refuse anything else than REST does. A hidden field or column has no
Django field, no row and no name in the HTML at all.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from django import forms
from django.utils.html import escape
from django.utils.translation import gettext as _

from workflow.forms.findings import child
from workflow.forms.formdoc import Field, FormDoc, label_in, text_in
from workflow.forms.rights import fillable
from workflow.forms.values import Cleaned, clean
from workflow.pages.controls import (
    FilesWidget,
    attrs_of,
    shown_in_control,
    typed_json,
    widget_of,
)
from workflow.pages.outside import NOTHING_KNOWN, Outside
from workflow.pages.rows import RowsField
from workflow.pages.shown import read_rows, value_text
from workflow.wording.findings import sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from django.http import QueryDict

    from workflow.forms.findings import Finding
    from workflow.forms.rights import Right
    from workflow.forms.scalars import Value

__all__ = ["Outside", "ValuesForm", "read_rows", "value_text"]


class ValuesForm(forms.Form):
    """The fields of one form that one person may edit now, and the notes among them.

    `prefix` keeps their names apart from the page's own inputs ("values-days"). After `is_valid`,
    `submitted` is what a REST client would have sent, to be handed to the action, and `outcome`
    what `values.clean` made of it. `outside` names the people, departments and files.
    """

    # The browser's own bubbles would stop a submit before the summary of all problems is shown,
    # and would ask for fields that `show_if` does not need; see `controls.attrs_of`.
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
        outside: Outside = NOTHING_KNOWN,
    ) -> None:
        super().__init__(data=data, prefix=prefix)
        self.form_doc, self.rights, self.current = form_doc, rights, current
        self.language, self.outside = language, outside
        self.submitted: dict[str, object] = {}
        self.outcome = Cleaned(dict(current), {}, ())
        if any(fillable(field, rights) for field in form_doc.fields):
            for field in form_doc.fields:
                made = self._made(field)
                if made is not None:
                    self.fields[field.id] = made

    def _made(self, field: Field) -> forms.Field | None:
        right = self.rights.get(field.id, "hide")
        if field.type == "note" and right != "hide":
            return _Note(field, self.language)
        if not fillable(field, self.rights):
            return None
        required = field.required or right == "must"
        value = self.current.get(field.id)
        if field.type == "table":
            return RowsField(
                field,
                self.rights,
                value,
                self.language,
                self.outside,
                required=required,
                label=label_in(field, self.language),
                help_text=_help(field, self.language, self.outside),
            )
        return _PageField(field, value, self.language, self.outside, required=required)

    def clean(self) -> dict[str, Any]:
        """Check the values as REST does and put every finding beside its field."""
        filled = {
            name: value
            for name, value in self.cleaned_data.items()
            if not isinstance(self.fields[name], _Note)
        }
        self.submitted = {**self._foreign(), **filled}
        self.outcome = clean(self.form_doc, self.submitted, self.rights, self.current)
        self.add_findings(self.outcome.findings)
        return self.cleaned_data

    def _foreign(self) -> dict[str, object]:
        """What was sent for fields that this page does not offer: refused as REST refuses it."""
        start = f"{self.prefix}-"
        sent = {name.removeprefix(start): name for name in self.data if name.startswith(start)}
        return {name: self.data[at] for name, at in sent.items() if not self._offers(name)}

    def _offers(self, name: str) -> bool:
        field_id, dot, _rest = name.partition(".")
        field = self.fields.get(field_id)
        return isinstance(field, RowsField) if dot else field is not None

    def add_findings(self, findings: Iterable[Finding]) -> None:
        """Show findings of an action too: beside the field they point at, else above all."""
        for finding in findings:
            name, *within = (
                part.replace("~1", "/").replace("~0", "~")
                for part in finding.at.removeprefix("/").split("/")
            )
            field = self.fields.get(name)
            if field is None:
                self.add_error(None, sentence(finding))
                continue
            text = _sentence_of_value(finding) if within else sentence(finding)
            if isinstance(field, RowsField) and within and within[0].isdecimal():
                text = field.note(int(within[0]), within[1] if len(within) > 1 else "", text)
            self.add_error(name, text)

    def typed_texts(self) -> list[tuple[str, str]]:
        """Label and text of what the person had changed, as far as it can be read."""
        return [
            (str(bound.label), self._typed_text(bound.name))
            for bound in self
            if bound.name in self.changed_data
        ]

    def _typed_text(self, name: str) -> str:
        field = next(each for each in self.form_doc.fields if each.id == name)
        if name in self.outcome.values:
            return value_text(field, self.outcome.values[name], self.language, self.outside)
        sent = self.submitted.get(name)
        return value_text(field, None, self.language) if sent in (None, "", []) else str(sent)


class _PageField(forms.Field):
    """One field; its own checks are left to `values.clean`, which sees all fields together."""

    def __init__(
        self, field: Field, value: Value, language: str, outside: Outside, *, required: bool
    ) -> None:
        self.described, self.outside = field, outside
        widget = widget_of(field, language, outside, value=value)
        super().__init__(
            required=required,
            label=label_in(field, language),
            help_text=_help(field, language, outside),
            initial=shown_in_control(field, value, outside),
            widget=widget,
            template_name=(
                "components/field_files.html" if isinstance(widget, FilesWidget) else None
            ),
        )
        self.widget.attrs.update(attrs_of(field, required=required))

    def clean(self, value: object) -> object:
        return typed_json(self.described, value, self.outside)

    def has_changed(self, initial: Any, data: Any) -> bool:
        before = typed_json(self.described, initial, self.outside)
        sent = self.clean(data)
        if isinstance(before, bool) or isinstance(sent, bool):
            return bool(before) != bool(sent)
        return before != sent and str(before) != str(sent)


class _Note(forms.Field):
    """A text that stands among the fields and asks for nothing."""

    def __init__(self, field: Field, language: str) -> None:
        super().__init__(
            required=False,
            label=label_in(field, language),
            help_text=escape(text_in(field.help, language)),
            template_name="components/field_note.html",
        )

    def clean(self, _value: object) -> None:
        return None

    def has_changed(self, _initial: Any, _data: Any) -> bool:
        return False


def _help(field: Field, language: str, outside: Outside) -> str:
    """The help of a field; marked as safe only after escaping, whatever template shows it."""
    text = text_in(field.help, language)
    if field.type == "timestamp":
        text = f"{text} {_('Time zone: %(zone)s') % {'zone': outside.here()}}".strip()
    elif field.type in {"user", "department"} and outside.offered(field.type) is None:
        kinds = {"user": _("By login name."), "department": _("By the code of the department.")}
        text = f"{text} {kinds[field.type]}".strip()
    return escape(text)


def _sentence_of_value(finding: Finding) -> str:
    # A sentence about a cell is one about a value; its place within the field is told beside it.
    field = str(finding.args.get("field", ""))
    return sentence(dataclasses.replace(finding, at=child("", field)) if field else finding)
