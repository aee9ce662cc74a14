"""The words of the designer's form editor, by key."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

FORM_TEXTS: dict[str, _StrPromise] = {
    "p.form.add_column": _("Add a column"),
    "p.form.add_option": _("Add an option"),
    "p.form.choose": _("Choose a field to see its properties."),
    "p.form.columns": _("Columns"),
    "p.form.columns_hint": _("They stand below the table in the list."),
    "p.form.default": _("Starts with"),
    "p.form.did_add": _("Add the field {name}"),
    "p.form.did_duplicate": _("Duplicate the field {name}"),
    "p.form.did_move": _("Move the field {name}"),
    "p.form.did_remove": _("Remove the field {name}"),
    "p.form.did_retype": _("Change the type of {name}"),
    "p.form.drag": _("Drag to move"),
    "p.form.duplicate": _("Duplicate: {name}"),
    "p.form.empty": _(
        "There are no fields yet. Choose one on the left; without fields the process has no form."
    ),
    "p.form.fields": _("Fields of the form"),
    "p.form.help": _("Help"),
    "p.form.id": _("Id"),
    "p.form.id_hint": _(
        "Conditions and rights name the field by it. They go along when it changes."
    ),
    "p.form.in_chinese": _("{what} (Chinese)"),
    "p.form.is_required": _("required"),
    "p.form.keep": _("Keep it"),
    "p.form.label": _("Label"),
    "p.form.limit_decimals": _("Decimals"),
    "p.form.limit_earliest": _("Earliest"),
    "p.form.limit_latest": _("Latest"),
    "p.form.limit_max": _("Largest"),
    "p.form.limit_max_count": _("Most entries"),
    "p.form.limit_max_length": _("Longest (characters)"),
    "p.form.limit_min": _("Smallest"),
    "p.form.limit_min_count": _("Fewest entries"),
    "p.form.limit_min_length": _("Shortest (characters)"),
    "p.form.limits": _("Limits"),
    "p.form.new_field": _("Field"),
    "p.form.none": _("The process has no form yet."),
    "p.form.note_text": _("Text"),
    "p.form.option": _("Option {number}"),
    "p.form.option_id": _("Id of the option"),
    "p.form.option_label": _("Label of the option"),
    "p.form.options": _("Options"),
    "p.form.order_hint": _("Drag a field, or press Alt+↑ or Alt+↓ on it. Delete removes it."),
    "p.form.palette": _("Add a field"),
    "p.form.palette_column": _("Add a column to {table}"),
    "p.form.preview": _("How it looks"),
    "p.form.preview_failed": _("There is no preview now. It comes with the next change."),
    "p.form.properties": _("Properties of the field"),
    "p.form.remove_anyway": _("Remove it anyway"),
    "p.form.required": _("Has to be filled in"),
    "p.form.retype_anyway": _("Change the type anyway"),
    "p.form.show_always": _("It is always shown."),
    "p.form.show_if": _("Shown only when"),
    "p.form.sum_none": _("There are no numbers to add up."),
    "p.form.sum_of": _("Sum of (the server adds up)"),
    "p.form.type": _("Type"),
    "p.form.use_condition": _("a condition"),
    "p.form.use_in": _("{how}: {place}"),
    "p.form.use_many": _("Used in {count} places"),
    "p.form.use_one": _("Used in {count} place"),
    "p.form.use_people": _("the people"),
    "p.form.use_rights": _("the rights to fields"),
    "p.form.use_sum": _("a sum"),
    "p.form.use_summary": _("the fields shown in the inbox"),
    "p.form.use_text": _("a text template"),
    "p.form.use_value": _("a value"),
    "p.form.used_remove": _("{name} is used elsewhere. What names it would be wrong without it:"),
    "p.form.used_retype": _("{name} is used elsewhere. What names it may not fit the new type:"),
}
