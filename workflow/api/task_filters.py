"""The filters of `tasks/`, read strictly: what cannot be read is 400, and never ignored."""

from __future__ import annotations

import unicodedata
from datetime import date
from typing import TYPE_CHECKING, Any, Final, cast

from drf_spectacular.utils import OpenApiParameter

from workflow.api import described
from workflow.api.answers import malformed, one_of
from workflow.forms.scalars import date_of
from workflow.lists import Wanted

if TYPE_CHECKING:
    from rest_framework.request import Request

    from workflow.lists import Due

FILTERS: Final = (
    "flow", "step", "initiator", "received_since", "received_until", "due", "search",
)  # fmt: skip
LONGEST_WORD = 254


def parameters(*boxes: str) -> list[OpenApiParameter]:
    """The parameters of `tasks/` as OpenAPI tells them: the box, what narrows it, and the page."""
    return [
        described.box(*boxes),
        _query("flow", description="Key of the process."),
        _query("step", description="Name of the step."),
        _query("initiator", description="Login of whoever filed the request."),
        _query("received_since", date, description="Day, inclusive."),
        _query("received_until", date, description="Day, inclusive."),
        _query("due", enum=["soon", "overdue"], description="`soon`: within 24 hours, or over."),
        _query("search", description="Part of title or number."),
        *described.PAGE,
    ]


def _query(name: str, kind: Any = str, **more: Any) -> OpenApiParameter:
    return OpenApiParameter(name, kind, OpenApiParameter.QUERY, **more)


def wanted_in(request: Request) -> Wanted:
    """What the address asks for. Raises Problem 400 query.malformed, naming the parameter."""
    return Wanted(
        flow=_word(request, "flow"),
        step=_word(request, "step"),
        person=_word(request, "initiator"),
        since=_day(request, "received_since"),
        until=_day(request, "received_until"),
        due=cast("Due", one_of(request, "due", ("soon", "overdue"), "")),
        text=_word(request, "search"),
    )


def _word(request: Request, name: str) -> str:
    given = request.GET.getlist(name)
    if not given:
        return ""
    word = given[0].strip()
    # A NUL is no letter to any database.
    bad = any(unicodedata.category(each) in {"Cc", "Cs"} for each in word)
    if len(given) > 1 or not word or len(word) > LONGEST_WORD or bad:
        raise malformed(name)
    return word


def _day(request: Request, name: str) -> date | None:
    word = _word(request, name)
    if not word:
        return None
    found = date_of(word)
    # The ends of the calendar have no moment in every zone.
    if found is None or not 1970 <= found.year < 3000:
        raise malformed(name)
    return found
