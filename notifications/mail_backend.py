"""Django's mail backend with one deadline for a whole conversation with the mail server.

The time-outs of a socket begin anew with every byte, so a server that sends one now and then would
hold a thread for ever. Here a timer shuts the connection down, through a second descriptor of it,
whatever stands above it at that moment: greeting, TLS, password, message or farewell.
"""

from __future__ import annotations

import smtplib
import socket
import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from django.core.mail.backends.smtp import EmailBackend

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.core.mail.message import EmailMessage

# As for every attempt to the outside (seed 001 P38).
DEADLINE_SECONDS = 10.0


class _Guard:
    """Shuts down what it watches when the time is over."""

    def __init__(self, seconds: float) -> None:
        self._twin: socket.socket | None = None
        self._lock = threading.Lock()
        self._over = False
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> _Guard:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        with self._lock:
            if self._twin is not None:
                self._twin.close()

    def watch(self, opened: socket.socket) -> None:
        """Keep a second descriptor: the first is handed on when TLS begins."""
        with self._lock:
            self._twin = opened.dup()
            if self._over:
                self._shut()

    def _end(self) -> None:
        with self._lock:
            self._over = True
            self._shut()

    def _shut(self) -> None:
        if self._twin is not None:
            with suppress(OSError):
                self._twin.shutdown(socket.SHUT_RDWR)


class _Plain(smtplib.SMTP):
    def __init__(self, *given: Any, guard: _Guard, **named: Any) -> None:
        self._guard = guard
        super().__init__(*given, **named)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        opened = socket.create_connection((host, port), timeout, self.source_address)
        self._guard.watch(opened)
        return opened


class _Secure(_Plain, smtplib.SMTP_SSL):
    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        opened = super()._get_socket(host, port, timeout)
        return self.context.wrap_socket(opened, server_hostname=host)


class MailBackend(EmailBackend):
    """Sends as Django's own does, in `DEADLINE_SECONDS` at most."""

    _guard: _Guard

    @property
    def connection_class(self) -> Any:
        return partial(_Secure if self.use_ssl else _Plain, guard=self._guard)

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """How many were sent. Raises what Django's backend raises, in time."""
        with _Guard(DEADLINE_SECONDS) as self._guard:
            return super().send_messages(email_messages)

    def open(self) -> bool | None:
        try:
            return super().open()
        except (smtplib.SMTPException, OSError):
            self.close()
            raise

    def _close_connection(self, connection: smtplib.SMTP) -> None:
        """Say farewell. What fails now changes nothing: the message was taken, or refused."""
        try:
            connection.quit()
        except (smtplib.SMTPException, OSError):
            connection.close()
