"""The working calendars that a document names; publishing looks them up in the tenant."""

from __future__ import annotations

from typing import NamedTuple

from workflow.engine.deadlines import WALL
from workflow.engine.flowdoc import Deadline, DelayStep, Flowdoc
from workflow.engine.flowdoc.document import Policy
from workflow.engine.validation.look import look_at
from workflow.forms.findings import child


class CalendarReference(NamedTuple):
    """The key of a calendar, the JSON Pointer where it is named, and the step around it."""

    key: str
    at: str
    step: str | None


def calendar_references(doc: Flowdoc) -> tuple[CalendarReference, ...]:
    """Every clock of the document that is not the wall clock, the top first."""
    return tuple(
        CalendarReference(part.clock, child(spot.at, "clock"), spot.step)
        for spot in look_at(doc, None).spots()
        if isinstance(part := spot.part, Deadline | DelayStep | Policy)
        and part.clock not in (None, WALL)
    )
