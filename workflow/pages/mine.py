"""My requests: what a person has filed, how it stands, and who has it now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.utils import timezone
from django.views.decorators.http import require_safe

from flowadmin.templatetags.parts import span_in_words
from workflow import queries
from workflow.models import Instance
from workflow.pages.answers import one_of, page, place_in, reader
from workflow.pages.now_with import OpenStep, now_with, waiting_since

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

State = Instance.State
TABS: dict[str, tuple[str, ...]] = {
    "running": (State.RUNNING,),
    "finished": (State.APPROVED, State.CANCELLED, State.TERMINATED),
    "rejected": (State.REJECTED,),
    "all": (),
}


@dataclass(frozen=True, slots=True)
class MyRow:
    """One request as the list shows it."""

    instance: Instance
    state: str
    steps: tuple[OpenStep, ...]
    waiting: str


@login_required
@require_safe
def mine(request: HttpRequest) -> HttpResponse:
    """`/mine/?tab=running|finished|rejected|all`. Raises Problem 400 for any other tab or page."""
    user = reader(request)
    tab = one_of(request, "tab", TABS, "running")
    all_of_mine = queries.my_instances(user)
    chosen = _of_tab(all_of_mine, tab)
    place = place_in(request, chosen.count())
    rows = chosen.select_related("definition")[place.start : place.stop]
    context = {
        "tab": tab,
        "rows": _rows(list(rows), timezone.now()),
        "place": place,
        "any": place.count > 0 or all_of_mine.exists(),
    }
    return page(request, "workflow/mine.html", context)


def _of_tab(rows: QuerySet[Instance], tab: str) -> QuerySet[Instance]:
    states = TABS[tab]
    return rows.filter(state__in=states) if states else rows


def _rows(instances: Sequence[Instance], now: datetime) -> list[MyRow]:
    holders = now_with(instances)
    rows = []
    for instance in instances:
        steps = tuple(holders[instance.pk])
        since = waiting_since(steps)
        is_held = instance.held and instance.state == State.RUNNING
        rows.append(
            MyRow(
                instance=instance,
                state="held" if is_held else instance.state,
                steps=steps,
                waiting="" if since is None else span_in_words(now - since),
            )
        )
    return rows
