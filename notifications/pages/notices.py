"""The notices of a person: the list, opening one, and marking them as read or unread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponseRedirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from flowadmin import clock
from flowadmin.rest.problems import not_found
from notifications import access, queries
from notifications.actions import reading
from notifications.models import Notice
from notifications.wording import LOOKS, kind_text, sentence_of
from workflow.access import may_read
from workflow.pages.answers import SEE_OTHER, one_of, page, place_in, reader
from workflow.queries import MOST_COUNTED, inbox_count

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

KINDS = ("", *Notice.Kind.values)


@dataclass(frozen=True, slots=True)
class NoticeRow:
    """One notice as the list shows it."""

    notice: Notice
    title: str
    sentence: str
    kind: Any
    tone: str
    icon: str


@login_required
@require_safe
def notices(request: HttpRequest) -> HttpResponse:
    """`/notices/?kind=…`. Raises Problem 400 for a kind or page that is none."""
    user = reader(request)
    kind = one_of(request, "kind", KINDS, "")
    rows = queries.sent_to(user)
    if kind:
        rows = rows.filter(kind=kind)
    place = place_in(request, rows.count())
    todo = min(inbox_count(user), MOST_COUNTED)
    context = {
        "rows": [_row(each) for each in queries.shown(rows)[place.start : place.stop]],
        "place": place,
        "kind": kind,
        "kinds": [(each, kind_text(each)) for each in Notice.Kind.values],
        "here": request.GET.urlencode(),
        "box": "notices",
        "todo": todo,
        "counters": {"todo": todo},
    }
    return page(request, "notifications/notices.html", context)


def _row(notice: Notice) -> NoticeRow:
    tone, icon = LOOKS.get(notice.kind, ("neutral", "bell"))
    title = notice.instance.title if notice.instance is not None else notice.title
    return NoticeRow(notice, title, sentence_of(notice), kind_text(notice.kind), tone, icon)


@login_required
@require_safe
def open_notice(request: HttpRequest, pk: str) -> HttpResponse:
    """`/notices/<id>/`: to the page of its task, with the task's own permission check.

    Raises Problem 404 for what is nobody's, or another person's. Whoever may not read the request
    any more is told so on the list (seed 001: an old notice may belong to a task that has gone to
    somebody else). A look ahead by a browser (HEAD) marks nothing.
    """
    user = reader(request)
    notice = access.notice(user, pk)
    if request.method == "GET":
        reading.mark_read(user=user, pk=notice.pk, now=clock.now())
    if notice.instance_id is None or not may_read(user, notice.instance_id):
        text = _("The request of this notice is not open to you any more.")
        messages.info(request, text)
        return _to(reverse("notices"))
    address = reverse("request", args=[notice.instance_id])
    return _to(f"{address}?task={notice.task_id}" if notice.task_id is not None else address)


@login_required
@require_POST
def mark(request: HttpRequest, pk: str, mark: str) -> HttpResponse:
    """`/notices/<id>/read/` and `/notices/<id>/unread/`; back to the list as it was."""
    user = reader(request)
    notice = access.notice(user, pk)
    if mark == "read":
        reading.mark_read(user=user, pk=notice.pk, now=clock.now())
    elif mark == "unread":
        reading.mark_unread(user=user, pk=notice.pk)
    else:
        raise not_found()
    return _back(request)


@login_required
@require_POST
def read_all(request: HttpRequest) -> HttpResponse:
    """`/notices/read/`: all of them; back to the list as it was."""
    count = reading.mark_all_read(user=reader(request), now=clock.now())
    text = ngettext("%(count)d notice was unread.", "%(count)d notices were unread.", count)
    if count:
        messages.success(request, text % {"count": count})
    return _back(request)


def _back(request: HttpRequest) -> HttpResponse:
    """To the list with the kind and page that the form came from, as far as they make sense."""
    kept = {
        name: request.GET[name]
        for name, known in (("kind", KINDS), ("page", None))
        if name in request.GET and (request.GET[name] in known if known else _is_page(request))
    }
    return _to(reverse("notices") + (f"?{urlencode(kept)}" if kept else ""))


def _is_page(request: HttpRequest) -> bool:
    text = request.GET["page"]
    return text.isascii() and text.isdecimal() and 0 < len(text) <= 6


def _to(address: str) -> HttpResponse:
    response = HttpResponseRedirect(address)
    response.status_code = SEE_OTHER
    return response
