"""Rounds of delivery: which callbacks go next, two at a time, and that nobody waits for the dead.

Theory of operation. A round takes at most twenty rows. Receivers (scheme, host, port) take turns:
first the oldest row of each, then the second one of each, and so on; those whose last attempt
hung come behind the others in their turn. Once a receiver lets an attempt run out of time, its
other rows wait for the next round, and while one thread waits for a receiver the other one takes
rows of others. So a receiver that hangs costs each round one attempt, however many of its rows are
due. This is the only code that reads callbacks across tenants (P30).
"""

from __future__ import annotations

import logging
import queue
import threading
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import connections
from django.db.models import Case, F, Q, Value, When, Window
from django.db.models.functions import RowNumber

from flowadmin import failpoints
from flowadmin.coordination import rounds
from notifications import backoff, delivery
from notifications.actions import callbacks
from notifications.models import Callback

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

log = logging.getLogger(__name__)

NAME = "callbacks"
# Seed 001 P35.
ROUND = 20
THREADS = 2
# A fraction of a round's lease (`rounds.LEASE`).
KEPT_FOR = timedelta(seconds=5)
# Attempts at the same time to one receiver (reliability.md 4.4).
MOST_AT_ONCE = 2


@dataclass(slots=True)
class Turn:
    """What is left of a round: the rows (id, receiver) in their order, shared by its threads."""

    rows: list[tuple[int, str]]
    busy: Counter[str] = field(default_factory=Counter)
    hung: set[str] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self) -> tuple[int, str] | None:
        """The next row: one of a receiver that nobody waits for, else of one that has room."""
        with self._lock:
            self.rows = [row for row in self.rows if row[1] not in self.hung]
            for most in range(MOST_AT_ONCE):
                for place, row in enumerate(self.rows):
                    if self.busy[row[1]] <= most:
                        self.busy[row[1]] += 1
                        return self.rows.pop(place)
            return None

    def give_back(self, host: str, *, hung: bool) -> None:
        """An attempt is over; a receiver that hung is left alone for the rest of the round."""
        with self._lock:
            self.busy[host] -= 1
            if hung:
                self.hung.add(host)


def go_round(
    read_clock: Callable[[], datetime],
    pause: timedelta,
    owner: str,
    before_each: Callable[[], object] = lambda: None,
) -> int:
    """Attempt what is due, unless it is not time for a round yet; how many attempts were made.

    ``read_clock`` gives the database's time, ``pause`` lies between two rounds, ``owner`` names
    this process. ``before_each`` is what a thread does before it takes another row: a due round
    of reminders, so that receivers which hang never hold those up (P35).
    """
    now = read_clock()
    if not Callback.objects.filter(callbacks.claimable(now) | _beyond_reason(now)).exists():
        return 0
    token = rounds.begin(NAME, now, pause)
    if token is None:
        return 0
    try:
        heal(now)
        turn = Turn(due(now))

        hold = Hold(token, now)

        def may_go_on() -> bool:
            before_each()
            return hold.lasts(read_clock())

        def work() -> int:
            return _work(turn, read_clock, owner, may_go_on)

        return with_threads(work, min(THREADS, len(turn.rows)))
    finally:
        rounds.end(NAME, token, read_clock())


def due(now: datetime, limit: int = ROUND) -> list[tuple[int, str]]:
    """Ids and receivers of what to attempt now, of all tenants, in fair order."""
    place = Window(
        RowNumber(),
        partition_by=F("host"),
        order_by=[F("next_attempt_at").asc(), F("id").asc()],
    )
    slow = Case(When(result="TIMEOUT", then=Value(1)), default=Value(0))
    rows = Callback.objects.filter(callbacks.claimable(now)).annotate(place=place, slow=slow)
    ordered = rows.order_by("place", "slow", "next_attempt_at", "id")
    return list(ordered.values_list("id", "host")[:limit])


def attempt(pk: int, owner: str, read_clock: Callable[[], datetime]) -> delivery.Outcome | None:
    """Make one attempt, if the row is still to be attempted; what came of it."""
    failpoints.reached("callback.before_claim")
    claimed = callbacks.claim(pk, owner, read_clock())
    if claimed is None:
        return None
    failpoints.reached("callback.after_started")
    outcome = delivery.post(claimed.callback, read_clock())
    failpoints.reached("callback.after_response")
    callbacks.settle(claimed, outcome, read_clock())
    failpoints.reached("callback.after_result")
    return outcome


@dataclass(slots=True)
class Hold:
    """Whether a round is still our own; asked by its threads before each row.

    Nobody can take a round over before its lease is out, so it is written anew only now and then:
    otherwise each attempt would cost one more transaction.
    """

    token: int
    kept_at: datetime

    def lasts(self, now: datetime) -> bool:
        """Whether the round is ours at ``now``; a clock that was set back makes it ask."""
        if timedelta(0) <= now - self.kept_at < KEPT_FOR:
            return True
        self.kept_at = now
        return rounds.keep(NAME, self.token, now)


def _work(
    turn: Turn, read_clock: Callable[[], datetime], owner: str, may_go_on: Callable[[], bool]
) -> int:
    """One thread's share. What fails in our own house is logged; the lease ends by itself."""
    done = 0
    while may_go_on() and (row := turn.take()) is not None:
        pk, host = row
        outcome = None
        try:
            outcome = attempt(pk, owner, read_clock)
        except Exception:
            log.exception("callback %s could not be attempted", pk)
        finally:
            turn.give_back(host, hung=outcome is not None and outcome.hung)
        done += outcome is not None
    return done


def with_threads(work: Callable[[], int], threads: int) -> int:
    """The sum of what each thread did; raises what went wrong in one of them.

    They are daemons: a process that is told to end does not wait for a receiver that hangs. What
    they had in hand comes back by its lease.
    """
    if threads < 2:
        return work() if threads else 0
    ends: queue.SimpleQueue[int | Exception] = queue.SimpleQueue()
    for number in range(threads):
        threading.Thread(
            target=_and_close, args=(work, ends), name=f"callbacks-{number}", daemon=True
        ).start()
    found = [ends.get() for _ in range(threads)]
    for end in found:
        if isinstance(end, Exception):
            raise end
    return sum(end for end in found if isinstance(end, int))


def _and_close(work: Callable[[], int], ends: queue.SimpleQueue[int | Exception]) -> None:
    """A thread's connection to the database is its own and ends with it."""
    end: int | Exception = 0
    try:
        end = work()
    except Exception as error:  # noqa: BLE001  # raised again by whoever waits for the thread
        end = error
    finally:
        connections.close_all()
        ends.put(end)


# A clock that was set back ----------------------------------------------------------------------


def _beyond_reason(now: datetime) -> Q:
    """Due or leased later than any honest wait: written before the clock was set back."""
    leased = Q(status=Callback.Status.LEASED, lease_until__gt=now + 2 * callbacks.LEASE)
    for profile in backoff.PROFILES:
        late = now + 2 * backoff.longest_wait(profile)
        leased |= Q(status=Callback.Status.PENDING, profile=profile, next_attempt_at__gt=late)
    return leased


def heal(now: datetime) -> int:
    """Bring back what lies beyond reason in the future; how many rows (reliability.md K3)."""
    waiting, leased = Callback.Status.PENDING, Callback.Status.LEASED
    healed = Callback.objects.filter(
        status=leased, lease_until__gt=now + 2 * callbacks.LEASE
    ).update(lease_until=now + callbacks.LEASE)
    for profile in backoff.PROFILES:
        longest = backoff.longest_wait(profile)
        rows = Callback.objects.filter(
            status=waiting, profile=profile, next_attempt_at__gt=now + 2 * longest
        )
        healed += rows.update(next_attempt_at=now + longest)
    if healed:
        log.warning("%s callbacks lay beyond reason in the future", healed)
    return healed
