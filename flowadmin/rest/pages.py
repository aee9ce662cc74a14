"""Pages about refusals: the page of a problem, the catalogue of codes, Django's error views."""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING, Any

from django.http import HttpResponse
from django.shortcuts import render
from django.template import TemplateDoesNotExist, loader
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from flowadmin.rest import catalogue
from flowadmin.rest.problems import Problem, not_found, of_status, problem_of, problem_response

if TYPE_CHECKING:
    from django.http import HttpRequest

_log = logging.getLogger("flowadmin.rest")


def problem_page(request: HttpRequest, problem: Problem) -> HttpResponse:
    """The problem as a page with its status, or as a fragment for htmx.

    From 500 upwards the page has no navigation and asks nobody who is signed in: the database
    that would know may be what failed.
    """
    is_fragment = request.headers.get("HX-Request") == "true"
    ours = problem.status >= 500 or not hasattr(request, "user")
    context = {
        "problem": problem.document(),
        "described": catalogue.description_of(problem.code) is not None,
        "base_template": "plain.html" if ours else "base.html",
    }
    return HttpResponse(
        _rendered(
            "components/problem.html" if is_fragment else "problem.html",
            context,
            None if ours else request,
        ),
        status=problem.status,
        headers={"Cache-Control": "no-store", "Vary": "HX-Request", **problem.headers},
    )


def _rendered(template: str, context: dict[str, Any], request: HttpRequest | None) -> str:
    try:
        return loader.render_to_string(template, context, request)
    except Exception as error:
        # An error page must not fail for the reason it reports; the cause is in the log.
        if isinstance(error, TemplateDoesNotExist):
            raise
        _log.exception("The page of a problem could not be rendered.")
        shown = context["problem"]
        return format_html(
            "<!doctype html><title>{}</title><h1>{}</h1><p>{}</p><p>{}</p>",
            shown["title"],
            shown["title"],
            shown["detail"],
            shown["instance"],
        )


@require_safe
def explain(request: HttpRequest, code: str) -> HttpResponse:
    """The public page that a problem's ``type`` names.

    Raises:
        Problem: 404 ``not_found`` for a code that nobody described.
    """
    entry = catalogue.description_of(code)
    if entry is None:
        raise not_found()
    return render(request, "problem_codes.html", {"entries": [entry], "entry": entry})


@require_safe
def explain_all(request: HttpRequest) -> HttpResponse:
    """The public list of all codes."""
    return render(request, "problem_codes.html", {"entries": catalogue.described()})


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django's ``handler400``."""
    return _bare(request, of_status(400))


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django's ``handler403``."""
    return _bare(request, of_status(403))


def missing(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django's ``handler404``."""
    return _bare(request, not_found())


def failed(request: HttpRequest) -> HttpResponse:
    """Django's ``handler500``: the number of the request, nothing of the inside.

    A database that is away is met by the first middleware that asks who is signed in; Django
    calls this view while it handles that error, so it can still be answered as 503.
    """
    cause = sys.exc_info()[1]
    problem = problem_of(cause) if cause is not None else None
    if problem is None or problem.status < 500:
        problem = of_status(500)
    return _bare(request, problem)


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's ``CSRF_FAILURE_VIEW``; the reason is logged by Django and not shown."""
    detail = _("The request did not come from our own page. Reload it and try again.")
    return _bare(request, Problem(403, "csrf.failed", detail))


def _bare(request: HttpRequest, problem: Problem) -> HttpResponse:
    if request.path_info.startswith("/api/"):
        return problem_response(problem)
    return problem_page(request, problem)
