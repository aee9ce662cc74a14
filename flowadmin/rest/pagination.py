"""Pages of lists: numbered ones with a count, and cursors for what only grows."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from flowadmin.rest.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from django.http import HttpRequest, QueryDict
    from rest_framework.request import Request

Row = TypeVar("Row")
DEFAULT_SIZE = 20
MAX_SIZE = 100
# Keeps the offset far inside every database's integers.
MAX_PAGE = 1_000_000
_NUMBER = re.compile(r"[1-9][0-9]{0,6}")
_CURSOR = re.compile(rb"after:([0-9]{1,18})")


@dataclass(frozen=True, slots=True)
class PageRequest:
    """Which page of a list, counted from 1, and how many rows a page has."""

    page: int
    size: int

    @property
    def start(self) -> int:
        """Rows before this page."""
        return (self.page - 1) * self.size

    @property
    def stop(self) -> int:
        """Rows up to the end of this page, for slicing."""
        return self.start + self.size


@dataclass(frozen=True, slots=True)
class CursorRequest:
    """Continue behind this position (None: from the beginning), with this many rows."""

    after: int | None
    size: int

    @property
    def fetch(self) -> int:
        """How many rows to fetch: one more than is shown tells whether others follow."""
        return self.size + 1


def read_page(request: HttpRequest | Request) -> PageRequest:
    """``page`` and ``page_size`` of the query; 20 rows by default, 100 at most.

    Raises:
        Problem: 400 ``query.malformed``.

    Source: interface.md section 9 (lists).
    """
    return PageRequest(
        _number(request.GET, "page", 1, MAX_PAGE),
        _number(request.GET, "page_size", DEFAULT_SIZE, MAX_SIZE),
    )


def page_answer(request: HttpRequest | Request, count: int, rows: Sequence[Any]) -> dict[str, Any]:
    """The body of a numbered list: ``count, next, previous, results``.

    Args:
        request: the same that :func:`read_page` read.
        count: rows of the whole list.
        rows: rows of this page, ready for JSON.
    """
    asked = read_page(request)
    before = asked.page > 1 and count > 0
    last = max(1, -(-count // asked.size))
    return {
        "count": count,
        "next": _address(request, page=asked.page + 1) if asked.stop < count else None,
        "previous": _address(request, page=min(asked.page - 1, last)) if before else None,
        "results": list(rows),
    }


def read_cursor(request: HttpRequest | Request) -> CursorRequest:
    """``cursor`` and ``page_size`` of the query, for lists that only grow.

    Raises:
        Problem: 400 ``query.malformed``.
    """
    size = _number(request.GET, "page_size", DEFAULT_SIZE, MAX_SIZE)
    given = _single(request.GET, "cursor")
    if given is None:
        return CursorRequest(None, size)
    try:
        padded = given + "=" * (-len(given) % 4)
        text = base64.b64decode(padded.encode("ascii"), altchars=b"-_", validate=True)
    except (ValueError, binascii.Error) as error:
        raise _malformed("cursor") from error
    found = _CURSOR.fullmatch(text)
    if found is None:
        raise _malformed("cursor")
    return CursorRequest(int(found[1]), size)


def cursor_answer(
    request: HttpRequest | Request,
    rows: Sequence[Row],
    *,
    position: Callable[[Row], int],
    render: Callable[[Row], Any],
) -> dict[str, Any]:
    """The body of a growing list: ``next, previous, results``.

    Args:
        request: the same that :func:`read_cursor` read.
        rows: up to ``CursorRequest.fetch`` rows behind the cursor, in the list's order.
        position: a row's place in that order, not negative; the client sees it as opaque.
        render: a row as JSON.
    """
    shown = rows[: read_cursor(request).size]
    onward = None
    if len(rows) > len(shown):
        text = base64.urlsafe_b64encode(b"after:%d" % position(shown[-1])).rstrip(b"=")
        onward = _address(request, cursor=text.decode("ascii"))
    return {"next": onward, "previous": None, "results": [render(row) for row in shown]}


def unknown_parameters(request: HttpRequest | Request, allowed: Collection[str]) -> None:
    """Refuse query parameters that this address does not know.

    Raises:
        Problem: 400 ``query.unknown`` with one finding per name.

    Source: interface.md section 9 (unknown parameters → 400).
    """
    strange = [name for name in request.GET if name not in allowed]
    if not strange:
        return
    code = "query.unknown"
    raise Problem(
        400,
        code,
        _("This address does not know the parameter “%(name)s”.") % {"name": strange[0][:64]},
        errors=[
            {"code": code, "args": {"parameter": name[:64]}, "message": _("Unknown parameter.")}
            for name in strange[:20]
        ],
    )


def _number(query: QueryDict, name: str, default: int, highest: int) -> int:
    given = _single(query, name)
    if given is None:
        return default
    if not _NUMBER.fullmatch(given) or int(given) > highest:
        raise _malformed(name, highest=highest)
    return int(given)


def _single(query: QueryDict, name: str) -> str | None:
    values = query.getlist(name)
    if len(values) > 1:
        raise _malformed(name)
    return values[0] if values else None


def _malformed(name: str, **args: int) -> Problem:
    code = "query.malformed"
    detail = _("The parameter “%(name)s” cannot be read.") % {"name": name}
    finding = {"code": code, "args": {"parameter": name, **args}, "message": detail}
    return Problem(400, code, detail, errors=[finding])


def _address(request: HttpRequest | Request, **changes: object) -> str:
    """The absolute address of this list with some parameters changed."""
    query: Mapping[str, list[str]] = {**dict(request.GET.lists())}
    changed = {**query, **{name: [str(value)] for name, value in changes.items()}}
    return request.build_absolute_uri(f"{request.path}?{urlencode(changed, doseq=True)}")
