"""One request and its answer over an open socket, both directions at once, under one deadline.

Theory: the socket does not block; whenever neither direction moves, one wait for either takes
what is left of the whole attempt. So an early answer is read while the request still goes out
(a receiver that answers 413 and reads no further), and no rhythm of single bytes gains time.
h11 turns bytes into events and refuses what is no HTTP/1; it never sees the socket.
"""

from __future__ import annotations

import selectors
import ssl
from typing import TYPE_CHECKING, Final

import h11

from flowadmin.outbound.messages import (
    ANSWER_BYTES,
    ANSWER_HEADER_BYTES,
    Failed,
    Note,
    Result,
)

if TYPE_CHECKING:
    import socket

    from flowadmin.outbound.deadline import Deadline

CHUNK: Final = 16 * 1024
BEGINNING: Final = b"HTTP/"


class Exchange:
    """One use of one socket: `ask` once, then `body` once. Whoever opened the socket closes it."""

    def __init__(self, opened: socket.socket, deadline: Deadline) -> None:
        self._socket = opened
        self._deadline = deadline
        self._parser = h11.Connection(h11.CLIENT, max_incomplete_event_size=ANSWER_HEADER_BYTES)
        self._unsent = memoryview(b"")
        self._blocked_sending = False
        self._first = b""
        opened.settimeout(0)

    def ask(self, request: h11.Request, body: bytes) -> h11.Response:
        """Send the request and give the head of its final answer.

        Raises Failed: TIMEOUT, CONNECTION (closed or reset before a byte came), PROTOCOL, TLS.
        """
        parts = [self._parser.send(request)]
        if body:
            parts.append(self._parser.send(h11.Data(data=body)))
        parts.append(self._parser.send(h11.EndOfMessage()))
        self._unsent = memoryview(b"".join(part for part in parts if part))
        while True:
            event = self._event()
            if isinstance(event, h11.Response):
                return event
            if not isinstance(event, h11.InformationalResponse):
                raise Failed(Result.PROTOCOL, "the answer ended before its head")

    def body(self) -> tuple[bytes, Note, str]:
        """At most ANSWER_BYTES of the answer's body, what happened to it, and in which words.

        Raises nothing: the head has decided the result (reliability 4.3).
        """
        kept = bytearray()
        try:
            while isinstance(event := self._event(), h11.Data):
                kept += event.data
                if len(kept) > ANSWER_BYTES:
                    return bytes(kept[:ANSWER_BYTES]), Note.TRUNCATED, "the answer was cut"
        except Failed as failed:
            note = Note.TIMEOUT if failed.code is Result.TIMEOUT else Note.BROKEN
            return bytes(kept), note, failed.detail
        return bytes(kept), Note.WHOLE, ""

    def left_over(self) -> bytes:
        """What came behind the answer's head and belongs to no message; after a CONNECT."""
        return self._parser.trailing_data[0]

    def _event(self) -> h11.Event:
        while True:
            self._deadline.left("reading the answer")
            try:
                event = self._parser.next_event()
                if isinstance(event, h11.Event):
                    return event
                self._parser.receive_data(self._more())
            except h11.RemoteProtocolError as error:
                raise Failed(Result.PROTOCOL, f"not HTTP: {error}") from None

    def _more(self) -> bytes:
        """Bytes of the answer, at least one, or b"" at its end; sends meanwhile what is unsent."""
        while True:
            moved = self._push()
            try:
                found = self._socket.recv(CHUNK)
            except ssl.SSLWantWriteError:
                self._blocked_sending = True
            except (BlockingIOError, ssl.SSLWantReadError):
                pass
            except ssl.SSLError as error:
                raise Failed(Result.TLS, error.reason or str(error)) from None
            except OSError as error:
                raise Failed(Result.CONNECTION, f"reading: {error}") from None
            else:
                return self._looked_at(found)
            if not moved:
                self._wait()

    def _looked_at(self, found: bytes) -> bytes:
        """The same bytes, unless they cannot begin an answer: then there is no need to wait."""
        if len(self._first) < len(BEGINNING):
            if not found and not self._first:
                raise Failed(Result.CONNECTION, "closed before the answer began")
            self._first += found[: len(BEGINNING) - len(self._first)]
            if not BEGINNING.startswith(self._first):
                raise Failed(Result.PROTOCOL, f"not HTTP: begins with {self._first!r}")
        return found

    def _push(self) -> bool:
        """Send what the socket takes now; whether it took something."""
        self._blocked_sending = False
        if not self._unsent:
            return False
        try:
            sent = self._socket.send(self._unsent[:CHUNK])
        except (BlockingIOError, ssl.SSLWantWriteError):
            self._blocked_sending = True
            return False
        except ssl.SSLWantReadError:
            return False
        except OSError:
            # It may have answered before it stopped to listen; reading will tell.
            self._unsent = memoryview(b"")
            return False
        self._unsent = self._unsent[sent:]
        return sent > 0

    def _wait(self) -> None:
        events = selectors.EVENT_READ
        if self._blocked_sending:
            events |= selectors.EVENT_WRITE
        with selectors.PollSelector() as ready:
            ready.register(self._socket, events)
            ready.select(self._deadline.left("waiting for the answer"))
