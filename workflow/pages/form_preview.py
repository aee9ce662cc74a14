"""`/design/form-preview`: the form of a draft as the server would show it to an initiator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.decorators import login_required
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_POST

from flowadmin.directory import permissions
from flowadmin.rest.front_door import parse
from workflow import access
from workflow.forms.formdoc import defaults
from workflow.forms.reading import decode_form
from workflow.forms.rights import effective
from workflow.pages.answers import language_of_page, reader
from workflow.pages.forms import ValuesForm, read_rows
from workflow.pages.known import outside_of
from workflow.wording.findings import worded

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

DOCUMENT_DEPTH = 64  # contract, "A task is one seat"


@login_required
@require_POST
def form_preview(request: HttpRequest) -> HttpResponse:
    """The body is a form document; the answer is a fragment. Nothing is stored or looked at twice.

    A form that cannot be read yet is answered with the list of its problems: half a form is what
    a designer shows here at every second key, and no failed request. Raises Problem 403 without
    `flow.design`; 400 and 413 for a body that is no acceptable JSON (interface.md 6).
    """
    user = reader(request)
    access.require(user, permissions.FLOW_DESIGN)
    form, findings = decode_form(parse(request.body, max_depth=DOCUMENT_DEPTH))
    if form is None:
        return _answer(request, {"problems": worded(findings)})
    rights = effective("edit", {}, form)
    values = defaults(form)
    outside = outside_of(user, form, values)
    language = language_of_page()
    shown = ValuesForm(form, rights, values, language=language, prefix="preview", outside=outside)
    rows = read_rows(form, rights, values, language, outside)
    return _answer(request, {"form": shown, "rows": rows, "is_empty": not form.fields})


def _answer(request: HttpRequest, context: dict[str, object]) -> HttpResponse:
    response = render(request, "workflow/design/_form_preview.html", context)
    response.headers["Cache-Control"] = "private, no-store"
    patch_vary_headers(response, ["Cookie", "Accept-Language"])
    return response
