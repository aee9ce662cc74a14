"""What differs between two versions of a process, as sentences for people who draw them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from workflow.wording.states import listed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django_stubs_ext import StrOrPromise

    from workflow.engine.differing import Difference, Member, Of, What

_SENTENCES: dict[tuple[What, Of], StrOrPromise] = {
    ("added", "step"): gettext_lazy("Step “%(name)s” added"),
    ("removed", "step"): gettext_lazy("Step “%(name)s” removed"),
    ("moved", "step"): gettext_lazy("Step “%(name)s” moved"),
    ("changed", "step"): gettext_lazy("Step “%(name)s” changed"),
    ("added", "branch"): gettext_lazy("Branch “%(name)s” added"),
    ("removed", "branch"): gettext_lazy("Branch “%(name)s” removed"),
    ("moved", "branch"): gettext_lazy("Branch “%(name)s” moved"),
    ("changed", "branch"): gettext_lazy("Branch “%(name)s” changed"),
    ("added", "field"): gettext_lazy("Field “%(name)s” added"),
    ("removed", "field"): gettext_lazy("Field “%(name)s” removed"),
    ("moved", "field"): gettext_lazy("Field “%(name)s” moved"),
    ("changed", "field"): gettext_lazy("Field “%(name)s” changed"),
    ("changed", "setting"): gettext_lazy("Changed for the whole process: %(name)s"),
}

# What the members of documents are called where somebody reads and does not write them.
_MEMBERS: dict[str, StrOrPromise] = {
    "name": pgettext_lazy("member", "name"),
    "kind": pgettext_lazy("member", "kind"),
    "note": pgettext_lazy("member", "guidance"),
    "who": pgettext_lazy("member", "people"),
    "decide": pgettext_lazy("member", "how several people decide"),
    "reject": pgettext_lazy("member", "what a rejection leads to"),
    "on_empty": pgettext_lazy("member", "what happens when nobody is found"),
    "on_self": pgettext_lazy("member", "what happens when the initiator would decide"),
    "deadline": pgettext_lazy("member", "deadline"),
    "acts": pgettext_lazy("member", "possible acts"),
    "evidence": pgettext_lazy("member", "comment, signature and files"),
    "repeat_skip": pgettext_lazy("member", "repeated approvals"),
    "fields": pgettext_lazy("member", "rights on fields"),
    "on_event": pgettext_lazy("member", "what follows an event"),
    "when": pgettext_lazy("member", "condition"),
    "otherwise": pgettext_lazy("member", "whether it is the branch for all other cases"),
    "join": pgettext_lazy("member", "when the branches join"),
    "branch_reject": pgettext_lazy("member", "what a rejection in a branch leads to"),
    "verdict": pgettext_lazy("member", "verdict"),
    "reason": pgettext_lazy("member", "reason"),
    "result": pgettext_lazy("member", "result"),
    "flow": pgettext_lazy("member", "process"),
    "version": pgettext_lazy("member", "version"),
    "wait": pgettext_lazy("member", "whether it waits"),
    "input": pgettext_lazy("member", "what is handed over"),
    "output": pgettext_lazy("member", "what is taken back"),
    "save": pgettext_lazy("member", "what is kept of the answer"),
    "url": pgettext_lazy("member", "address"),
    "method": pgettext_lazy("member", "method"),
    "body": pgettext_lazy("member", "content"),
    "headers": pgettext_lazy("member", "headers"),
    "mode": pgettext_lazy("member", "mode"),
    "changes": pgettext_lazy("member", "changed fields"),
    "rule": pgettext_lazy("member", "rule"),
    "to": pgettext_lazy("member", "target"),
    "max": pgettext_lazy("member", "limit"),
    "title": pgettext_lazy("member", "title"),
    "text": pgettext_lazy("member", "text"),
    "label": pgettext_lazy("member", "label"),
    "help": pgettext_lazy("member", "help"),
    "type": pgettext_lazy("member", "type"),
    "required": pgettext_lazy("member", "whether it is required"),
    "default": pgettext_lazy("member", "default"),
    "options": pgettext_lazy("member", "options"),
    "limits": pgettext_lazy("member", "limits"),
    "columns": pgettext_lazy("member", "columns"),
    "show_if": pgettext_lazy("member", "when it is shown"),
    "sum_of": pgettext_lazy("member", "what it adds up"),
    "key": pgettext_lazy("member", "key"),
    "form": pgettext_lazy("member", "form"),
    "start": pgettext_lazy("member", "who may start and what they fill in"),
    "summary": pgettext_lazy("member", "fields in the inbox"),
    "number": pgettext_lazy("member", "numbering"),
    "policy": pgettext_lazy("member", "rules for the whole process"),
    "managers": pgettext_lazy("member", "managers"),
}
_LONGEST = 60
_PLACEHOLDER = re.compile(r"\{(?:(initiator\.name|flow\.name|number|today)|form\.([a-z0-9_]+))\}")
_PLACEHOLDERS: dict[str, StrOrPromise] = {
    "initiator.name": pgettext_lazy("placeholder", "name of the initiator"),
    "flow.name": pgettext_lazy("placeholder", "name of the process"),
    "number": pgettext_lazy("placeholder", "number"),
    "today": pgettext_lazy("placeholder", "day of filing"),
}


@dataclass(frozen=True, slots=True)
class ToldDifference:
    """One difference in words; ``details`` say what changed inside, one sentence each."""

    what: What
    of: Of
    id: str
    text: str
    details: tuple[str, ...]


def tell_differences(found: Iterable[Difference]) -> tuple[ToldDifference, ...]:
    """Each difference as a sentence in the active language, in the order given."""
    return tuple(_told(each) for each in found)


def in_one_line(numbers: dict[What, int]) -> str:
    """“2 added, 1 changed”; “No differences” when there is none."""
    words: dict[What, str] = {
        "added": _("%(n)d added"),
        "removed": _("%(n)d removed"),
        "moved": _("%(n)d moved"),
        "changed": _("%(n)d changed"),
    }
    parts = [words[what] % {"n": number} for what, number in numbers.items()]
    return listed(parts) if parts else _("No differences")


def member_name(name: str) -> str:
    """What a member of a document is called; its own name when we have no word for it."""
    return str(_MEMBERS.get(name, name))


def member_names() -> dict[str, str]:
    """What every member of a document is called, by its own name, in the active language.

    Scenarios are kept beside the document, and compared with it.
    """
    return {name: str(word) for name, word in _MEMBERS.items()} | {"scenarios": _("Scenarios")}


def _told(each: Difference) -> ToldDifference:
    name = member_name(each.id) if each.of == "setting" else each.name or each.id
    text = str(_SENTENCES[each.what, each.of]) % {"name": name}
    details = tuple(_detail(member) for member in each.members)
    return ToldDifference(each.what, each.of, each.id, text, details)


def _detail(member: Member) -> str:
    """Short values with what stood there before; of larger ones only that they changed."""
    name = member_name(member.name)
    before, after = _short(member.before), _short(member.after)
    if before is None or after is None:
        return _("%(name)s changed") % {"name": name}
    return _("%(name)s: %(before)s → %(after)s") % {
        "name": name,
        "before": before,
        "after": after,
    }


def _short(value: object) -> str | None:
    if value is None:
        return pgettext("member", "nothing")
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    if isinstance(value, int) or (isinstance(value, str) and len(value) <= _LONGEST):
        return _in_words(str(value)) or pgettext("member", "nothing")
    return None


def _in_words(text: str) -> str:
    """A text of the process as people read it: what fills its gaps, instead of the codes."""

    def word(found: re.Match[str]) -> str:
        name, field = found.groups()
        if name:
            return f"[{_PLACEHOLDERS[name]}]"
        return "[{}]".format(pgettext("placeholder", "field %(name)s") % {"name": field})

    return _PLACEHOLDER.sub(word, text)
