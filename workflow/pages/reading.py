"""A request as a page shows it: its fields as rows, its timeline with marks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from workflow.engine.state import InstanceState
from workflow.pages.answers import language_of_page
from workflow.pages.forms import read_rows
from workflow.pages.outside import NOTHING_KNOWN
from workflow.reading import entries_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from workflow.forms.rights import Right
    from workflow.pages.outside import Outside
    from workflow.reading import Reading
    from workflow.wording import timeline

# Kinds of entries whose reasons are folded: they answer "why", and do not say what happened.
_FOLDED = frozenset({"step_entered", "branch_taken", "goto_decided", "copy_sent", "notice_sent"})
# Kinds of entries with which a form was sent, so that it may have been another one before.
_WITH_FORM = frozenset(
    {"instance_started", "task_approved", "task_rejected", "task_completed", "form_changed"}
)
# word of an entry -> tone and icon of its mark
MARKS: dict[str, tuple[str, str]] = {
    "started": ("info", "send"),
    "approved": ("success", "circle-check"),
    "rejected": ("danger", "circle-x"),
    "completed": ("success", "circle-check"),
    "returned": ("warning", "arrow-back-up"),
    "opinion": ("success", "message"),
    "closed": ("neutral", "square-x"),
    "copied": ("neutral", "copy"),
    "assigned": ("neutral", "user"),
    "reassigned": ("purple", "user-share"),
    "added": ("neutral", "users"),
    "claimed": ("neutral", "user-check"),
    "taken_back": ("neutral", "arrow-back-up"),
    "held": ("warning", "hand-stop"),
    "paused": ("warning", "player-pause"),
    "resumed": ("info", "arrow-forward-up"),
    "timed_out": ("warning", "clock-exclamation"),
    "automatic": ("purple", "git-branch"),
    "comment": ("neutral", "message"),
    "changed": ("neutral", "pencil"),
    "finished": ("neutral", "flag"),
}
_ENDED: dict[InstanceState, tuple[str, str]] = {
    InstanceState.APPROVED: ("success", "flag"),
    InstanceState.REJECTED: ("danger", "flag"),
}


def rows_of(
    reading: Reading,
    rights: Mapping[str, Right] | None = None,
    outside: Outside = NOTHING_KNOWN,
) -> list[tuple[str, str]]:
    """Label and text of each field to read; ``rights`` when some are edited instead."""
    form = reading.definition.form
    if form is None:
        return []
    shown = reading.rights if rights is None else rights
    return read_rows(form, shown, reading.state.values, language_of_page(), outside)


def timeline_of(reading: Reading) -> list[dict[str, Any]]:
    """The entries of `components/timeline.html`, oldest first.

    ``why`` is folded under the entry, ``notes`` stand open; ``reasons`` are both.
    """
    return [
        _entry(entry, reading.state.status) | {"then": _then(reading, entry)}
        for entry in entries_of(reading)
    ]


def _then(reading: Reading, entry: timeline.Entry) -> str:
    """Where the form stands as it was then; nothing where it says no more than elsewhere."""
    if reading.definition.form is None or entry.kind not in _WITH_FORM:
        return ""
    address = reverse("request-then", args=[reading.instance.pk])
    return f"{address}?{urlencode({'at': entry.at.isoformat()})}"


def _entry(entry: timeline.Entry, status: InstanceState) -> dict[str, Any]:
    tone, icon = MARKS[entry.state]
    if entry.state == "finished":
        tone, icon = _ENDED.get(status, (tone, icon))
    folded = entry.kind in _FOLDED
    notes = (*(() if folded else entry.why), *_evidence(entry))
    why = entry.why if folded else ()
    return {
        "title": entry.text,
        "tone": "info" if entry.current else tone,
        "icon": icon,
        "at": entry.at,
        "comment": entry.comment,
        "reasons": (*notes, *why),
        "notes": notes,
        "why": why,
        "current": entry.current,
    }


def _evidence(entry: timeline.Entry) -> Iterator[str]:
    """What came with a decision besides its words."""
    if entry.files:
        text = ngettext("%(count)d file attached", "%(count)d files attached", entry.files)
        yield text % {"count": entry.files}
    if entry.signed:
        yield _("Signed")
