"""Tags of the shared parts of pages: chips, pager and form fields."""

from __future__ import annotations

import zlib
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django import forms, template
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.forms.boundfield import BoundField
    from django.utils.safestring import SafeString

register = template.Library()

# state -> (tone, icon, word). The states are those of the contract's REST shapes.
STATES: dict[str, tuple[str, str, Any]] = {
    "running": ("info", "circle-dot", _("In progress")),
    "approved": ("success", "circle-check", _("Approved")),
    "rejected": ("danger", "circle-x", _("Rejected")),
    "cancelled": ("neutral", "arrow-back-up", _("Withdrawn")),
    "terminated": ("neutral", "ban", _("Terminated")),
    "held": ("warning", "hand-stop", _("Held")),
    "paused": ("warning", "player-pause", _("Paused")),
    "blocked": ("neutral", "hourglass", _("Waiting")),
    "open": ("info", "circle-dot", _("To do")),
    "done": ("success", "circle-check", _("Done")),
    "opinion_given": ("success", "message", _("Opinion given")),
    "handed_on": ("purple", "user-share", _("Handed on")),
    "closed": ("neutral", "square-x", _("Closed")),
    "taken_back": ("neutral", "arrow-back-up", _("Taken back")),
    "expected": ("neutral", "circle-dashed", _("Expected")),
    "skipped": ("neutral", "arrow-forward-up", _("Skipped")),
    "returned": ("warning", "arrow-back-up", _("Returned")),
    "automatic": ("purple", "robot", _("Automatic")),
}

HUES = 6  # colours of a person's mark in components.css
SOON = timedelta(hours=24)


@register.inclusion_tag("components/chip.html")
def status_chip(state: str, label: str = "") -> dict[str, Any]:
    """A state as colour, icon and word; `label` replaces the word, an unknown state is its own."""
    tone, picture, word = STATES.get(state, ("neutral", "circle-dot", state))
    return {"tone": tone, "icon": picture, "label": label or word, "state": state}


@register.simple_tag
def state_of(state: str, tone: str = "", picture: str = "", label: str = "") -> dict[str, Any]:
    """Tone, icon and word of a state, each replaced by what is given (`as look` in a template)."""
    own_tone, own_picture, word = STATES.get(state, ("neutral", "circle-dot", ""))
    return {"tone": tone or own_tone, "icon": picture or own_picture, "label": label or word}


@register.inclusion_tag("components/person_chip.html")
def person_chip(name: str, department: str = "", note: str = "") -> dict[str, Any]:
    """A person: mark with initials, name, department as tooltip, a short note such as a state."""
    return {
        "name": name,
        "department": department,
        "note": note,
        "initials": initials(name),
        "hue": zlib.crc32(name.encode()) % HUES,
    }


def initials(name: str) -> str:
    """Two letters of a name in letters, the last character of a Chinese name."""
    words = name.split()
    if not words:
        return "?"
    if ord(words[-1][-1]) >= 0x2E80:  # CJK: the given name comes last
        return words[-1][-1]
    return (words[0][0] + (words[-1][0] if len(words) > 1 else "")).upper()


@register.inclusion_tag("components/chip.html")
def due_chip(due_at: datetime | None, now: datetime | None) -> dict[str, Any]:
    """When a task is due, seen from `now` (both aware): on time, within a day, overdue.

    Renders nothing without a due time or without `now`.
    """
    if due_at is None or now is None:
        return {"label": ""}
    left = due_at - now
    if left < timedelta():
        label = _("Overdue by %(span)s") % {"span": span_in_words(-left)}
        return {"tone": "danger", "icon": "clock-exclamation", "label": label, "when": due_at}
    label = _("Due in %(span)s") % {"span": span_in_words(left)}
    tone = "warning" if left <= SOON else "neutral"
    return {"tone": tone, "icon": "clock", "label": label, "when": due_at}


def span_in_words(span: timedelta) -> str:
    """A length of time in its largest whole unit, at least one minute."""
    minutes = max(1, int(span.total_seconds()) // 60)
    if minutes < 60:
        return ngettext("%(n)d minute", "%(n)d minutes", minutes) % {"n": minutes}
    hours = minutes // 60
    if hours < 48:
        return ngettext("%(n)d hour", "%(n)d hours", hours) % {"n": hours}
    return ngettext("%(n)d day", "%(n)d days", hours // 24) % {"n": hours // 24}


@register.inclusion_tag("components/pager.html", takes_context=True)
def pager(context: template.Context, page: int, size: int, count: int) -> dict[str, Any]:
    """Which rows of how many, with links to the pages beside; other parameters stay.

    Arguments:
        page: number of the page shown, from 1.
        size: rows of a full page.
        count: rows in all.
    """
    request = context.get("request")
    last_page = max(1, -(-count // size))
    return {
        "parameters": request.GET if request else QueryDict(),
        "first": min(count, (page - 1) * size + 1),
        "last": min(count, page * size),
        "count": count,
        "previous": page - 1 if page > 1 else None,
        "next": page + 1 if page < last_page else None,
    }


@register.filter
def kind_of(field: BoundField) -> str:
    """How the field template lays a field out: ``check``, ``group``, ``hidden`` or ``control``."""
    widget = field.field.widget
    if widget.is_hidden:
        return "hidden"
    if isinstance(widget, forms.CheckboxInput):
        return "check"
    if isinstance(widget, forms.RadioSelect | forms.CheckboxSelectMultiple):
        return "group"
    return "control"


def _classes(widget: forms.Widget) -> str:
    if isinstance(widget, forms.CheckboxInput | forms.RadioSelect | forms.CheckboxSelectMultiple):
        return "form-check-input"
    return "form-select" if isinstance(widget, forms.Select) else "form-control"


@register.filter
def control(field: BoundField) -> SafeString:
    """The field's widget with our classes; Django adds `aria-describedby` and `aria-invalid`."""
    widget = field.field.widget
    own = str(widget.attrs.get("class", ""))
    return field.as_widget(attrs={"class": f"{_classes(widget)} {own}".strip()})


@register.filter
def faulty(form: forms.BaseForm) -> Sequence[BoundField]:
    """The fields of a form that carry errors, for the summary above it."""
    return [field for field in form if field.errors]
