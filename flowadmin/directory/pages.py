"""Signing in and out, and the choice of language and theme."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.views import LoginView, LogoutView
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest, HttpResponseRedirect
from django.shortcuts import resolve_url
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

from flowadmin.directory import actions
from flowadmin.directory.demo import shown_people
from flowadmin.directory.forms import SignInForm
from flowadmin.directory.lockout import seconds_to_wait
from flowadmin.directory.middleware import THEME_COOKIE
from flowadmin.directory.models import User

if TYPE_CHECKING:
    from django.contrib.auth.forms import AuthenticationForm
    from django.http.response import HttpResponseBase

COOKIE_SECONDS = 365 * 24 * 3600


def safe_next(request: HttpRequest, fallback: str = "home") -> str:
    """Where to go on: the request's ``next`` when it stays on this host, else `fallback`."""
    wish = request.POST.get(REDIRECT_FIELD_NAME) or request.GET.get(REDIRECT_FIELD_NAME) or ""
    if wish and url_has_allowed_host_and_scheme(
        wish, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    ):
        return wish
    return resolve_url(fallback)


class SignIn(LoginView):
    """`/login/`: one neutral error, the tries left, and on a demo its accounts."""

    template_name = "registration/login.html"
    form_class = SignInForm
    # Django checks ``next`` against the host; the session's key changes inside `login()`.
    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context = super().get_context_data(**{"wait_minutes": 0, **kwargs})
        context["demo_people"] = shown_people() if settings.ENVIRONMENT.demo else ()
        return context

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """422, so that a fragment request shows the form with its errors."""
        response = super().form_invalid(form)
        response.status_code = 422
        return response


sign_in = SignIn.as_view()


def locked_out(
    request: HttpRequest, response: HttpResponseBase, credentials: dict[str, Any] | None
) -> HttpResponse:
    """The answer of django-axes when there were too many tries: 429 and how long to wait."""
    del response
    login = str((credentials or {}).get("username") or "")
    seconds = seconds_to_wait(request, login)
    view = SignIn()
    view.setup(request)
    page = TemplateResponse(
        request,
        SignIn.template_name,
        view.get_context_data(
            form=SignInForm(request, initial={"username": login}),
            wait_minutes=math.ceil(seconds / 60),
        ),
    )
    page.status_code = 429
    page.headers["Retry-After"] = str(seconds)
    page.headers["Cache-Control"] = "no-store"
    return page.render()


sign_out = LogoutView.as_view()


@never_cache
def admin_sign_in(request: HttpRequest) -> HttpResponse:
    """The administration has no sign-in page of its own, so that one door is throttled.

    Raises:
        PermissionDenied: signed in, but not allowed to open the administration.
    """
    wish = safe_next(request, "admin:index")
    if request.user.is_anonymous:
        query = urlencode({REDIRECT_FIELD_NAME: wish})
        return HttpResponseRedirect(f"{reverse('login')}?{query}")
    if not request.user.is_staff:
        raise PermissionDenied
    return HttpResponseRedirect(wish)


@require_POST
def choose_language(request: HttpRequest) -> HttpResponseBase:
    """Speak another language from now on: kept with the person, and in a cookie before sign-in."""
    language = request.POST.get("language", "")
    if language not in dict(settings.LANGUAGES):
        return HttpResponseBadRequest(_("This language is not available."))
    if isinstance(request.user, User):
        actions.choose_language(request.user, language)
    return set_language(request)


@require_POST
def choose_theme(request: HttpRequest) -> HttpResponse:
    """Light, dark, or as the device: kept with the person, and in a cookie."""
    theme = request.POST.get("theme", "")
    if theme not in User.Theme.values:
        return HttpResponseBadRequest(_("This theme is not available."))
    if isinstance(request.user, User):
        actions.choose_theme(request.user, theme)
    response = HttpResponseRedirect(safe_next(request))
    response.set_cookie(
        THEME_COOKIE,
        theme,
        max_age=COOKIE_SECONDS,
        secure=bool(settings.SESSION_COOKIE_SECURE),
        samesite="Lax",
    )
    return response
