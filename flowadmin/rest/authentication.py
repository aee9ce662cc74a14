"""Who is calling: an expiring token of a machine, or the session of a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _
from rest_framework import exceptions
from rest_framework.authentication import (
    BaseAuthentication,
    SessionAuthentication,
    get_authorization_header,
)

from flowadmin import clock
from flowadmin.directory import queries

if TYPE_CHECKING:
    from rest_framework.request import Request

_SCHEME = b"token"


class ExpiringTokenAuthentication(BaseAuthentication):
    """``Authorization: Token …``, made by ``manage.py api_token``.

    Unknown, expired and withdrawn tokens and those of inactive people are refused with one
    neutral text, so that nobody learns which tokens once existed. A request with a token is
    never decided by its session: the wrong token is 401 even in a signed-in browser.

    Source: contract, REST (tokens for machines).
    """

    def authenticate(self, request: Request) -> tuple[Any, str] | None:
        """The user of the token, or None when the request carries no token.

        Raises:
            AuthenticationFailed: 401 ``auth.failed``.
        """
        scheme, *rest = get_authorization_header(request).split() or [b""]
        if scheme.lower() != _SCHEME:
            return None
        if len(rest) != 1 or not rest[0].isascii():
            raise self._refused()
        user = queries.user_of_token(rest[0].decode("ascii"), clock.now())
        if user is None:
            raise self._refused()
        return user, "token"

    def authenticate_header(self, _request: Request) -> str:
        """The challenge of a 401."""
        return 'Token realm="FlowAdmin"'

    @staticmethod
    def _refused() -> exceptions.AuthenticationFailed:
        return exceptions.AuthenticationFailed(_("The token is not valid."), code="auth.failed")


class BrowserSessionAuthentication(SessionAuthentication):
    """The session of a signed-in browser, with CSRF; nobody signed in is 401, not 403."""

    def enforce_csrf(self, request: Any) -> None:
        """Refuse an unsafe method without its token or from a foreign origin.

        Raises:
            PermissionDenied: 403 ``csrf.failed``; the reason is not told to the sender.
        """
        try:
            super().enforce_csrf(request)
        except exceptions.PermissionDenied as error:
            raise exceptions.PermissionDenied(
                _("The request did not come from our own page."), code="csrf.failed"
            ) from error

    def authenticate_header(self, _request: Request) -> str:
        """The challenge of a 401; no browser opens a dialog for it."""
        return 'Session realm="FlowAdmin"'
