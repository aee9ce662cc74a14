"""The tabs of a request's page: form, way, records, comments, and callbacks for who filed it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from workflow.models import Task
    from workflow.reading import Reading

FORM = "form"
# Where htmx puts what a tab shows; the form beside it stays as it was filled in.
VIEW = "tab-view"


@dataclass(frozen=True, slots=True)
class Tab:
    """One tab as the page shows it; ``key`` is the digit that leads to it."""

    code: str
    label: str
    icon: str
    address: str
    key: str
    count: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """What stands in a tab other than the form: its template, and what that needs."""

    code: str
    template: str
    context: Mapping[str, Any] = field(default_factory=dict)


def tabs_of(
    reading: Reading, task: Task | None, timeline: Sequence[Mapping[str, Any]]
) -> list[Tab]:
    """The tabs for this reader, in their order (interface.md 7.4).

    Args:
        reading: the request as its reader may see it.
        task: the task that the page is about; the tabs stay with it.
        timeline: the entries of the request, of which those with words are counted.
    """
    query = "" if task is None else f"?task={task.pk}"
    found = [
        (FORM, _("Form"), "file-text", "request", 0),
        ("picture", _("Flow picture"), "sitemap", "request-picture", 0),
        ("records", _("Records"), "list-details", "request-trail", 0),
        ("comments", pgettext("tab", "Comments"), "message", "request-comments",
         len(said_in(timeline))),
    ]  # fmt: skip
    if reading.instance.initiator_id == reading.user.pk:
        found.append(("callbacks", _("Callbacks"), "send", "callbacks", 0))
    return [
        Tab(code, label, icon, address + query, str(number), count)
        for number, (code, label, icon, name, count) in enumerate(found, start=1)
        if (address := _address(name, reading.instance.pk))
    ]


def said_in(timeline: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The entries of a timeline with which somebody said something."""
    return [entry for entry in timeline if entry["comment"]]


def _address(name: str, pk: int) -> str:
    """Where a tab is that another application may bring along; empty without it."""
    try:
        return reverse(name, args=[pk])
    except NoReverseMatch:
        return ""
