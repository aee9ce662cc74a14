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
from flowadmin.home.counters import counters_of
from workflow import queries
from workflow.access import definition
from workflow.lists import next_due, often_started, often_started_by
from workflow.models import Instance
from workflow.pages import inbox_rows, mine
from workflow.pages.answers import page, reader
from workflow.published import definition_of
from workflow.runtime.starters import may_start

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from django.http import HttpRequest, HttpResponse

    from flowadmin.directory.models import User

MOST_LISTED = 5
MOST_TILES = 3


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
    context = {
        "counters": {"todo": counts["todo"]},
        "counted": list(_counted(counts)),
        "rows": inbox_rows.rows_of(user, next_due(user, now, MOST_LISTED), now, to_do=True),
        "mine": mine.rows_of(user, list(own), now),
        "tiles": _startable(user, often or often_started(user.tenant_id), now),
        "first_use": not often,
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


def _startable(user: User, keys: Iterable[str], now: datetime) -> list[tuple[str, str]]:
    """Key and name of the first few of these processes that this person may start now."""
    found: list[tuple[str, str]] = []
    for key in keys:
        row = definition(user, key)
        compiled = None if row.current_id is None else definition_of(row.current_id)
        is_open = row.state == row.State.ACTIVE
        if compiled is not None and is_open and may_start(compiled, user, now):
            found.append((row.key, row.name))
        if len(found) == MOST_TILES:
            break
    return found
