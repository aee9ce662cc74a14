"""A receiver with moods: a line for each request before it is answered, for the judge."""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass

from tests.outbound.receivers import Receiver, reset

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
AWAY = b"HTTP/1.1 503 Away\r\nContent-Length: 0\r\n\r\n"
# What an event meets is drawn from its id: always the same, whoever asks.
MOODS = ("well", "well", "well", "slow", "slow", "twice away", "away", "resets once", "hangs once")
SLOW_SECONDS, HANG_SECONDS = 0.06, 1.2


@dataclass(frozen=True, slots=True)
class Heard:
    """One request as it arrived, and what it was about to be answered."""

    event: str
    key: str
    attempt: int
    line: str
    body: str
    accepted: bool


class Ledger:
    """Everything one receiver was asked. After `heal` it answers each request with 200 at once."""

    def __init__(self):
        self.heard = []
        self.healthy = False
        self._lock = threading.Lock()
        self._times: Counter[str] = Counter()

    @contextmanager
    def listening(self):
        """The receiver, as long as the context lasts."""
        with Receiver(self._serve) as receiver:
            yield receiver

    def heal(self):
        """From now on it is well."""
        self.healthy = True

    def _serve(self, receiver, opened):
        head, body = receiver.read(opened)
        line, *rest = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value for name, _, value in (one.partition(": ") for one in rest)}
        if len(body) < int(headers.get("content-length", "1")):
            return  # whoever sent it was killed before it was a request
        event = headers["x-flow-event-id"]
        with self._lock:
            self._times[event] += 1
            accepted, pause = self._mood(event, self._times[event])
            self.heard.append(
                Heard(
                    event=event,
                    key=headers["idempotency-key"],
                    attempt=int(headers["x-flow-attempt"]),
                    line=line,
                    body=hashlib.sha256(body).hexdigest(),
                    accepted=accepted == OK,
                )
            )
        receiver.stopped.wait(pause)
        if accepted is None:
            reset(opened)
        else:
            opened.sendall(accepted)

    def _mood(self, event, time):
        """The answer (None: a reset) and the seconds before it."""
        mood = MOODS[int(hashlib.sha256(event.encode()).hexdigest(), 16) % len(MOODS)]
        if self.healthy or mood == "well":
            return OK, 0.0
        if mood == "slow":
            return OK, SLOW_SECONDS
        if mood == "away" or (mood == "twice away" and time < 3):
            return AWAY, 0.0
        if time > 1 or mood == "twice away":
            return OK, 0.0
        return (None, 0.0) if mood == "resets once" else (AWAY, HANG_SECONDS)
