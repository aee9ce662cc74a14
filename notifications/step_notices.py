"""Notices that a process itself sends: by a step of kind `notice`, and on events of its steps.

What was said is kept as its author wrote it: the name of the step as the title, and his text.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from notifications.actions.recording import Fresh, Kind
from notifications.occasions import Occasion, occasions, step_of
from notifications.recipients import people_of
from workflow.engine.events import NoticeSent
from workflow.models import SPAN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from notifications.seats import Seats
    from workflow.engine.flowdoc.rules import EventNotice
    from workflow.engine.flowdoc.steps import AnyStep
    from workflow.runtime.subscribers import Happened

INBOX = "inbox"


def notices_of_steps(seats: Seats) -> Iterator[Fresh]:
    """The notices that the steps of the process ask for, each receiver once per text."""
    yield from _of_steps_of_kind_notice(seats.happened)
    if any(planned.step.on_event for planned in seats.happened.definition.plan.steps.values()):
        yield from _on_events(seats)


def _of_steps_of_kind_notice(happened: Happened) -> Iterator[Fresh]:
    for event in happened.events:
        if isinstance(event, NoticeSent):
            # Always in the app too: what goes outside may be lost there (docs/how-to/channels.md).
            outside = tuple(each for each in event.channels if each != INBOX)
            for why in event.chosen:
                fresh = _fresh(happened, why.user, event.title, event.text)
                yield replace(fresh, channels=outside)


def _on_events(seats: Seats) -> Iterator[Fresh]:
    happened = seats.happened
    said: dict[tuple[int, str, str], Occasion] = {}
    for occasion in (*_given(seats), *occasions(happened)):
        step = step_of(happened, occasion.step)
        for notice in _asked(step, occasion.on):
            for user in _receivers(happened, notice, occasion):
                said.setdefault((user, occasion.step, notice.text), occasion)
    for (user, step_id, text), occasion in said.items():
        step = step_of(happened, step_id)
        name = step.name if step is not None else ""
        yield _fresh(happened, user, name, text, seat=occasion.seat)


def _asked(step: AnyStep | None, on: str) -> Iterator[EventNotice]:
    for event in step.on_event if step is not None else ():
        if event.on == on and event.notice is not None:
            yield event.notice


def _receivers(happened: Happened, notice: EventNotice, occasion: Occasion) -> Sequence[int]:
    return people_of(
        notice.to,
        holders=[occasion.holder] if occasion.holder else [],
        tenant_id=happened.tenant_id,
        definition=happened.definition,
        state=happened.after,
        now=happened.at,
    )


def _given(seats: Seats) -> Iterator[Occasion]:
    for placed in seats.given():
        yield Occasion(
            "assigned",
            placed.activation.step,
            placed.activation.number,
            placed.seat.number,
            placed.seat.holder,
        )


def _fresh(happened: Happened, user: int, title: str, text: str, *, seat: int = 0) -> Fresh:
    return Fresh(
        tenant_id=happened.tenant_id,
        kind=Kind.NOTICE.value,
        instance_id=happened.instance_id,
        created_at=happened.at,
        task_id=happened.instance_id * SPAN + seat if seat else None,
        receiver_id=user,
        sender_id=happened.actor_id,
        title=title,
        text=text,
    )
