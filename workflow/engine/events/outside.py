"""What happened to the other requests that a subflow step starts."""

from __future__ import annotations

from typing import Literal

import msgspec

from workflow.engine.events.basis import Event
from workflow.engine.state import InstanceState


class PlannedChild(msgspec.Struct, frozen=True, omit_defaults=True):
    """One request to be started: by whom, and for which person, choice or row of the field."""

    starter: int
    item: str = ""


class ChildrenPlanned(Event, frozen=True, tag="children_planned"):
    """Which requests a subflow step starts, of which process and version, in this order.

    Fixed when the step is entered; a change of the field afterwards changes nothing here.
    """

    activation: int
    flow: str
    version: int
    children: tuple[PlannedChild, ...] = ()


class ChildStarted(Event, frozen=True, tag="child_started"):
    """A worker started the request; ``child`` counts from 1 in the order of the plan."""

    activation: int
    child: int
    instance: int
    number: str


class ChildEnded(Event, frozen=True, tag="child_ended"):
    """The request ended; ``counts`` is what the step makes of its result."""

    activation: int
    child: int
    result: InstanceState
    counts: Literal["passed", "failed", "held", "again"]
