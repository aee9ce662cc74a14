"""Refusals as RFC 9457 problem documents, and the one place where errors become them."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

import msgspec
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.core.serializers.json import DjangoJSONEncoder
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpResponse, UnreadablePostError
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from rest_framework import exceptions

from flowadmin.rest import catalogue, request_ids

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from django_stubs_ext import StrOrPromise

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 5
_log = logging.getLogger("flowadmin.rest")

# What a database says when it will be fine again in a moment; all else is our own mistake.
_SQLITE_PASSING = ("BUSY", "LOCKED", "FULL", "IOERR", "CANTOPEN", "READONLY", "PROTOCOL", "NOMEM")
_MYSQL_PASSING = {1021, 1040, 1053, 1114, 1158, 1159, 1160, 1161, 1205, 1213, 1290, 1969, 3024}
_MYSQL_CLIENT = range(2000, 2100)
_POSTGRESQL_PASSING = ("08", "40", "53", "55", "57", "58")


class Problem(Exception):
    """A refusal that pages and REST answer alike.

    Raised by actions, access and the front door; no view catches it. ``status`` is the HTTP
    status, ``code`` never changes and is never translated, ``detail`` is for people.
    ``errors`` are findings ``{code, at, step, level, args, message}`` with ``at`` a JSON
    Pointer; further keywords become members (``current_version``, ``handled_by`` …). The
    member ``retry_after`` (whole seconds) also becomes the header.

    Source: contract, Shapes and "A task is one seat"; interface.md section 9.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: StrOrPromise,
        *,
        errors: Sequence[Mapping[str, Any]] | None = None,
        headers: Mapping[str, str] | None = None,
        **members: Any,
    ) -> None:
        super().__init__(code)
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = [_whole(error) for error in errors] if errors is not None else None
        self.headers = dict(headers or {})
        self.members = members
        if "retry_after" in members:
            self.headers.setdefault("Retry-After", str(members["retry_after"]))

    def __str__(self) -> str:
        return f"{self.status} {self.code}: {self.detail}"

    def document(self) -> dict[str, Any]:
        """The members of the answer, translated into the language that is active now."""
        made: dict[str, Any] = {
            **self.members,
            "type": f"/problems/{self.code}",
            "title": catalogue.title_of(self.code, self.status),
            "status": self.status,
            "detail": str(self.detail),
            "instance": request_ids.current(),
            "code": self.code,
        }
        if self.errors is not None:
            made["errors"] = self.errors
        return made


def _whole(error: Mapping[str, Any]) -> dict[str, Any]:
    """A finding with each member of the shape present."""
    return {
        "code": "request.invalid",
        "at": "",
        "step": None,
        "level": "error",
        "args": {},
        "message": "",
        **error,
    }


def json_bytes(value: Any) -> bytes:
    """JSON in UTF-8; a half surrogate, should one ever get here, becomes its escape.

    Every answer goes through here, so it is msgspec's encoder, which is many times as fast.
    """
    try:
        return msgspec.json.encode(value, enc_hook=_as_text)
    except UnicodeEncodeError:
        pass
    text = json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")


def _as_text(value: object) -> str:
    """A lazily translated sentence, in the language that is active now."""
    if isinstance(value, Promise):
        return str(value)
    message = f"{type(value).__name__} has no place in an answer."
    raise NotImplementedError(message)


def problem_response(problem: Problem) -> HttpResponse:
    """The problem as ``application/problem+json``, never kept by a cache."""
    return HttpResponse(
        json_bytes(problem.document()),
        status=problem.status,
        content_type=MEDIA_TYPE,
        headers={"Cache-Control": "no-store", **problem.headers},
    )


def answer_problem(exc: Exception, context: Mapping[str, Any]) -> HttpResponse | None:
    """DRF's exception handler.

    Returns None for what is our own mistake: Django then logs it with its traceback, and
    ``ProblemPages`` turns the bare 500 into a problem that tells nothing of the inside.
    """
    problem = problem_of(exc)
    if problem is None:
        return None
    return problem_response(problem)


def problem_of(exc: BaseException) -> Problem | None:
    """The problem that an exception stands for, or None for a mistake of ours (500)."""
    if isinstance(exc, Problem):
        return exc
    if isinstance(exc, exceptions.APIException):
        return _of_framework(exc)
    if isinstance(exc, Http404):
        return not_found()
    if isinstance(exc, PermissionDenied):
        return Problem(403, "permission.denied", _("You may not do this."))
    if isinstance(exc, OperationalError | InterfaceError):
        return _of_database(exc)
    return _of_transport(exc)


def not_found() -> Problem:
    """The one answer for what does not exist and for what the caller may not know of."""
    return Problem(404, "not_found", _("There is nothing at this address."))


def too_large() -> Problem:
    """The answer to a JSON body over 1 MiB (contract, "A task is one seat")."""
    return Problem(413, "body.too_large", _("The body is larger than 1 MiB."))


def of_status(status: int) -> Problem:
    """The problem for a bare answer of the framework that carries only a status."""
    code, detail = {
        403: ("permission.denied", _("You may not do this.")),
        404: ("not_found", _("There is nothing at this address.")),
        405: ("method.not_allowed", _("This method is not allowed here.")),
        413: ("body.too_large", _("The body is larger than 1 MiB.")),
    }.get(status, ("request.refused", _("The request was refused before it was read.")))
    if status >= 500:
        code, detail = "server.error", _("The request could not be answered.")
    return Problem(status, code, detail)


def _of_transport(exc: BaseException) -> Problem | None:
    if isinstance(exc, RequestDataTooBig):
        return too_large()
    if isinstance(exc, UnreadablePostError):
        return Problem(400, "body.broken_off", _("The body could not be read to its end."))
    if isinstance(exc, SuspiciousOperation):
        return of_status(400)
    return None


def _of_database(exc: OperationalError | InterfaceError) -> Problem | None:
    """503 for a database that is busy, full or away; None for a statement that is wrong."""
    if not _is_passing(exc):
        return None
    _log.error(
        "The database could not answer: %s", type(exc.__cause__ or exc).__name__, exc_info=exc
    )
    return Problem(
        503,
        "database.busy",
        _("The database cannot answer just now. Nothing was stored; try again in a moment."),
        retry_after=RETRY_SECONDS,
    )


def _is_passing(exc: OperationalError | InterfaceError) -> bool:
    cause = exc.__cause__ or exc
    name = getattr(cause, "sqlite_errorname", None)
    if name is not None:
        return str(name).removeprefix("SQLITE_").startswith(_SQLITE_PASSING)
    state = getattr(cause, "sqlstate", None)
    if state is not None:
        return str(state).startswith(_POSTGRESQL_PASSING)
    number = cause.args[0] if cause.args else None
    if isinstance(number, int) and number:
        return number in _MYSQL_PASSING or number in _MYSQL_CLIENT
    # A driver that gives no code speaks of its connection, except for SQLite's own texts.
    return not str(cause).startswith(("no such ", "near "))


_FRAMEWORK: tuple[tuple[type[exceptions.APIException], str], ...] = (
    (exceptions.NotAuthenticated, "auth.required"),
    (exceptions.AuthenticationFailed, "auth.failed"),
    (exceptions.PermissionDenied, "permission.denied"),
    (exceptions.NotFound, "not_found"),
    (exceptions.MethodNotAllowed, "method.not_allowed"),
    (exceptions.NotAcceptable, "accept.unsupported"),
    (exceptions.UnsupportedMediaType, "media_type.unsupported"),
    (exceptions.Throttled, "rate.limited"),
    (exceptions.ValidationError, "request.invalid"),
    (exceptions.ParseError, "request.refused"),
)


def _of_framework(exc: exceptions.APIException) -> Problem:
    """DRF's own exceptions; the codes of ours that travel in them are kept."""
    code = next((known for kind, known in _FRAMEWORK if isinstance(exc, kind)), "request.refused")
    given = exc.get_codes()
    if isinstance(given, str) and "." in given:
        code = given
    headers = {}
    if challenge := getattr(exc, "auth_header", None):
        headers["WWW-Authenticate"] = str(challenge)
    members: dict[str, Any] = {}
    if (wait := getattr(exc, "wait", None)) is not None:
        members["retry_after"] = max(1, round(wait))
    if isinstance(exc, exceptions.ValidationError):
        return Problem(
            exc.status_code,
            code,
            _("Members of the body are missing, unknown or of another kind."),
            errors=list(_findings(exc.detail, "")),
        )
    if isinstance(exc, exceptions.NotFound):
        return not_found()
    return Problem(exc.status_code, code, str(exc.detail), headers=headers, **members)


def _findings(detail: Any, at: str) -> Iterator[dict[str, Any]]:
    """A serializer's nested errors as flat findings with JSON Pointers."""
    if isinstance(detail, dict):
        for name, below in detail.items():
            own = at if name == "non_field_errors" else f"{at}/{pointer_part(name)}"
            yield from _findings(below, own)
    elif isinstance(detail, list):
        for index, below in enumerate(detail):
            nested = isinstance(below, dict | list)
            yield from _findings(below, f"{at}/{index}" if nested else at)
    else:
        code = getattr(detail, "code", None) or "invalid"
        yield {"code": f"request.{code}", "at": at, "message": str(detail)}


def pointer_part(name: object) -> str:
    """One reference token of a JSON Pointer (RFC 6901), escaped."""
    return str(name).replace("~", "~0").replace("/", "~1")
