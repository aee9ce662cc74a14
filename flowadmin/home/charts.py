"""The charts of the home page, each loaded by itself: a slow or broken one hides no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from flowadmin import clock
from flowadmin.rest.problems import not_found
from workflow import workload
from workflow.pages import charts
from workflow.pages.answers import is_fragment, page, reader

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from django.http import HttpRequest, HttpResponse
    from django_stubs_ext import StrOrPromise

    from flowadmin.directory.models import User

BACKLOG = "backlog"


def _handled(user: User) -> charts.Chart:
    zone = timezone.get_current_timezone()
    return charts.of_handled(workload.handled_per_day(user, clock.now(), zone))


def _times(user: User) -> charts.Chart:
    return charts.of_handling_times(workload.handling_times(user))


def _states(user: User) -> charts.Chart:
    return charts.of_own_states(workload.own_by_state(user))


def _backlog(user: User) -> charts.Chart:
    return charts.of_backlog(workload.backlog_of(workload.team_of(user)))


_CHARTS: Mapping[str, tuple[StrOrPromise, Callable[[User], charts.Chart]]] = {
    "handled": (_("Handled per day"), _handled),
    "times": (_("Your time for a task, by process"), _times),
    "states": (_("My requests by state"), _states),
    BACKLOG: (_("What waits for your team"), _backlog),
}


def slots_for(user: User) -> list[tuple[str, StrOrPromise]]:
    """Name and title of the charts on this person's home page; the backlog only with a team."""
    has_team = bool(workload.team_of(user))
    return [
        (name, title) for name, (title, _draw) in _CHARTS.items() if has_team or name != BACKLOG
    ]


@login_required
@require_safe
def chart(request: HttpRequest, name: str) -> HttpResponse:
    """`/charts/<name>/`: one chart in its place, or a page of its own without a script.

    Raises Problem 404 for any other name.
    """
    user = reader(request)
    if name not in _CHARTS:
        raise not_found()
    context = {"chart": _CHARTS[name][1](user)}
    if not is_fragment(request):
        return page(request, "home/chart.html", context)
    response = render(request, "home/_chart.html", context)
    response.headers["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["HX-Request", "Cookie", "Accept-Language"])
    return response
