"""The events of one's own request that were told to others: their states, and sending again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from flowadmin import clock
from flowadmin.rest.idempotency import answer_once, receipt_of_form
from flowadmin.rest.problems import Problem
from notifications import access, queries
from notifications.actions.callbacks import RETRY, STARTED, retry_manually
from notifications.models import Callback
from notifications.wording import CALLBACK_LOOKS, event_text, result_text
from workflow import access as workflow_access
from workflow.access import row_id
from workflow.pages.answers import SEE_OTHER, new_key, place_in, reader
from workflow.pages.tab_views import show_part
from workflow.pages.tabs import Part
from workflow.queries import my_instances
from workflow.reading import reading_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.http import HttpRequest, HttpResponse

    from flowadmin.directory.models import User
    from workflow.models import Instance

MOST_AT_ONCE = 100
ALL_FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Line:
    """One entry of a callback's history: when, and the class of what came of it."""

    at: datetime | None
    text: Any
    late: Any = ""
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class CallbackRow:
    """One callback as the page shows it."""

    callback: Callback
    event: Any
    status: Any
    tone: str
    icon: str
    result: Any
    lines: tuple[Line, ...]
    may_retry: bool


@login_required
@require_safe
def callbacks(request: HttpRequest, pk: str) -> HttpResponse:
    """`/requests/<id>/callbacks/`, a tab of the request.

    Raises Problem 404 for a request that one did not file.
    """
    user = reader(request)
    instance = _own(user, pk)
    rows = queries.callbacks_of(user).filter(instance=instance.pk)
    place = place_in(request, rows.count())
    shown = [_row(each) for each in rows[place.start : place.stop]]
    context = {
        "callbacks": shown,
        "place": place,
        "failed": rows.filter(status=Callback.Status.FAILED).count(),
        "retry_key": new_key(),
    }
    reading = reading_of(user, workflow_access.instance(user, instance.pk))
    part = Part("callbacks", "notifications/_callbacks.html", context)
    return show_part(request, reading, part)


@login_required
@require_POST
def retry(request: HttpRequest, pk: str) -> HttpResponse:
    """`/requests/<id>/callbacks/retry/`: one event, several, or all that have failed.

    Back to the page, which says what became of it and shows the states as they are now. Raises
    Problem 404 for a request or an event that is not one's own.
    """
    user = reader(request)
    instance = _own(user, pk)
    wanted = [access.callback(user, each) for each in _asked(request, user, instance)]
    if any(each.instance_id != instance.pk for each in wanted):
        raise Problem(404, "callback.unknown", _("There is no such event."))
    _retry(request, user, wanted)
    response = HttpResponseRedirect(reverse("callbacks", args=[instance.pk]))
    response.status_code = SEE_OTHER
    return response


def _own(user: User, pk: str) -> Instance:
    found = my_instances(user).filter(pk=row_id(pk)).first()
    if found is None:
        raise Problem(404, "instance.unknown", _("There is no such request."))
    return found


def _asked(request: HttpRequest, user: User, instance: Instance) -> list[str]:
    words = request.POST.getlist("callback")[:MOST_AT_ONCE]
    if ALL_FAILED not in words:
        return words
    rows = queries.callbacks_of(user).filter(instance=instance.pk, status=Callback.Status.FAILED)
    return [str(each) for each in rows.values_list("pk", flat=True)[:MOST_AT_ONCE]]


def _retry(request: HttpRequest, user: User, wanted: list[Callback]) -> None:
    now = clock.now()

    def act() -> tuple[int, Any]:
        done = 0
        for callback in wanted:
            try:
                retry_manually(callback=callback, user=user, now=now)
            except Problem as problem:
                messages.warning(request, str(problem.detail))
            else:
                done += 1
        if done:
            text = ngettext(
                "%(count)d event is sent again.", "%(count)d events are sent again.", done
            )
            messages.success(request, text % {"count": done})
        return 200, {"retried": done}

    answer_once(receipt_of_form(request, "pages.callbacks.retry"), now, act)


def _row(callback: Callback) -> CallbackRow:
    tone, icon = CALLBACK_LOOKS.get(callback.status, ("neutral", "send"))
    return CallbackRow(
        callback=callback,
        event=event_text(callback.event),
        status=Callback.Status(callback.status).label,
        tone=tone,
        icon=icon,
        result=result_text(callback.result),
        lines=tuple(_lines(callback)),
        may_retry=callback.status == Callback.Status.FAILED,
    )


def _lines(callback: Callback) -> Iterator[Line]:
    """Times and classes of results, and nothing more of the history (interface.md 7.6)."""
    last = len(callback.history) - 1
    for place, entry in enumerate(callback.history):
        at = _moment(entry.get("at"))
        if entry.get("kind") == RETRY:
            yield Line(at, _("sent again by hand"), by_hand=True)
            continue
        result = str(entry.get("result") or entry.get("status", ""))
        if result == STARTED:
            is_now = place == last and callback.status == Callback.Status.LEASED
            text = _("under way") if is_now else _(
                "started, no result: the process ended or the lease expired"
            )  # fmt: skip
        else:
            text = str(result_text(result))
        yield Line(at, text, late=result_text(str(entry.get("late", ""))))


def _moment(text: object) -> datetime | None:
    """When; rows that were taken over may say it in another way, or not at all."""
    try:
        moment = datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return moment if moment.tzinfo is not None else None
