"""What our pages answer with: pages or fragments, the way on, and parameters that were read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.functional import SimpleLazyObject
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from flowadmin.directory.models import User
from flowadmin.rest.pagination import read_page
from flowadmin.rest.problems import Problem
from workflow import queries

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from django.http import HttpRequest

SEE_OTHER = 303


def reader(request: HttpRequest) -> User:
    """The signed-in person; the views stand behind ``login_required``."""
    user = request.user
    if not isinstance(user, User):
        message = "A page that shows rows was reached without signing in."
        raise TypeError(message)
    return user


def is_fragment(request: HttpRequest) -> bool:
    """Whether htmx asks for the inside of the page only."""
    return request.headers.get("HX-Request") == "true"


def language_of_page() -> str:
    """The language in which this answer is written."""
    return get_language() or "en"


def page(
    request: HttpRequest, template: str, context: Mapping[str, Any], *, status: int = 200
) -> HttpResponse:
    """The page, or for htmx its inside: `base.html` decides (interface.md 9.1)."""
    shown = {"counters": _counters(request), **context}
    response = render(request, template, shown, status=status)
    response.headers["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["HX-Request", "Cookie", "Accept-Language"])
    return response


def _counters(request: HttpRequest) -> Any:
    """The numbers beside the inbox and the drafts, counted only when they are shown."""
    user = reader(request)
    return SimpleLazyObject(
        lambda: {
            "todo": min(queries.inbox_count(user), queries.MOST_COUNTED),
            "drafts": queries.draft_count(user),
        }
    )


def go_on(request: HttpRequest, address: str) -> HttpResponse:
    """Leave for another page after a POST; htmx is told so, or it would swap that page in."""
    if is_fragment(request):
        response = HttpResponse(status=204, headers={"HX-Redirect": address})
    else:
        response = HttpResponseRedirect(address)
        response.status_code = SEE_OTHER
    patch_vary_headers(response, ["HX-Request"])
    return response


def new_key() -> str:
    """An idempotency key for the form that is rendered now; a retry sends it again."""
    return str(uuid4())


@dataclass(frozen=True, slots=True)
class Place:
    """Which page of a list is shown."""

    page: int
    size: int
    count: int

    @property
    def start(self) -> int:
        """Rows before this page."""
        return (self.page - 1) * self.size

    @property
    def stop(self) -> int:
        """Rows up to the end of this page, for slicing."""
        return self.start + self.size


def place_in(request: HttpRequest, count: int) -> Place:
    """The page that the address asks for, or the last one when the list has become shorter.

    Raises Problem 400 query.malformed.
    """
    asked = read_page(request)
    last = max(1, -(-count // asked.size))
    return Place(min(asked.page, last), asked.size, count)


def one_of(request: HttpRequest, name: str, allowed: Collection[str], default: str) -> str:
    """The word that a parameter of the address holds. Raises Problem 400 for any other."""
    word = request.GET.get(name, default)
    if word in allowed:
        return word
    raise Problem(
        400,
        "query.malformed",
        _("The parameter “%(name)s” cannot be read.") % {"name": name},
    )


def sent_version(request: HttpRequest, name: str) -> int:
    """The version that the person saw, from the form's hidden field.

    Raises Problem 400 precondition.malformed.
    """
    text = request.POST.get(name, "")
    if text.isascii() and text.isdecimal() and len(text) <= 9:
        return int(text)
    raise Problem(
        400,
        "precondition.malformed",
        _("The form was sent without its version. Reload the page and try again."),
    )
