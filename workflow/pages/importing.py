"""Taking in a process file: what was carried and what was not, and a draft to go on with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from flowadmin import clock
from flowadmin.directory import permissions
from flowadmin.rest import front_door
from flowadmin.rest.idempotency import answer_once, receipt_of_form
from flowadmin.rest.problems import Problem
from workflow import access
from workflow.actions import design_drafts, importing
from workflow.importing import detecting
from workflow.importing.mapping import NO_MAPPING
from workflow.pages.answers import go_on, new_key, page, reader
from workflow.wording.import_texts import worded

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from flowadmin.directory.models import User
    from workflow.importing.report import Carried

LARGEST = 1024 * 1024
# As deep as a chain of nodes in each other is that the command takes, too.
DEEPEST = 300
FORMATS = {
    "auto": gettext_lazy("Find out by itself"),
    "flowdoc": "FlowAdmin",
    "flowlong": "FlowLong",
    "workflow_vue3": "Workflow-Vue3",
    "antflow": "AntFlow",
}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def import_process(request: HttpRequest) -> HttpResponse:
    """`/processes/import/`: a file becomes a draft; a report says what could not be carried.

    Nothing is stored when anything of the file was lost. Raises Problem 403.
    """
    user = reader(request)
    access.require(user, permissions.FLOW_DESIGN)
    if request.method != "POST":
        return _page(request)
    upload = request.FILES.get("file")
    source = request.POST.get("source", "auto")
    if upload is None or source not in FORMATS:
        return _page(request, status=422, refused=_("Choose a file."))
    if upload.size is None or upload.size > LARGEST:
        return _page(request, status=413, refused=_("The file is larger than 1 MiB."))
    try:
        value = front_door.parse(upload.read(), max_depth=DEEPEST)
    except Problem as problem:
        return _page(request, status=422, refused=str(problem.detail))
    carried = detecting.convert(value, source, NO_MAPPING)
    judged = importing.judge(user.tenant, carried)
    found = worded(judged.findings)
    if not judged.ok or carried.document is None:
        return _page(request, status=422, findings=found, name=upload.name)
    return _keep(request, user, carried, found)


def _keep(
    request: HttpRequest, user: User, carried: Carried, found: list[dict[str, Any]]
) -> HttpResponse:
    """The draft, once for the key of the form."""
    now = clock.now()

    def make() -> tuple[int, dict[str, str]]:
        design = design_drafts.Design(carried.document or {}, carried.form)
        draft = design_drafts.create(user=user, design=design, now=now)
        return 201, {"draft": str(draft.pk)}

    answer = answer_once(receipt_of_form(request, "pages.import"), now, make)
    address = reverse("designer", args=[msgspec.json.decode(answer.content)["draft"]])
    if not found:
        messages.success(request, _("Everything in the file was carried."))
        return go_on(request, address)
    return _page(request, findings=found, draft=address)


def _page(request: HttpRequest, *, status: int = 200, **context: Any) -> HttpResponse:
    shown = {"formats": FORMATS, "key": new_key(), **context}
    return page(request, "workflow/processes/import.html", shown, status=status)
