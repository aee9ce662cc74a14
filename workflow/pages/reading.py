"""A request as a page shows it: its fields as rows, its timeline with marks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workflow.engine.state import InstanceState
from workflow.pages.answers import language_of_page
from workflow.pages.forms import read_rows
from workflow.reading import entries_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workflow.forms.rights import Right
    from workflow.reading import Reading
    from workflow.wording import timeline

# word of an entry -> tone and icon of its mark
MARKS: dict[str, tuple[str, str]] = {
    "started": ("info", "send"),
    "approved": ("success", "circle-check"),
    "rejected": ("danger", "circle-x"),
    "closed": ("neutral", "square-x"),
    "copied": ("neutral", "copy"),
    "assigned": ("neutral", "user"),
    "reassigned": ("purple", "user-share"),
    "held": ("warning", "hand-stop"),
    "automatic": ("purple", "git-branch"),
    "comment": ("neutral", "message"),
    "changed": ("neutral", "pencil"),
    "finished": ("neutral", "flag"),
}
_ENDED: dict[InstanceState, tuple[str, str]] = {
    InstanceState.APPROVED: ("success", "flag"),
    InstanceState.REJECTED: ("danger", "flag"),
}


def rows_of(reading: Reading, rights: Mapping[str, Right] | None = None) -> list[tuple[str, str]]:
    """Label and text of each field to read; ``rights`` when some are edited instead."""
    form = reading.definition.form
    if form is None:
        return []
    shown = reading.rights if rights is None else rights
    return read_rows(form, shown, reading.state.values, language_of_page())


def timeline_of(reading: Reading) -> list[dict[str, Any]]:
    """The entries of `components/timeline.html`, oldest first."""
    return [_entry(entry, reading.state.status) for entry in entries_of(reading)]


def _entry(entry: timeline.Entry, status: InstanceState) -> dict[str, Any]:
    tone, icon = MARKS[entry.state]
    if entry.state == "finished":
        tone, icon = _ENDED.get(status, (tone, icon))
    return {
        "title": entry.text,
        "tone": "info" if entry.current else tone,
        "icon": icon,
        "at": entry.at,
        "comment": entry.comment,
        "reasons": entry.why,
        "current": entry.current,
    }
