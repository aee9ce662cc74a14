"""Versions in requests: If-Match, If-None-Match, task_version, and the ETag of an answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from flowadmin.rest.problems import Problem

if TYPE_CHECKING:
    from django.http import HttpRequest
    from rest_framework.request import Request

# Nine digits are enough for every counter and fit every integer column.
_ENTITY_TAG = re.compile(r'"(0|[1-9][0-9]{0,8})"')
_HIGHEST = 999_999_999


def etag_of(version: int) -> str:
    """The strong entity tag of a version: ``"3"``."""
    return f'"{version}"'


def expected_version(request: Request) -> int:
    """The version of the task that the caller saw, from ``task_version`` or ``If-Match``.

    Raises:
        Problem: 428 ``precondition.missing`` when neither is there; 400
            ``precondition.disagree`` when both are and differ; 400 ``precondition.malformed``.

    Source: contract, "A task is one seat".
    """
    header = _version_in_header(request)
    body = _version_in_body(request)
    if header is None and body is None:
        raise _missing()
    if header is not None and body is not None and header != body:
        raise Problem(
            400,
            "precondition.disagree",
            _("If-Match says version %(header)d, task_version says %(body)d.")
            % {"header": header, "body": body},
        )
    if header is not None:
        return header
    assert body is not None  # noqa: S101  # both None was refused above
    return body


def if_match(request: HttpRequest | Request) -> int:
    """The version in ``If-Match``, for rows whose writes take no version in the body.

    Raises:
        Problem: 428 ``precondition.missing``; 400 ``precondition.malformed``.

    Source: contract, "A task is one seat" (drafts, chains, scripts: If-Match only).
    """
    version = _version_in_header(request)
    if version is None:
        raise _missing()
    return version


def if_match_or_new(request: HttpRequest | Request) -> int | None:
    """For a PUT that may create: None after ``If-None-Match: *``, else as :func:`if_match`.

    Raises:
        Problem: 400 ``precondition.disagree`` when both headers are there; the others as there.
    """
    only_new = request.headers.get("If-None-Match")
    if only_new is None:
        return if_match(request)
    if only_new.strip() != "*":
        raise _malformed(_("Only If-None-Match: * is understood on a write."))
    if request.headers.get("If-Match") is not None:
        raise Problem(
            400,
            "precondition.disagree",
            _("If-Match and If-None-Match exclude each other."),
        )
    return None


def is_unchanged(request: HttpRequest | Request, etag: str) -> bool:
    """Whether a read may answer 304: ``If-None-Match`` holds this tag (weakly compared).

    ``etag`` is quoted, such as ``"3"``; what cannot be read counts as changed.
    """
    given = request.headers.get("If-None-Match", "")
    tags = {tag.strip().removeprefix("W/") for tag in given.split(",")}
    return "*" in tags or etag in tags


def _version_in_header(request: HttpRequest | Request) -> int | None:
    given = request.headers.get("If-Match")
    if given is None:
        return None
    found = _ENTITY_TAG.fullmatch(given.strip())
    if found is None:
        raise _malformed(_('If-Match must be one version in quotes, such as "3".'))
    return int(found[1])


def _version_in_body(request: Request) -> int | None:
    data = request.data
    if not isinstance(data, dict) or "task_version" not in data:
        return None
    given = data["task_version"]
    # A truth value is an int to Python, and True would pass for version 1.
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given <= _HIGHEST:
        raise _malformed(_("task_version must be a whole number."), at="/task_version")
    return given


def _missing() -> Problem:
    return Problem(
        428,
        "precondition.missing",
        _("Say which version you saw: send If-Match, or task_version for a task."),
    )


def _malformed(detail: str, at: str = "") -> Problem:
    code = "precondition.malformed"
    return Problem(400, code, detail, errors=[{"code": code, "at": at, "message": detail}])
