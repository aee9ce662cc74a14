"""Callbacks for operators: how it goes with them, and never where they go or what they say."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.contrib.auth.decorators import login_required
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy
from django.views.decorators.http import require_safe

from flowadmin import clock
from flowadmin.directory import permissions
from notifications import queries
from notifications.models import Callback
from notifications.wording import CALLBACK_LOOKS, EVENTS, event_text, result_text
from workflow import access
from workflow.models import Definition
from workflow.pages.answers import one_of, page, place_in, reader

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse
    from django_stubs_ext import StrOrPromise

    from flowadmin.directory.models import User

AGES: dict[str, timedelta] = {
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(days=7),
}
_AGE_WORDS: dict[str, StrOrPromise] = {
    "hour": pgettext_lazy("age", "older than an hour"),
    "day": pgettext_lazy("age", "older than a day"),
    "week": pgettext_lazy("age", "older than a week"),
}
MOST_PROCESSES = 200
# Counting the rest would cost a look at every row.
MOST_LISTED = 10_000


@dataclass(frozen=True, slots=True)
class Choice:
    """One select of the filter: its name, its label, and its words."""

    name: str
    label: Any
    chosen: str
    words: Sequence[tuple[str, Any]]


@dataclass(frozen=True, slots=True)
class Seen:
    """One callback as operators see it."""

    callback: Callback
    event: Any
    status: Any
    tone: str
    icon: str
    result: Any


@login_required
@require_safe
def operations(request: HttpRequest) -> HttpResponse:
    """`/ops/callbacks/?status=…&process=…&event=…&age=…` (interface.md 7.13); it only reads.

    Raises Problem 403 without `ops.view`, 400 for what cannot be read.
    """
    user = reader(request)
    access.require(user, permissions.OPS_VIEW)
    now = clock.now()
    choices = _choices(request, user)
    rows = _filtered(queries.callbacks_of_tenant(user), choices, now)
    place = place_in(request, rows.order_by()[:MOST_LISTED].count())
    counts = queries.callback_counts(user)
    context = {
        "rows": [_seen(each) for each in rows[place.start : place.stop]],
        "place": place,
        "choices": choices,
        "filtered": any(each.chosen for each in choices),
        "states": [
            (label, CALLBACK_LOOKS[status][0], counts.get(status, 0))
            for status, label in Callback.Status.choices
        ],
        "oldest": queries.oldest_due_callback(user, now),
    }
    return page(request, "ops/callbacks.html", context)


def _choices(request: HttpRequest, user: User) -> tuple[Choice, ...]:
    processes = Definition.objects.filter(tenant=user.tenant_id).order_by("name", "id")
    named = list(processes.values_list("key", "name")[:MOST_PROCESSES])
    offered: tuple[tuple[str, StrOrPromise, Sequence[tuple[str, Any]]], ...] = (
        ("status", _("State"), [(each.lower(), label) for each, label in Callback.Status.choices]),
        ("process", _("Process"), named),
        ("event", _("Event"), list(EVENTS.items())),
        ("age", _("Age"), list(_AGE_WORDS.items())),
    )
    return tuple(
        Choice(
            name, label, one_of(request, name, {"", *(word for word, _text in words)}, ""), words
        )
        for name, label, words in offered
    )


def _filtered(
    rows: QuerySet[Callback], choices: tuple[Choice, ...], now: datetime
) -> QuerySet[Callback]:
    chosen = {each.name: each.chosen for each in choices if each.chosen}
    if "status" in chosen:
        rows = rows.filter(status=chosen["status"].upper())
    if "process" in chosen:
        rows = rows.filter(instance__definition__key=chosen["process"])
    if "event" in chosen:
        rows = rows.filter(event=chosen["event"])
    if "age" in chosen:
        rows = rows.filter(created_at__lte=now - AGES[chosen["age"]])
    return rows


def _seen(callback: Callback) -> Seen:
    tone, icon = CALLBACK_LOOKS[callback.status]
    return Seen(
        callback,
        event_text(callback.event),
        Callback.Status(callback.status).label,
        tone,
        icon,
        result_text(callback.result),
    )
