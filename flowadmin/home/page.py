"""The home page: what waits, what is due next, where the own requests are, what to start again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from flowadmin import clock
from flowadmin.directory import permissions
from flowadmin.home import charts
from flowadmin.home.counters import counters_of
from workflow import queries
from workflow.catalogue import favourites_of, published_in_order
from workflow.lists import next_due, often_started, often_started_by
from workflow.models import Instance
from workflow.pages import inbox_rows, mine
from workflow.pages.answers import page, reader
from workflow.published import definition_of
from workflow.runtime.starters import may_start

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from datetime import datetime

    from django.http import HttpRequest, HttpResponse

    from flowadmin.directory.models import User
    from workflow.models import Definition

MOST_LISTED = 5
MOST_TILES = 6
# On the first day: the most used ones, and no more to choose from (interface.md 7.2, Empty).
FIRST_TILES = 3


@dataclass(frozen=True, slots=True)
class Counted:
    """One of the counters: a link to the list that it counts, with a word of warning beside."""

    label: str
    count: int
    address: str
    icon: str
    warning: str = ""


@login_required
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """`/` (interface.md 7.2). Nothing of it is written, and each part is short."""
    user, now = reader(request), clock.now()
    counts = counters_of(user)
    running = queries.my_instances(user).filter(state=Instance.State.RUNNING)
    own = running.select_related("definition")[:MOST_LISTED]
    often = often_started_by(user)
    flows = published_in_order(user.tenant_id)
    favourites = favourites_of(user)
    context = {
        "counters": {"todo": counts["todo"]},
        "counted": list(_counted(counts)),
        "rows": inbox_rows.rows_of(user, next_due(user, now, MOST_LISTED), now, to_do=True),
        "mine": mine.rows_of(user, list(own), now),
        "tiles": list(_tiles(user, flows, favourites, often, now)),
        "has_favourites": bool(favourites),
        "first_use": not often,
        "may_design": permissions.has(user, permissions.FLOW_DESIGN),
        "has_processes": bool(flows),
        "slots": charts.slots_for(user),
    }
    return page(request, "home/home.html", context)


def _counted(counts: dict[str, int]) -> Iterator[Counted]:
    overdue = counts["overdue"]
    late = ngettext("%(count)d overdue", "%(count)d overdue", overdue) % {"count": overdue}
    yield Counted(_("To do"), counts["todo"], reverse("inbox"), "inbox", late if overdue else "")
    for label, name, address, icon in (
        (_("Unread notices"), "notices", "notices", "bell"),
        (_("My requests that run"), "mine_running", "mine", "send"),
        (_("Drafts"), "drafts", "drafts", "file-text"),
    ):
        try:
            yield Counted(label, counts[name], reverse(address), icon)
        except NoReverseMatch:
            continue  # this installation does not carry the page


def _tiles(
    user: User,
    flows: Sequence[Definition],
    favourites: Collection[int],
    often: Sequence[str],
    now: datetime,
) -> Iterator[tuple[str, str]]:
    """Key and name of the favourites, then of what this person, else everybody, starts often.

    Only what he may start now; ``flows`` are the processes of the tenant in their order.
    """
    by_key = {flow.key: flow for flow in flows}
    used = often or often_started(user.tenant_id)
    wanted = [flow for flow in flows if flow.pk in favourites]
    wanted += [by_key[key] for key in used if key in by_key and by_key[key].pk not in favourites]
    room = MOST_TILES if often or favourites else FIRST_TILES
    for flow in wanted:
        compiled = definition_of(flow.current_id or 0)
        if room and flow.state == flow.State.ACTIVE and may_start(compiled, user, now):
            room -= 1
            yield flow.key, flow.name
