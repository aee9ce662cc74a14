"""My requests: what a person has filed, how it stands, and who has it now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from flowadmin.templatetags.parts import span_in_words
from workflow import queries
from workflow.lists import due_of
from workflow.models import Instance
from workflow.offering import instance_verbs
from workflow.pages.answers import one_of, page, place_in, reader
from workflow.pages.copying import again_address
from workflow.pages.now_with import OpenStep, now_with, waiting_since
from workflow.published import definition_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

    from flowadmin.directory.models import User

State = Instance.State
TABS: dict[str, tuple[str, ...]] = {
    "running": (State.RUNNING,),
    "finished": (State.APPROVED, State.TERMINATED),
    "rejected": (State.REJECTED,),
    "withdrawn": (State.CANCELLED,),
    "all": (),
}


@dataclass(frozen=True, slots=True)
class MyRow:
    """One request as the list shows it.

    ``withdraw`` and ``again`` are addresses: of the panel that calls it off, and of a new request
    with the same values; empty where that is not possible now.
    """

    instance: Instance
    state: str
    steps: tuple[OpenStep, ...]
    waiting: str
    due: datetime | None
    now: datetime
    withdraw: str
    again: str


@login_required
@require_safe
def mine(request: HttpRequest) -> HttpResponse:
    """`/mine/?tab=running|finished|rejected|withdrawn|all`.

    Raises Problem 400 for any other tab or page.
    """
    user = reader(request)
    tab = one_of(request, "tab", TABS, "running")
    all_of_mine = queries.my_instances(user)
    chosen = of_tab(all_of_mine, tab)
    place = place_in(request, chosen.count())
    rows = chosen.select_related("definition")[place.start : place.stop]
    context = {
        "tab": tab,
        "rows": rows_of(user, list(rows), timezone.now()),
        "place": place,
        "any": place.count > 0 or all_of_mine.exists(),
    }
    return page(request, "workflow/mine.html", context)


def of_tab(rows: QuerySet[Instance], tab: str) -> QuerySet[Instance]:
    """The requests of one tab; ``tab`` is a key of ``TABS``."""
    states = TABS[tab]
    return rows.filter(state__in=states) if states else rows


def state_shown(instance: Instance) -> str:
    """The state of a request; while it runs, what keeps it from moving goes before."""
    if instance.state != State.RUNNING:
        return instance.state
    if instance.snapshot.get("paused"):
        return "paused"
    return "held" if instance.held else instance.state


def rows_of(user: User, instances: Sequence[Instance], now: datetime) -> list[MyRow]:
    """The rows of some requests of this person, with their processes read along."""
    holders, dues = now_with(instances), due_of(instances)
    rows = []
    for instance in instances:
        steps = tuple(holders[instance.pk])
        since = waiting_since(steps)
        rows.append(
            MyRow(
                instance=instance,
                state=state_shown(instance),
                steps=steps,
                waiting="" if since is None else span_in_words(now - since),
                due=dues.get(instance.pk),
                now=now,
                withdraw=_withdraw(user, instance),
                again="" if instance.state == State.RUNNING else again_address(instance),
            )
        )
    return rows


def _withdraw(user: User, instance: Instance) -> str:
    if instance.state != State.RUNNING:
        return ""
    state = queries.state_of(instance)
    if "withdraw" not in instance_verbs(user, definition_of(instance.version_id), state):
        return ""
    return reverse("request-act", args=[instance.pk, "withdraw"])
