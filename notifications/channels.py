"""One message sent outside by e-mail or to a chat, and what came of it.

E-mail goes through Django's mail backend to the server that the operator named; chats go through
`flowadmin.outbound`. Both are at-least-once: a process that dies between sending and noting it
sends again. E-mail then carries the same Message-ID, by which mail programs show it once.
"""

from __future__ import annotations

import logging
import smtplib
import ssl
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from django.conf import settings
from django.core.mail import EmailMessage

from flowadmin import outbound
from flowadmin.outbound import chat
from notifications import mail_backend
from notifications.models import CHATS, Medium

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sent:
    """What came of it. ``result`` is the class that may be shown; ``for_good``: never try again.

    ``hung``: it took all the time that there was, so others had to wait.
    """

    ok: bool
    result: str
    for_good: bool = False

    @property
    def hung(self) -> bool:
        return self.result == outbound.Result.TIMEOUT


def media_here() -> tuple[str, ...]:
    """The ways that this installation can send by at all: what the operator has set up."""
    if not settings.ENVIRONMENT.public_url:
        return ()
    mail = (Medium.EMAIL.value,) if settings.ENVIRONMENT.mail_server is not None else ()
    return (*mail, *(CHATS if chat.available() else ()))


def is_chat_address(medium: str, text: str) -> bool:
    """Whether this is an address that the chat itself hands out; nothing else is ever met."""
    return chat.is_address(medium, text)


def send(medium: str, address: str, subject: str, body: str, identity: str) -> Sent:
    """Send once, outside of any transaction; raises nothing for what happens outside.

    ``identity`` names the message, the same with each attempt.
    """
    if medium == Medium.EMAIL:
        return _mail(address, subject, body, identity)
    policy = outbound.policy_of(settings.ENVIRONMENT)
    answer = chat.send_chat(medium, address, subject, body, policy=policy)
    return Sent(answer.ok and answer.result != chat.REFUSED, str(answer.result))


def _mail(address: str, subject: str, body: str, identity: str) -> Sent:
    sender = settings.DEFAULT_FROM_EMAIL
    message = EmailMessage(
        subject,
        body,
        sender,
        [address],
        headers={
            "Message-ID": f"<{identity}@{sender.rpartition('@')[2]}>",
            # No answer of an absent person comes back to us (RFC 3834).
            "Auto-Submitted": "auto-generated",
        },
    )
    began = time.monotonic()
    try:
        message.send()
    except Exception as error:
        late = time.monotonic() - began >= mail_backend.DEADLINE_SECONDS
        sent = Sent(ok=False, result=outbound.Result.TIMEOUT.value) if late else _failure(error)
        if sent is None:
            raise
        # The words of the server may name addresses.
        log.warning("mail: %s (%s)", sent.result, type(error).__name__)
        return sent
    return Sent(ok=True, result="SENT")


def _failure(error: Exception) -> Sent | None:
    """The class of what went wrong outside; None for what is our own mistake."""
    for kind, judge in _FAILURES:
        if isinstance(error, kind):
            return judge(error)
    return None


def _of_recipient(error: Any) -> Sent:
    codes = [code for code, _words in error.recipients.values()]
    return _of_code(codes[0] if codes else 0)


def _of_code(code: int) -> Sent:
    """5xx is the server's last word on this message, 4xx asks for another attempt (RFC 5321)."""
    return Sent(ok=False, result=f"SMTP_{code}", for_good=500 <= code < 600)


def _just(result: outbound.Result) -> Callable[[Any], Sent]:
    return lambda _error: Sent(ok=False, result=result.value)


# In this order: the later ones are the former's ancestors.
_FAILURES: Final[tuple[tuple[type[Exception], Callable[[Any], Sent]], ...]] = (
    (smtplib.SMTPRecipientsRefused, _of_recipient),
    # A wrong password or a refused greeting is mended by the operator, not by the message.
    (smtplib.SMTPAuthenticationError, lambda e: Sent(ok=False, result=f"SMTP_{e.smtp_code}")),
    (smtplib.SMTPConnectError, lambda e: Sent(ok=False, result=f"SMTP_{e.smtp_code}")),
    (smtplib.SMTPHeloError, lambda e: Sent(ok=False, result=f"SMTP_{e.smtp_code}")),
    (smtplib.SMTPResponseException, lambda e: _of_code(e.smtp_code)),
    (smtplib.SMTPServerDisconnected, _just(outbound.Result.CONNECTION)),
    (smtplib.SMTPException, _just(outbound.Result.PROTOCOL)),
    (ssl.SSLError, _just(outbound.Result.TLS)),
    (TimeoutError, _just(outbound.Result.TIMEOUT)),
    (OSError, _just(outbound.Result.CONNECTION)),
)
