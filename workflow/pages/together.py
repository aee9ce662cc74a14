"""Deciding several tasks of the inbox at once: what would go along, and what became of each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from flowadmin import clock
from flowadmin.rest.idempotency import Stored, receipt_of_form
from flowadmin.rest.problems import Problem
from workflow import queries
from workflow.access import row_id
from workflow.actions import bulk
from workflow.models import Task
from workflow.offering import asks_for_comment
from workflow.pages.answers import go_on, is_fragment, new_key, reader
from workflow.pages.detail import handled_text
from workflow.pages.drafts import LONGEST_COMMENT
from workflow.pages.inbox import asked_in, show_list
from workflow.pages.inbox_rows import obstacle_of, rows_of
from workflow.published import definition_of
from workflow.wording.states import task_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from django.http import HttpRequest, HttpResponse
    from django.utils.safestring import SafeString

    from flowadmin.directory.models import User
    from workflow.pages.inbox import Asked
    from workflow.pages.inbox_rows import InboxRow

# interface.md 7.3: a page decides at most so many; REST takes more.
MOST = 50
ASKS = "ask:"


@dataclass(frozen=True, slots=True)
class Went:
    """What became of one task: ``text`` says how it was decided, or why it was not."""

    row: InboxRow
    done: bool
    text: str


@login_required
@require_POST
def together(request: HttpRequest) -> HttpResponse:
    """`/inbox/together/`: `act=ask:approve` asks first, `act=approve` decides.

    ``task`` are the chosen rows as `id:version`, ``back`` is the query of the list. Every task is
    a transaction of its own, with its own version and key (interface.md 7.3). Raises Problem 400
    for a form that was bent.
    """
    user, asks = reader(request), request.POST.get("act", "")
    action = asks.removeprefix(ASKS)
    if action not in bulk.ACTIONS:
        raise Problem(400, "request.invalid", _("The form does not say what to do."))
    chosen = _chosen(request)
    asked = asked_in(QueryDict(request.POST.get("back", "")))
    rows = _rows(user, chosen)
    if asks.startswith(ASKS):
        return _ask(request, asked, action, rows)
    return _decide(request, user, asked, action, rows, chosen)


def _chosen(request: HttpRequest) -> dict[int, int]:
    """The chosen tasks with the versions that were seen. Raises Problem 400."""
    found: dict[int, int] = {}
    for text in request.POST.getlist("task"):
        task, _colon, version = text.partition(":")
        if not (version.isascii() and version.isdecimal() and len(version) <= 9):
            raise Problem(400, "request.invalid", _("The form was sent without its version."))
        found[row_id(task)] = int(version)
    return found


def _rows(user: User, chosen: dict[int, int]) -> list[InboxRow]:
    """The rows of the chosen tasks that are the reader's own, open or not, newest first."""
    own = Task.objects.filter(
        pk__in=list(chosen)[: bulk.MOST_TOGETHER], holder=user.pk, tenant_id=user.tenant_id
    )
    lines = queries.task_lines(own.order_by("-id"))
    return rows_of(user, lines, timezone.now(), to_do=True)


# Asking first ---------------------------------------------------------------------------------


def _ask(request: HttpRequest, asked: Asked, action: str, rows: list[InboxRow]) -> HttpResponse:
    """The dialog: which go along, which do not and why, and one reason for all of them."""
    obstacles = [(row, obstacle_of(row, action)) for row in rows]
    going = [row for row, obstacle in obstacles if not obstacle]
    context: dict[str, Any] = {
        "ask": action,
        "going": going,
        "left": [(row, obstacle) for row, obstacle in obstacles if obstacle],
        "title": _title(action, len(going)),
        "too_many": len(rows) > MOST,
        "most": MOST,
        "reason_needed": any(_needs_reason(row, action) for row in going),
        "longest_comment": LONGEST_COMMENT,
        "key": new_key(),
        "asked": asked,
        "is_page": not is_fragment(request),
    }
    if not is_fragment(request):
        request.GET = QueryDict(asked.query)
        picked = [row.line.id for row in rows]
        return show_list(request, asked, picked=picked, together=context)
    response = render(request, "workflow/together.html", {"together": context})
    response.headers["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["HX-Request", "Cookie", "Accept-Language"])
    return response


def _needs_reason(row: InboxRow, action: str) -> bool:
    return asks_for_comment(definition_of(row.line.version_id), row.line.step, action)


def _title(action: str, count: int) -> str:
    texts = {
        "approve": ngettext("Approve %(count)d request", "Approve %(count)d requests", count),
        "reject": ngettext("Reject %(count)d request", "Reject %(count)d requests", count),
        "complete": ngettext("Complete %(count)d task", "Complete %(count)d tasks", count),
    }
    return texts[action] % {"count": count}


# Deciding -------------------------------------------------------------------------------------


def _decide(
    request: HttpRequest,
    user: User,
    asked: Asked,
    action: str,
    rows: list[InboxRow],
    chosen: dict[int, int],
) -> HttpResponse:
    if len(rows) > MOST:
        text = _("At most %(most)d requests can be decided together.") % {"most": MOST}
        raise Problem(422, "bulk.too_many", text, most=MOST)
    comment = _comment(request)
    found = bulk.decide_together(
        user=user,
        action=action,
        rows=[bulk.Row(str(row.line.id), chosen[row.line.id], comment) for row in rows],
        now=clock.now(),
        receipt=receipt_of_form(request, "pages.together"),
    )
    results = json.loads(found.body)["results"] if isinstance(found, Stored) else found
    went = _went(action, rows, results)
    failed = [each for each in went if not each.done]
    if not is_fragment(request):
        for each in failed:
            messages.warning(request, _linked([each]))
        done = _linked(each for each in went if each.done)
        messages.success(request, format_html("{} {}", summary_of(action, went), done))
        return go_on(request, asked.address)
    # The list stands in its own address; only its inside is made anew here.
    request.GET = QueryDict(asked.query)
    return show_list(
        request,
        asked,
        picked=[each.row.line.id for each in failed],
        # What failed comes first: that is what is left to do.
        went=[*failed, *(each for each in went if each.done)],
        went_text=summary_of(action, went),
        went_well=not failed,
    )


def _comment(request: HttpRequest) -> str:
    """The one reason that goes along with all of them. Raises Problem 400 for no text."""
    comment = request.POST.get("comment", "").replace("\r\n", "\n").strip()
    if len(comment) > LONGEST_COMMENT or "\x00" in comment:
        raise Problem(400, "request.invalid", _("The comment cannot be read."))
    return comment


def _went(action: str, rows: Sequence[InboxRow], results: Sequence[dict[str, Any]]) -> list[Went]:
    by_task = {str(each["task"]): each for each in results}
    found = [(row, by_task[str(row.line.id)]) for row in rows]
    return [
        Went(row, bool(result["ok"]), _ENDED[action]() if result["ok"] else _why(result))
        for row, result in found
    ]


_ENDED: Mapping[str, Callable[[], str]] = {
    "approve": lambda: task_state(Task.State.APPROVED),
    "reject": lambda: task_state(Task.State.REJECTED),
    "complete": lambda: task_state(Task.State.DONE),
}


def _linked(went: Iterable[Went]) -> SafeString:
    """Each request as a link with what became of it, for a message on the next page."""
    rows = ((each.row.address, each.row.line.title, each.text) for each in went)
    return format_html_join(" · ", '<a href="{}">{}</a>: {}', rows)


def _why(result: dict[str, Any]) -> str:
    """Why a task was not decided; by whom it was before, where somebody was faster."""
    problem = result["problem"] or {}
    if problem.get("handled_at"):
        return handled_text(str(problem.get("decision") or ""), problem.get("handled_by"))
    return str(result["message"])


def summary_of(action: str, went: Sequence[Went]) -> str:
    """`9 approved · 1 not decided`, in this language."""
    done = sum(each.done for each in went)
    texts = {
        "approve": ngettext("%(count)d approved", "%(count)d approved", done),
        "reject": ngettext("%(count)d rejected", "%(count)d rejected", done),
        "complete": ngettext("%(count)d completed", "%(count)d completed", done),
    }
    parts = [texts[action] % {"count": done}]
    left = len(went) - done
    if left:
        text = ngettext("%(count)d not decided", "%(count)d not decided", left)
        parts.append(text % {"count": left})
    return " · ".join(parts)
