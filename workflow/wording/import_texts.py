"""The sentence of each finding of an import; ``%(name)s`` is filled from its arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _

from workflow.wording import findings as others
from workflow.wording.finding_texts import EXPECTED, TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django_stubs_ext import StrOrPromise

    from workflow.forms.findings import Finding

Texts = dict[str, "StrOrPromise"]

# The file could not be read (the words of the front door speak of a request's body).
_FILE: Texts = {
    "body.too_large": _("The file is larger than 1 MiB."),
    "json.encoding": _("The file is not UTF-8 without a byte order mark."),
    "json.broken": _("This is not JSON: reading stopped at line %(line)s, column %(column)s."),
    "json.deep": _("This is nested deeper than %(limit)s levels."),
    "json.nodes": _("The file holds more than 20,000 values."),
    "json.object": _("The outermost value must be an object."),
    "json.key": _("A member name is longer than 128 characters."),
    "json.text": _("A text holds a character that is not text."),
    "json.long": _("A text value is longer than 64 KiB."),
    "json.float": _("A number has a fraction or an exponent: write it as text."),
    "json.integer": _("An integer is beyond ±2^53: write it as text."),
    "json.number": _("NaN and Infinity are not JSON."),
    "json.duplicate": _("A member name stands twice in one object."),
}

# The file could not be carried because of these.
_REFUSED: Texts = {
    "import.unknown_format": _("This is no file of a system that can be imported."),
    "import.bad_type": _("This should be: %(expected)s."),
    "import.no_root": _("“%(key)s” is missing: there is no process here."),
    "import.no_start": _("A process begins with exactly one node for the person who files it."),
    "import.no_key": _("Nothing here can be the key of a process. Give one with --key."),
    "import.unknown_member": _("Nobody knows what “%(key)s” means here; it would be lost."),
    "import.unknown_value": _("“%(value)s” is no known value of “%(key)s”."),
    "import.duplicate_key": _("The key “%(key)s” belongs to more than one node, or is missing."),
    "import.no_target": _("There is no node “%(key)s”."),
    "import.after_end": _("Nodes come after the end and are never reached."),
    "import.auto_misplaced": _(
        "A node that passes or rejects by itself has to be the last one of a branch."
    ),
    "import.nobody": _("Nobody is named here."),
    "import.no_code": _("The id “%(id)s” cannot be a code here. Give one with --people."),
    "import.same_code": _("“%(id)s” and “%(other)s” would have the same code here."),
    "import.candidates": _("Candidates are named for a step at which nobody picks."),
    "import.no_weight": _("A vote needs a weight from 0 to 1000."),
    "import.weight_of_many": _(
        "“%(id)s” has one weight for several people. Say with --people which person votes."
    ),
    "import.reject_unclear": _(
        "Several decide here in turn, and where a rejection leads cannot be told behind a block."
    ),
    "import.second_rest": _("Only one branch can be for all other cases."),
    "import.no_condition": _("This branch of a choice has no condition."),
    "import.condition_in_parallel": _("All parallel branches are taken: they have no condition."),
    "import.no_field": _("This condition names no field."),
    "import.no_operand": _("This condition compares “%(field)s” with nothing."),
    "import.not_a_number": _(
        "“%(field)s” is compared by size elsewhere, and this is no number (%(op)s)."
    ),
    "import.field_two_types": _("“%(field)s” is compared like a number and like a text (%(op)s)."),
    "import.no_routes": _("This route leads nowhere."),
    "import.no_subflow": _("The other process is not named."),
    "import.no_time": _("The length of this pause is missing."),
    "import.bad_time": _("“%(value)s” is no length of time."),
    "import.program": _(
        "The program “%(program)s” of the other system does not exist here. Give the address"
        " that does the same with --people (triggers)."
    ),
    "import.circle": _("The nodes lead in a circle."),
    "import.not_reached": _("No way leads to the node “%(key)s”."),
    "import.not_a_block": _("The ways at “%(key)s” do not come together like a block."),
    "import.edges_differ": _(
        "“%(key)s” is named as the node before, and no way leads from there."
    ),
    "import.not_made": _("“%(code)s” cannot be made here: it is taken or misspelt."),
}

# Carried in another way, or left out because it decides nothing.
_NOTED: Texts = {
    "import.left_out": _("“%(key)s” is left out; it decides nothing."),
    "import.without_effect": _("“%(key)s” has no effect here and is left out."),
    "import.name_cut": _("This is too long for us (at most %(high)s) and was cut."),
    "import.key_changed": _("The key “%(key)s” becomes “%(made)s”."),
    "import.key_made": _("The file names no key; it becomes “%(made)s”. Choose one with --key."),
    "import.other_label": _("“%(label)s” is called “%(kept)s” elsewhere in the file."),
    "import.field_made": _(
        "The file has no form: the field “%(field)s” is made, required, of type %(type)s."
    ),
    "import.rest_added": _(
        "No branch is for all other cases: a last one holds the request until a manager decides."
    ),
    "import.starters_unclear": _(
        "The file does not say what the starter %(name)s (%(id)s) is: as in the other system"
        " everybody may start."
    ),
    "import.people_not_asked": _("%(name)s (%(id)s) is named and not asked at this step."),
    "import.no_preselection": _(
        "%(name)s (%(id)s) is no longer preselected; the person who files the request picks."
    ),
    "import.pick_needed": _(
        "Nobody is named: the person who files the request has to pick somebody."
    ),
    "import.only_shown": _("%(name)s (%(id)s) is only shown and not among those who decide."),
    "import.superior_is_head": _("The direct superior becomes the head of the department."),
    "import.reminder_without_time": _("The reminder has no time and never comes."),
    "import.deadline_without_time": _("The deadline has no time and never comes."),
    "import.right_left_out": _(
        "The right “%(right)s” on “%(field)s” is left out: the file has no such field."
    ),
    "import.branch_header": _("This begins a branch and is no step, in spite of its type."),
    "import.subflow": _("“%(called)s” has to be a process here with the key “%(flow)s”."),
    "import.button": _("The button %(button)s does not exist here."),
}

TEXTS: Texts = {**_FILE, **_REFUSED, **_NOTED}


def worded(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Findings of an import as members of a problem (contract, ``problems[]``)."""
    return [
        member | ({"message": _sentence(finding)} if finding.code in TEXTS else {})
        for finding in findings
        for member in others.worded([finding])
    ]


def _sentence(finding: Finding) -> str:
    words = {"type": TYPES, "expected": EXPECTED}
    args = {
        name: str(words.get(name, {}).get(str(value), value))
        for name, value in finding.args.items()
    }
    return str(TEXTS[finding.code]) % args
