"""Rounds of messages to the outside, apart from callbacks and reminders, so that no slow mail
server delays those.

Theory of operation. A round takes at most fifty messages, the channels in turn: a channel that let
an attempt run out of time is left alone for the rest of the round, so the others go on. The round
keeps its lease like that of callbacks (`flowadmin.coordination.rounds`). This is the only code
that reads messages across tenants.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from django.conf import settings
from django.db.models import F, Q, Window
from django.db.models.functions import RowNumber
from django.utils import translation

from flowadmin.coordination import rounds
from notifications import channels, hours, letters
from notifications.actions import messages
from notifications.actions.delivering import Turn, with_threads
from notifications.models import Medium, Message

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

log = logging.getLogger(__name__)

NAME: Final = "messages"
ROUND: Final = 50
THREADS: Final = 2
# What has ended is kept for so long, for whoever asks what became of a message.
KEPT: Final = timedelta(days=90)
BATCH: Final = 500
ENDED: Final = (Message.Status.SENT, Message.Status.FAILED, Message.Status.DROPPED)


def go_round(read_clock: Callable[[], datetime], pause: timedelta) -> int:
    """Send what is due, unless it is not time for a round yet; how many attempts were made.

    ``read_clock`` gives the database's time, ``pause`` lies between two rounds.
    """
    now = read_clock()
    beyond = Q(status=Message.Status.PENDING, next_at__gt=now + hours.LONGEST_WAIT)
    beyond |= Q(status=Message.Status.SENDING, lease_until__gt=now + 2 * messages.LEASE)
    if not Message.objects.filter(messages.claimable(now) | beyond).exists():
        return 0
    token = rounds.begin(NAME, now, pause)
    if token is None:
        return 0
    try:
        # Written before the clock was set back; when each may go is asked anew in any case.
        Message.objects.filter(beyond).update(next_at=now, lease_until=now)
        turn = Turn(due(now))

        def work() -> int:
            return _work(turn, read_clock, lambda: rounds.keep(NAME, token, read_clock()))

        return with_threads(work, min(THREADS, len(turn.rows)))
    finally:
        rounds.end(NAME, token, read_clock())


def due(now: datetime, limit: int = ROUND) -> list[tuple[int, str]]:
    """Ids and channels of what to attempt now, of all tenants, the channels in turn."""
    place = Window(
        RowNumber(), partition_by=F("medium"), order_by=[F("next_at").asc(), F("id").asc()]
    )
    rows = Message.objects.filter(messages.claimable(now)).annotate(place=place)
    return list(rows.order_by("place", "next_at", "id").values_list("id", "medium")[:limit])


def attempt(pk: int, read_clock: Callable[[], datetime]) -> channels.Sent | None:
    """Make one attempt, if the message is still to go and may go now; what came of it."""
    parcel = messages.claim(pk, read_clock())
    if parcel is None:
        return None
    first = parcel.rows[0]
    with translation.override(first.receiver.language or settings.LANGUAGE_CODE):
        letter = letters.letter_of(
            [(row.notice, row.by_process) for row in parcel.rows],
            settings.ENVIRONMENT.public_url,
            is_mail=first.medium == Medium.EMAIL,
        )
    sent = channels.send(
        first.medium, parcel.address, letter.subject, letter.body, parcel.identity
    )
    messages.settle(parcel, sent, read_clock())
    return sent


def sweep(now: datetime) -> int:
    """Take away what ended ninety days ago; how many rows, at most one batch.

    Nothing is sent again thereby: a message is only ever written with its notice.
    """
    old = Message.objects.filter(status__in=ENDED, updated_at__lt=now - KEPT)
    ids = list(old.order_by("id").values_list("id", flat=True)[:BATCH])
    return old.filter(pk__in=ids).delete()[0] if ids else 0


def _work(turn: Turn, read_clock: Callable[[], datetime], may_go_on: Callable[[], bool]) -> int:
    """One thread's share. What fails in our own house is logged; the lease ends by itself."""
    done = 0
    while may_go_on() and (row := turn.take()) is not None:
        pk, medium = row
        sent = None
        try:
            sent = attempt(pk, read_clock)
        except Exception:
            log.exception("message %s could not be sent", pk)
        finally:
            turn.give_back(medium, hung=sent is not None and sent.hung)
        done += sent is not None
    return done
