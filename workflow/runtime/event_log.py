"""Append to the history of a request; reading it back is `workflow.recorded`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from workflow import statements
from workflow.models import SPAN
from workflow.recorded import kind_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from workflow.engine.events import AnyEvent

_encode = msgspec.json.Encoder().encode


def append(
    *,
    tenant_id: int,
    instance_id: int,
    after: int,
    events: Sequence[AnyEvent],
    at: datetime,
    actor_id: int | None,
) -> None:
    """Append events behind position ``after``.

    (instance, position) is unique, so even a missed lock cannot fork a history: the second writer
    fails here and its transaction is undone.
    """
    moment = statements.moment(at)
    statements.insert_events(
        [
            (
                instance_id * SPAN + position,
                tenant_id,
                instance_id,
                position,
                kind_of(event),
                moment,
                actor_id,
                _encode(event).decode(),
            )
            for position, event in enumerate(events, start=after + 1)
        ]
    )
