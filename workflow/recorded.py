"""The history of a request as stored rows, read back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from workflow.engine.events import AnyEvent
from workflow.models import Event

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

_decode = msgspec.json.Decoder(AnyEvent).decode


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event with its place in the history, its time and its actor (None: a worker)."""

    position: int
    at: datetime
    actor_id: int | None
    event: AnyEvent


def read(instance_id: int, *, after: int = 0, limit: int | None = None) -> Iterator[Recorded]:
    """The history of a request in order, from behind position ``after``, at most ``limit``."""
    rows = Event.objects.filter(instance_id=instance_id, position__gt=after).order_by("position")
    for position, at, actor_id, payload in rows.values_list(
        "position", "at", "actor_id", "payload"
    )[:limit]:
        yield Recorded(position, at, actor_id, _decode(payload))


def kind_of(event: AnyEvent) -> str:
    """The stored name of an event, such as ``task_approved``."""
    return str(event.__struct_config__.tag)
