"""Middleware that gives every refusal one shape: a problem document, a page or a fragment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.utils.translation import gettext as _

from flowadmin.rest import pages
from flowadmin.rest.problems import Problem, of_status, problem_of, problem_response

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest, HttpResponse
    from django.http.response import HttpResponseBase

API_PREFIX = "/api/"


class ProblemPages:
    """Stands behind the session and language middleware and looks at each refusal.

    A :class:`~flowadmin.rest.problems.Problem` (and Http404, PermissionDenied, a busy
    database) raised by a page becomes a page or, for htmx, a fragment with the same status.
    Below ``/api/`` even an address that no view serves and a mistake of ours answer
    ``application/problem+json``.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        try:
            refuse_unreadable(request)
        except Problem as problem:
            return answer(request, problem)
        response = self.get_response(request)
        if _is_api(request) and _is_bare(response):
            bare = problem_response(of_status(response.status_code))
            for name in ("Allow", "Retry-After", "WWW-Authenticate"):
                if name in response:
                    bare[name] = response[name]
            return bare
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Answer a refusal raised by a view; a mistake of ours stays Django's to log."""
        problem = problem_of(exception)
        return None if problem is None else answer(request, problem)


def refuse_unreadable(request: HttpRequest) -> None:
    """Refuse what no view can read and some databases would choke on.

    Raises:
        Problem: 400 ``query.malformed`` for NUL in path or query; 411 ``body.length`` for a
            body in chunks, which WSGI would hand on as an empty one: a command must not run
            with a body that its sender did not mean; 413 ``body.too_large`` for a form that is
            larger than the installation reads.
    """
    query = request.META.get("QUERY_STRING", "")
    if "\x00" in request.path_info or "%00" in query or "\x00" in query:
        raise Problem(400, "query.malformed", _("The address holds a NUL character."))
    if "HTTP_TRANSFER_ENCODING" in request.META and not request.META.get("CONTENT_LENGTH"):
        raise Problem(411, "body.length", _("Send the body with a Content-Length."))
    length = request.META.get("CONTENT_LENGTH") or "0"
    form = request.content_type == "application/x-www-form-urlencoded"
    if form and length.isdecimal() and int(length) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
        raise Problem(413, "body.too_large", _("A form has at most 1 MiB."))


def answer(request: HttpRequest, problem: Problem) -> HttpResponse:
    """The problem in the shape that this caller reads: JSON below ``/api/``, HTML elsewhere."""
    if _is_api(request):
        return problem_response(problem)
    return pages.problem_page(request, problem)


def _is_api(request: HttpRequest) -> bool:
    return request.path_info.startswith(API_PREFIX)


def _is_bare(response: HttpResponseBase) -> bool:
    """Whether the framework answered an error by itself, in HTML or plain text."""
    media_type = response.headers.get("Content-Type", "")
    return response.status_code >= 400 and media_type.startswith(("text/html", "text/plain"))
