"""A random number for each request, in its answer, its problems and its log lines."""

from __future__ import annotations

import logging
import secrets
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.http import HttpRequest
    from django.http.response import HttpResponseBase

HEADER = "X-Request-Id"
_META = "flowadmin.request_id"
_current: ContextVar[str] = ContextVar("request_id", default="-")


def current() -> str:
    """The number of the request that this thread answers, or ``-`` outside of one."""
    return _current.get()


class RequestIds:
    """Outermost middleware: gives the request its number and writes it into the answer.

    The client's own header is not taken over: it would let a stranger write into our logs.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        number = secrets.token_hex(8)
        # Django logs a refusal after this middleware has returned, but hands over the request.
        request.META[_META] = number
        token = _current.set(number)
        try:
            response = self.get_response(request)
        finally:
            _current.reset(token)
        response[HEADER] = number
        return response


class RequestIdFilter(logging.Filter):
    """Adds ``request_id`` to each record, for the format string of the log."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        record.request_id = getattr(request, "META", {}).get(_META) or current()
        return True
