"""Hints that there is work, so that it starts in milliseconds instead of at the next scan.

Theory: what is to be done is a row, committed with its cause; the scans of ``periodic.PERIODIC``
find it. A hint only says "look now". It may be lost, doubled or late without harm, therefore it
never raises, never waits for long and is sent after the commit that it speaks of. In embedded
mode it is a datagram to ``manage.py work`` on the same machine, in a cluster a Celery message.
"""

from __future__ import annotations

import hashlib
import logging
import os
import select
import socket
import tempfile
import time
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Self

from celery import Celery
from django.conf import settings
from django.db import transaction

from flowadmin.periodic import Periodic, of_topic

if TYPE_CHECKING:
    from types import TracebackType

log = logging.getLogger(__name__)

# The shortest limit among the systems that have such sockets, less the closing NUL.
LONGEST_ADDRESS = 103
LONGEST_TOPIC = 64
# A hint older than this has been overtaken by the scans.
STALE_SECONDS = 30
# After a broker did not answer, nobody's click waits for it again for so long.
BREATHER_SECONDS = 5.0

_broker = {"try_again_at": 0.0}


def wake(topic: str) -> None:
    """Say, after the running transaction commits (at once outside one), that there is work.

    Args:
        topic: a ``topic`` of ``flowadmin.periodic.PERIODIC``; an unknown one is ignored.

    Raises nothing and does not wait for an answer (decision 5: wake-ups may be lost).
    """
    transaction.on_commit(partial(_hint, topic), robust=True)


def _hint(topic: str) -> None:
    if settings.CLUSTER:
        for job in of_topic(topic):
            send_by_name(job)
    else:
        _datagram(topic.encode())


def send_by_name(job: Periodic) -> bool:
    """Hand one periodic job to Celery by its name; whether the broker took the message."""
    if time.monotonic() < _broker["try_again_at"]:
        return False
    try:
        _sender().send_task(
            job.task, queue=job.queue, expires=STALE_SECONDS, ignore_result=True, retry=False
        )
    except Exception:  # noqa: BLE001  # whatever a broker's client raises, the scan finds the row
        _broker["try_again_at"] = time.monotonic() + BREATHER_SECONDS
        log.warning("broker did not take the hint for %s; the next scan will do", job.task)
        return False
    return True


@cache
def _sender() -> Celery:
    """A Celery application that only sends, so that no process needs to have loaded the jobs."""
    sender = Celery("flowadmin-hints", broker=settings.CELERY_BROKER_URL, set_as_current=False)
    sender.conf.update(
        broker_connection_timeout=1,
        broker_transport_options={"max_retries": 0, "socket_timeout": 1},
        task_serializer="json",
    )
    return sender


def _datagram(content: bytes) -> None:
    # Nobody listening, a full buffer, a path that is gone: the next scan finds the row anyway.
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
        sender.settimeout(0)
        sender.sendto(content, str(address()))


def address() -> Path:
    """The listener's socket: in the data folder, or, where that path is too long for a socket's
    address, in the temporary folder under a name made from it."""
    path: Path = settings.ENVIRONMENT.wake_socket
    if len(os.fsencode(path)) <= LONGEST_ADDRESS:
        return path
    name = hashlib.sha256(os.fsencode(path)).hexdigest()[:24]
    return Path(tempfile.gettempdir()) / f"flowadmin-{name}.sock"


class Listener:
    """The work loop's ear; only the holder of the data folder's lock may open it.

    ``with Listener() as ear: topics = ear.wait(seconds)``; `nudge` ends a wait from another
    thread or from a signal handler.
    """

    def __init__(self) -> None:
        self._path = address()
        self._hints = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._hints.settimeout(0)
        self._inner, self._outer = socket.socketpair()
        self._inner.settimeout(0)
        self._outer.settimeout(0)

    def __enter__(self) -> Self:
        try:
            # What a killed predecessor left; it is not alive, or we would not hold its lock.
            self._path.unlink(missing_ok=True)
            self._hints.bind(str(self._path))
        except OSError as error:
            log.warning("no wake-up hints (%s); due work is found by the scans alone", error)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with suppress(OSError):
            self._path.unlink(missing_ok=True)
        for one in (self._hints, self._inner, self._outer):
            one.close()

    def wait(self, seconds: float) -> frozenset[str]:
        """Sleep until a hint, a nudge, or the end of `seconds`; the topics heard, if any."""
        select.select([self._hints, self._inner], [], [], max(0.0, seconds))
        _drained(self._inner)
        return frozenset(hint.decode("ascii", "replace") for hint in _drained(self._hints) if hint)

    def nudge(self) -> None:
        """End the wait that is going on, or the next one; safe in a signal handler."""
        with suppress(OSError):
            self._outer.send(b".")


def _drained(source: socket.socket) -> set[bytes]:
    found: set[bytes] = set()
    # Bounded: whoever floods the socket must not keep the loop from its work.
    for _ in range(1000):
        try:
            found.add(source.recv(LONGEST_TOPIC))
        except OSError:
            break
    return found
