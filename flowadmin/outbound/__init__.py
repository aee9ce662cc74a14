"""The one room that opens outgoing HTTP connections: callbacks, `http` steps, notice channels.

Its face::

    from flowadmin import outbound

    policy = outbound.policy_of(settings.ENVIRONMENT)
    request = outbound.Outgoing("POST", url, (("Content-Type", "application/json"),), body)
    outbound.check(request, policy)          # when a target is written: raises NotAllowed
    answer = outbound.send(request, policy=policy)   # never raises; never in a transaction
    answer.ok, answer.result, answer.status, answer.headers, answer.body, answer.note

What holds for every attempt (reliability 2.6, 4.3, 4.6):

- The target is read strictly (`targets`), its name resolved once, and every address that comes
  back is judged by our own table (`addresses`) and the installation's allow-list (`policy`).
- The connection goes to an address that was judged; Host, SNI and the certificate's name stay
  the target's. There are no redirects, cookies, kept connections or proxies from the environment.
- One deadline by the monotonic clock holds for lookup, connection, TLS, sending and reading.
- At most 64 KiB of the answer are kept and nothing is inflated. A status line that came decides
  the result, whatever happens to the body afterwards.
- `answer.result` (``HTTP_<code> TIMEOUT CONNECTION TLS PROTOCOL NOT_ALLOWED``) may be shown to
  people; `answer.detail` is for the operators' log, which `send` writes.

Who may import it is a contract in pyproject.toml (``outbound``). It knows no rows and no Django.
"""

from __future__ import annotations

from flowadmin.outbound.messages import (
    ANSWER_BYTES,
    BODY_BYTES,
    METHODS,
    Answer,
    NotAllowed,
    Note,
    Objection,
    Outgoing,
    Result,
)
from flowadmin.outbound.policy import CLOSED, Policy, policy_of
from flowadmin.outbound.resolver import Resolver, resolve
from flowadmin.outbound.transport import DEADLINE_SECONDS, check, send

__all__ = [
    "ANSWER_BYTES",
    "BODY_BYTES",
    "CLOSED",
    "DEADLINE_SECONDS",
    "METHODS",
    "Answer",
    "NotAllowed",
    "Note",
    "Objection",
    "Outgoing",
    "Policy",
    "Resolver",
    "Result",
    "check",
    "policy_of",
    "resolve",
    "send",
]
