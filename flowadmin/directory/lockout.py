"""How often one may try to sign in: django-axes, with the try counted before the hash."""

from __future__ import annotations

import logging
from datetime import timedelta
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from axes.handlers.database import AxesDatabaseHandler
from axes.handlers.proxy import AxesProxyHandler
from axes.helpers import get_client_username, get_cool_off, get_failure_limit
from axes.models import AccessAttempt
from django.conf import settings

from flowadmin.directory.actions import count_try

if TYPE_CHECKING:
    from django.http import HttpRequest

log = logging.getLogger(__name__)


class CountedTries(AxesDatabaseHandler):  # type: ignore[misc] # django-axes has no types
    """Keeps one row per login name and address (decision 19; reliability 2.10, Login).

    The account's owner can still sign in from another address. While locked, further tries do
    not move the end of the wait.
    """

    def is_allowed(self, request: Any, credentials: dict[str, Any] | None = None) -> bool:
        """Called by the first authentication backend, before any password is hashed."""
        # One row for all browsers of the address: a caller chooses the User-Agent freely.
        request.axes_user_agent = ""
        request.axes_ip_address = request.axes_ip_address or "0.0.0.0"  # noqa: S104 - no address
        login = get_client_username(request, credentials) or ""
        return count_try(
            login,
            request.axes_ip_address,
            now=request.axes_attempt_time,
            wait=_wait(request),
            limit=get_failure_limit(request, credentials),
        )

    def user_login_failed(
        self, sender: Any, credentials: dict[str, Any], request: Any = None, **kwargs: Any
    ) -> None:
        """The try is counted already: note it in the log, and lock when it was the last."""
        del sender, kwargs
        if request is None:
            return
        log.warning(
            "Sign-in failed: login %r from %s",
            get_client_username(request, credentials),
            request.axes_ip_address,
        )
        request.axes_credentials = credentials
        if self.is_locked(request, credentials):
            request.axes_locked_out = True


def client_address(request: HttpRequest) -> str:
    """Whose tries are counted: the caller's address, also behind our own proxy.

    With FLOWADMIN_HTTPS=1 a proxy stands in front, which appends the address that it saw; only
    this last entry is its word, everything before it the caller may have made up.
    """
    direct = str(request.META.get("REMOTE_ADDR") or "")
    if not settings.ENVIRONMENT.https:
        return direct
    seen = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
    try:
        return str(ip_address(seen))
    except ValueError:
        return direct


def _wait(request: HttpRequest | None) -> timedelta:
    return get_cool_off(request) or timedelta(minutes=15)


def tries_left(request: HttpRequest, login: str) -> int:
    """How many more wrong passwords this login name and address have before the wait."""
    credentials = {"username": login}
    failed: int = AxesProxyHandler.get_failures(request, credentials)
    limit: int = get_failure_limit(request, credentials)
    return max(0, limit - failed)


def seconds_to_wait(request: Any, login: str) -> int:
    """Seconds until this login name and address may try again; at least 1."""
    AxesProxyHandler.update_request(request)
    row = AccessAttempt.objects.filter(
        username=login, ip_address=request.axes_ip_address, user_agent=""
    ).first()
    if row is None:
        return 1
    left = row.attempt_time + _wait(request) - request.axes_attempt_time
    return max(1, int(left.total_seconds()))


def minutes_of_wait() -> int:
    """How long the wait is, in whole minutes."""
    return max(1, round(_wait(None).total_seconds() / 60))
