"""The box of application drafts: go on filling in, or delete with a way back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.db.models import Sum
from django.views.decorators.http import require_http_methods

from flowadmin import clock
from flowadmin.files.models import File
from workflow import drafted
from workflow.models import Definition, Draft
from workflow.pages import deleting
from workflow.pages.answers import page, place_in, reader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.http import HttpRequest, HttpResponse

    from flowadmin.directory.models import User

PAGE = "drafts"
KIND = Draft.Kind.APPLICATION


@dataclass(frozen=True, slots=True)
class Line:
    """One draft as the list shows it; ``live`` is the number of the version that is live now."""

    draft: Draft
    flow: str
    live: int | None
    restorable: bool
    size: int


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def drafts(request: HttpRequest) -> HttpResponse:
    """`/drafts/`: one's own, the one saved last first (interface.md 7.7).

    A POST deletes one or several, or puts back what was just deleted.
    """
    user, now = reader(request), clock.now()
    if request.method == "POST":
        act = deleting.undo if request.POST.get("act") == "undo" else deleting.delete
        return act(request, user, KIND, PAGE, now)
    rows = drafted.drafts_of(user, KIND)
    place = place_in(request, rows.count())
    context = {
        "rows": _lines(user, list(rows[place.start : place.stop])),
        "place": place,
        "gone": deleting.just_gone(request.GET, user, KIND, now),
    }
    return page(request, "workflow/drafts/applications.html", context)


def _lines(user: User, rows: Sequence[Draft]) -> list[Line]:
    keys = {row.flow_key or "" for row in rows}
    live = drafted.live_versions(user.tenant_id, keys)
    names = dict(
        Definition.objects.filter(tenant_id=user.tenant_id, key__in=keys).values_list(
            "key", "name"
        )
    )
    lines = []
    for row in rows:
        key = row.flow_key or ""
        number, digest = live.get(key, (None, None))
        restorable = digest is not None and digest == row.deployment_id
        lines.append(Line(row, names.get(key, key), number, restorable, _size(user, row)))
    return lines


def _size(user: User, draft: Draft) -> int:
    """Bytes of the files that the draft holds; most hold none, and ask nothing."""
    ids = draft.files.split()
    if not ids:
        return 0
    found = File.objects.filter(tenant_id=user.tenant_id, owner_id=user.pk, id__in=ids)
    return found.aggregate(total=Sum("size"))["total"] or 0
