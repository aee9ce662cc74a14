"""The box of design drafts: begin, go on, duplicate, compare, publish, delete with a way back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from flowadmin import clock
from flowadmin.directory import permissions
from flowadmin.rest.idempotency import answer_once, receipt_of_form
from flowadmin.rest.problems import Problem
from workflow import access, drafted
from workflow.actions import design_drafts as actions
from workflow.engine.differing import counted
from workflow.forms.scalars import says_something
from workflow.models import Draft, Instance
from workflow.pages import deleting, gallery
from workflow.pages.answers import go_on, new_key, page, place_in, reader, sent_version
from workflow.wording.differing import in_one_line, tell_differences

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from django.http import HttpRequest, HttpResponse

    from flowadmin.directory.models import User
    from workflow.models import Version

PAGE = "design-drafts"
KIND = Draft.Kind.DESIGN
LONGEST_NOTE = 500


@dataclass(frozen=True, slots=True)
class Line:
    """One draft as the list shows it; ``live`` is the number of the version that is live now."""

    draft: Draft
    live: int | None
    moved: bool


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def design_drafts(request: HttpRequest) -> HttpResponse:
    """`/design/drafts/`: one's own designs, the one saved last first (interface.md 7.8).

    A POST begins one (``template``), copies one (``copy``), deletes, or puts back. Raises Problem
    403 without the permission to design.
    """
    user, now = reader(request), clock.now()
    access.require(user, permissions.FLOW_DESIGN)
    if request.method == "POST":
        return _act(request, user, now)
    rows = drafted.drafts_of(user, KIND)
    place = place_in(request, rows.count())
    context = {
        "rows": _lines(user, list(rows[place.start : place.stop])),
        "place": place,
        "gone": deleting.just_gone(request.GET, user, KIND, now),
        "gallery": gallery.entries(),
        "key": new_key(),
        "may_publish": permissions.has(user, permissions.FLOW_PUBLISH),
    }
    return page(request, "workflow/drafts/designs.html", context)


def _act(request: HttpRequest, user: User, now: datetime) -> HttpResponse:
    if "template" in request.POST or "copy" in request.POST:
        return _begin(request, user, now)
    act = deleting.undo if request.POST.get("act") == "undo" else deleting.delete
    return act(request, user, KIND, PAGE, now)


def _begin(request: HttpRequest, user: User, now: datetime) -> HttpResponse:
    """A new draft, once for the form that was sent; on to the designer."""
    copied = request.POST.get("copy", "")
    template = request.POST.get("template", actions.BLANK)
    if not copied and template not in actions.TEMPLATES:
        raise Problem(400, "request.invalid", _("The form does not say what to do."))

    def make() -> tuple[int, dict[str, str]]:
        if copied:
            draft = access.design_draft(user, access.row_id(copied))
            return 201, {"draft": str(actions.duplicate(user=user, draft=draft, now=now).pk)}
        return 201, {"draft": str(actions.from_template(user=user, template=template, now=now).pk)}

    answer = answer_once(receipt_of_form(request, "pages.design_drafts"), now, make)
    draft = msgspec.json.decode(answer.content)["draft"]
    return go_on(request, reverse(PAGE) if copied else reverse("designer", args=[draft]))


def _lines(user: User, rows: Sequence[Draft]) -> list[Line]:
    live = drafted.live_versions(user.tenant_id, [row.flow_key or "" for row in rows])
    lines = []
    for row in rows:
        number, digest = live.get(row.flow_key or "", (None, None))
        lines.append(Line(row, number, drafted.is_behind(row, digest)))
    return lines


@login_required
@require_safe
def compare(request: HttpRequest, pk: str) -> HttpResponse:
    """`/design/drafts/<id>/compare/`: what the draft changes in the live version, in words.

    Raises Problem 404 for another's draft, 403 without the permission.
    """
    user = reader(request)
    draft = access.design_draft(user, access.row_id(pk))
    context = _compared(user, draft)
    context["may_publish"] = permissions.has(user, permissions.FLOW_PUBLISH)
    return page(request, "workflow/drafts/compare.html", context)


def _compared(user: User, draft: Draft) -> dict[str, Any]:
    live = drafted.live_version(user.tenant_id, draft.flow_key)
    found = () if live is None else drafted.changes(draft, live)
    return {
        "draft": draft,
        "live": live,
        "moved": drafted.is_behind(draft, None if live is None else live.digest),
        "summary": in_one_line(counted(found)),
        "differences": tell_differences(found),
        "others": drafted.others(draft),
    }


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def publish(request: HttpRequest, pk: str) -> HttpResponse:
    """`/design/drafts/<id>/publish/`: the changes, a note, and publishing (interface.md 7.9).

    A publication by somebody else since the page was opened is told with the new differences
    before anything is published. Raises Problem 404, 403.
    """
    user = reader(request)
    draft = access.design_draft(user, access.row_id(pk))
    access.require(user, permissions.FLOW_PUBLISH)
    if request.method != "POST":
        return _publish_page(request, user, draft)
    return _publish(request, user, draft)


def _publish(request: HttpRequest, user: User, draft: Draft) -> HttpResponse:
    note = request.POST.get("note", "").replace("\x00", "").strip()[:LONGEST_NOTE]
    over, seen = sent_version(request, "over"), sent_version(request, "version")
    receipt, now = receipt_of_form(request, "pages.publish_draft"), clock.now()

    def act() -> tuple[int, dict[str, Any]]:
        if not says_something(note):
            raise Problem(422, "note.required", _("Say what is new: it stands in the history."))
        drafted.require_over(drafted.live_version(user.tenant_id, draft.flow_key), over)
        version, _new = actions.publish(user=user, draft=draft, seen=seen, note=note, now=now)
        return 201, {"key": version.definition.key, "number": version.number}

    try:
        answer = answer_once(receipt, now, act)
    except Problem as problem:
        if problem.status not in (409, 412, 422):
            raise
        draft.refresh_from_db()
        return _publish_page(request, user, draft, note=note, problem=problem)
    done = msgspec.json.decode(answer.content)
    messages.success(
        request,
        _("Version %(number)d is published. New requests begin with it.") % done,
    )
    return go_on(request, reverse("process", args=[done["key"]]))


def _publish_page(
    request: HttpRequest,
    user: User,
    draft: Draft,
    *,
    note: str = "",
    problem: Problem | None = None,
) -> HttpResponse:
    context = _compared(user, draft)
    live: Version | None = context["live"]
    running = Instance.objects.filter(
        tenant_id=user.tenant_id,
        definition__key=draft.flow_key or "",
        state=Instance.State.RUNNING,
    )
    context |= {
        "key": new_key(),
        "over": 0 if live is None else live.number,
        "running": running.count(),
        "note": note,
        "refused": "" if problem is None else problem.detail,
        "errors": () if problem is None else problem.errors or (),
    }
    return page(
        request,
        "workflow/drafts/publish.html",
        context,
        status=200 if problem is None else problem.status,
    )
