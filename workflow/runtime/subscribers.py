"""Who is told, inside the transaction, what happened to a request.

An explicit list and no signals: the order is fixed and an exception undoes the whole decision, so
that whatever must follow is written with its cause or not at all (seed 001, P29).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from workflow.engine.decision import Definition
    from workflow.engine.events import AnyEvent
    from workflow.engine.state import State


@dataclass(frozen=True, slots=True)
class Happened:
    """What one command did to one request."""

    tenant_id: int
    instance_id: int
    definition: Definition
    before: State | None
    after: State
    events: Sequence[AnyEvent]
    at: datetime
    actor_id: int | None


Subscriber = Callable[[Happened], None]
_subscribers: list[Subscriber] = []


def subscribe(subscriber: Subscriber) -> None:
    """Add a subscriber, once, while the apps are being made ready."""
    if subscriber not in _subscribers:
        _subscribers.append(subscriber)


def subscribed() -> tuple[Subscriber, ...]:
    """Who is told, in order."""
    return tuple(_subscribers)


def publish(happened: Happened) -> None:
    """Tell every subscriber in order. What one raises undoes the command."""
    for subscriber in _subscribers:
        subscriber(happened)
