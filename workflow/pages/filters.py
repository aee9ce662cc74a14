"""The filter of a list in its address: read strictly, written back in one spelling."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, cast
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from flowadmin.rest.problems import Problem
from workflow.forms.scalars import date_of
from workflow.lists import Wanted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import date

    from workflow.lists import Due

LONGEST_WORD = 254
DUES = ("", "soon", "overdue")
# Names in the address. A day is `YYYY-MM-DD`.
NAMES = ("flow", "step", "from", "since", "until", "due", "q")


def wanted_in(parameters: Mapping[str, str]) -> Wanted:
    """What an address asks for. Raises Problem 400 query.malformed, naming the parameter."""
    due = parameters.get("due", "")
    if due not in DUES:
        raise _malformed("due")
    return Wanted(
        flow=word_in(parameters, "flow"),
        step=word_in(parameters, "step"),
        person=word_in(parameters, "from"),
        since=_day(parameters, "since"),
        until=_day(parameters, "until"),
        due=cast("Due", due),
        text=word_in(parameters, "q"),
    )


def query_of(wanted: Wanted, **more: str) -> str:
    """The part of an address that asks for this, with what else it should say; may be empty."""
    return urlencode([*((name, word) for name, word in more.items() if word), *_pairs(wanted)])


def _pairs(wanted: Wanted) -> Iterator[tuple[str, str]]:
    words = (
        wanted.flow,
        wanted.step,
        wanted.person,
        _text(wanted.since),
        _text(wanted.until),
        wanted.due,
        wanted.text,
    )
    yield from ((name, word) for name, word in zip(NAMES, words, strict=True) if word)


def shown(wanted: Wanted) -> dict[str, str]:
    """What stands in the controls of the filter, by their names."""
    return dict(_pairs(wanted))


def _text(day: date | None) -> str:
    return "" if day is None else day.isoformat()


def word_in(parameters: Mapping[str, str], name: str) -> str:
    """A word of an address, without blanks around it. Raises Problem 400 query.malformed."""
    word = parameters.get(name, "").strip()
    # A NUL is no letter to any database, and no list has a line break in a name.
    if len(word) > LONGEST_WORD or any(
        unicodedata.category(each) in {"Cc", "Cs"} for each in word
    ):
        raise _malformed(name)
    return word


def _day(parameters: Mapping[str, str], name: str) -> date | None:
    word = parameters.get(name, "").strip()
    if not word:
        return None
    found = date_of(word)
    # The ends of the calendar have no moment in every zone.
    if found is None or not 1970 <= found.year < 3000:
        raise _malformed(name)
    return found


def _malformed(name: str) -> Problem:
    text = _("The parameter “%(name)s” cannot be read.") % {"name": name}
    return Problem(400, "query.malformed", text)
