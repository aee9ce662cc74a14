"""A person's language, theme and zone on every page, and an honest answer to an ended session."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.cache import patch_vary_headers
from django.utils.functional import SimpleLazyObject

from flowadmin.directory.models import User
from flowadmin.directory.permissions import granted
from flowadmin.directory.time_zones import zone

if TYPE_CHECKING:
    from datetime import tzinfo

THEME_COOKIE = "theme"  # read by frontend/src/theme.ts too

Answer = Callable[[HttpRequest], HttpResponseBase]


class Preferences:
    """Speaks the language that the signed-in person chose, in the tenant's time zone, and sets
    ``request.theme`` and ``request.granted``.

    Stands after the authentication middleware. Before sign-in, and for who never chose, the
    cookie and the browser decide: Django's locale middleware has then already chosen.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        user = request.user
        theme = user.theme if isinstance(user, User) else request.COOKIES.get(THEME_COOKIE, "")
        request.theme = (  # type: ignore[attr-defined]  # ours: read by the page frames
            theme if theme in User.Theme.values else str(User.Theme.SYSTEM)
        )
        # Asked by the navigation, and only then: most answers never need it.
        request.granted = SimpleLazyObject(  # type: ignore[attr-defined]  # ours, as above
            lambda: granted(user)
        )
        with timezone.override(_zone_of(request, user)):
            if not isinstance(user, User) or user.language not in dict(settings.LANGUAGES):
                return self.get_response(request)
            request.LANGUAGE_CODE = user.language
            with translation.override(user.language):
                response = self.get_response(request)
        response.headers["Content-Language"] = user.language
        return response


def _zone_of(request: HttpRequest, user: object) -> tzinfo | None:
    """The zone of the person's tenant, in which pages are typed and read.

    Scripts show the same one (``data-zone``, frontend/src/times.ts). REST speaks UTC, and needs
    no look at the tenant.
    """
    if not isinstance(user, User) or request.path.startswith("/api/"):
        return None
    return zone(user.tenant.time_zone)


class SessionEnded:
    """Answers a fragment's request with 401 where a page would go to the sign-in page.

    htmx follows redirects: the whole sign-in page would otherwise be swapped into a panel
    (interface, htmx side). Stands outside the authentication middleware.
    """

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.status_code != 302:
            return response
        target = urlsplit(response.headers.get("Location", ""))
        if target.path not in {reverse("login"), reverse("admin:login")}:
            return response
        if request.headers.get("HX-Request") == "true" and request.user.is_anonymous:
            response = HttpResponse(
                status=401,
                headers={"WWW-Authenticate": "Session", "Cache-Control": "no-store"},
            )
        patch_vary_headers(response, ["HX-Request"])
        return response
