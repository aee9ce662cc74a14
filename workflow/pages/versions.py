"""One version of a process beside an older one, and what is done with versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from flowadmin import clock
from flowadmin.directory import permissions
from flowadmin.rest.idempotency import answer_once, receipt_of_form
from flowadmin.rest.problems import Problem
from workflow import access, drafted
from workflow.actions import design_drafts, publishing, versions
from workflow.engine.differing import counted
from workflow.models import Version
from workflow.pages.answers import go_on, page, reader
from workflow.pages.flow_picture import picture
from workflow.pages.processes import process_context
from workflow.published import definition_of
from workflow.wording.differing import in_one_line, tell_differences

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from django.http import HttpRequest

    from flowadmin.directory.models import User
    from workflow.models import Definition

    Act = Callable[[User, Definition, Mapping[str, str], datetime], dict[str, Any]]

LONGEST_REASON = 2000


def version_of(flow: Definition, number: str) -> Version:
    """A published version of a process by its number. Raises Problem 404."""
    wanted = access.row_id(number)
    rows = Version.objects.filter(definition=flow).select_related("published_by")
    found = rows.filter(number=wanted).first()
    if found is None:
        raise Problem(404, "version.unknown", _("There is no such version."))
    return found


@login_required
@require_safe
def version_page(request: HttpRequest, key: str, number: str) -> HttpResponse:
    """`/processes/<key>/versions/<n>/?against=<m>`: what a version is, and what it changed.

    Raises Problem 403, 404.
    """
    user = reader(request)
    access.require_any(user, *access.OF_FLOWS)
    flow = access.definition(user, key)
    version = version_of(flow, number)
    against = request.GET.get("against", "")
    older = version_of(flow, against) if against else _before(version)
    found = () if older is None else drafted.between(older, version)
    context = {
        "flow": flow,
        "version": version,
        "is_current": version.pk == flow.current_id,
        "older": older,
        "numbers": list(
            Version.objects.filter(definition=flow)
            .exclude(pk=version.pk)
            .order_by("-number")
            .values_list("number", flat=True)
        ),
        "summary": in_one_line(counted(found)),
        "differences": tell_differences(found),
        "cards": picture(definition_of(version.pk), user.tenant_id),
    }
    return page(request, "workflow/processes/version.html", context)


def _before(version: Version) -> Version | None:
    rows = Version.objects.filter(definition=version.definition_id, number__lt=version.number)
    return rows.order_by("-number").first()


@login_required
@require_safe
def export(request: HttpRequest, key: str) -> HttpResponse:
    """`/processes/<key>/export/?version=<n>`: document and form as a file that import takes."""
    user = reader(request)
    access.require_any(user, *access.OF_FLOWS)
    flow = access.definition(user, key)
    number = request.GET.get("version", "")
    version = version_of(flow, number) if number else flow.current
    if version is None:
        raise Problem(404, "version.unknown", _("There is no such version."))
    body = {"document": drafted.document_of(version), "form": drafted.form_of(version)}
    text = msgspec.json.format(msgspec.json.encode(body), indent=2)
    response = HttpResponse(text, content_type="application/json")
    name = f"{flow.key}-v{version.number}.json"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


# Acts -----------------------------------------------------------------------------------------


@login_required
@require_POST
def act(request: HttpRequest, key: str, verb: str) -> HttpResponse:
    """`/processes/<key>/acts/<verb>/`: carried out once for the key of its form.

    Raises Problem 403, 404 as the actions do; 409 and 422 are told on the process's page.
    """
    user = reader(request)
    if verb not in _ACTS:
        raise Problem(404, "not_found", _("It does not exist, or you may not know of it."))
    permission, carry_out = _ACTS[verb]
    access.require_any(user, *access.OF_FLOWS)
    flow = access.definition(user, key)
    access.require(user, permission)
    receipt, now = receipt_of_form(request, f"pages.process.{verb}"), clock.now()
    said = {
        "reason": request.POST.get("comment", "")[:LONGEST_REASON],
        "version": request.POST.get("version", ""),
    }
    try:
        answer = answer_once(receipt, now, lambda: (200, carry_out(user, flow, said, now)))
    except Problem as problem:
        if problem.status not in (409, 422):
            raise
        return _refused(request, user, flow, problem)
    done = msgspec.json.decode(answer.content)
    if "draft" in done:
        return go_on(request, reverse("designer", args=[done["draft"]]))
    messages.success(request, _DONE[verb]() % {"name": flow.name, "version": done["version"]})
    return go_on(request, reverse("process", args=[flow.key]))


def _refused(request: HttpRequest, user: User, flow: Definition, problem: Problem) -> HttpResponse:
    """The page of the process as it is now, with what stood in the way."""
    flow.refresh_from_db()
    context = {**process_context(user, flow), "refused": problem.detail}
    context["problems"] = problem.errors or ()
    return page(request, "workflow/processes/process.html", context, status=problem.status)


def _suspend(
    user: User, flow: Definition, said: Mapping[str, str], now: datetime
) -> dict[str, Any]:
    versions.suspend(user=user, definition=flow, reason=said["reason"], now=now)
    return {"version": 0}


def _resume(
    user: User, flow: Definition, said: Mapping[str, str], now: datetime
) -> dict[str, Any]:
    versions.resume(user=user, definition=flow, reason=said["reason"], now=now)
    return {"version": 0}


def _undo(user: User, flow: Definition, said: Mapping[str, str], now: datetime) -> dict[str, Any]:
    found = versions.undo_publish(user=user, definition=flow, reason=said["reason"], now=now)
    return {"version": found.number}


def _publish_again(
    user: User, flow: Definition, said: Mapping[str, str], now: datetime
) -> dict[str, Any]:
    """New requests begin with another version again; no version is rewritten (invariant 12).

    Raises Problem: 409 version.is_live, 422 reason.required, and as publishing does.
    """
    version = version_of(flow, said["version"])
    with transaction.atomic():
        # Behind the lock: of two who press at once the second is told that it is live.
        versions.lock(flow)
        versions.require_other(definition=flow, version=version, reason=said["reason"])
        published, _is_new = publishing.publish(
            user=user,
            document=drafted.document_of(version),
            form=drafted.form_of(version),
            note=said["reason"],
            now=now,
        )
    return {"version": published.number}


def _draft(user: User, flow: Definition, said: Mapping[str, str], now: datetime) -> dict[str, Any]:
    """A draft to go on with: of a version that is named, else the person's own newest one."""
    if said["version"]:
        version = version_of(flow, said["version"])
        found = design_drafts.from_version(user=user, version=version, now=now)
    else:
        found = design_drafts.open_or_make(user=user, definition=flow, now=now)
    return {"draft": str(found.pk)}


_ACTS: Mapping[str, tuple[str, Act]] = {
    "suspend": (permissions.FLOW_PUBLISH, _suspend),
    "resume": (permissions.FLOW_PUBLISH, _resume),
    "undo": (permissions.FLOW_PUBLISH, _undo),
    "publish": (permissions.FLOW_PUBLISH, _publish_again),
    "draft": (permissions.FLOW_DESIGN, _draft),
}
_DONE: Mapping[str, Callable[[], str]] = {
    "suspend": lambda: _("“%(name)s” accepts no new requests. Those that run go on."),
    "resume": lambda: _("“%(name)s” accepts requests again."),
    "undo": lambda: _("New requests of “%(name)s” begin with version %(version)d again."),
    "publish": lambda: _("New requests of “%(name)s” begin with version %(version)d."),
}
