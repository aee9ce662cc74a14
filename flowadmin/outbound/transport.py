"""One attempt from its target's text to a typed answer; nothing that fails outside raises here."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import h11

from flowadmin.outbound import connection
from flowadmin.outbound.deadline import Deadline
from flowadmin.outbound.exchange import Exchange
from flowadmin.outbound.messages import Answer, Failed, NotAllowed, Outgoing, Result, check_shape
from flowadmin.outbound.resolver import RESOLVE_SECONDS, resolve
from flowadmin.outbound.targets import Target, read_target

if TYPE_CHECKING:
    import socket
    import ssl
    from collections.abc import Callable

    from flowadmin.outbound.addresses import Address
    from flowadmin.outbound.connection import Dial
    from flowadmin.outbound.policy import Policy
    from flowadmin.outbound.resolver import Resolver

log = logging.getLogger(__name__)

# Seeds 001 and 004; reliability 4.3.
DEADLINE_SECONDS: Final = 10.0
WITH_BODY: Final = {"POST", "PUT", "PATCH"}


def check(request: Outgoing, policy: Policy) -> Target:
    """Judge a request as far as that is possible without asking for addresses; sends nothing.

    For the moment when a target is written down; `send` does it again and decides.
    Raises NotAllowed with code and position.
    """
    check_shape(request)
    target = read_target(request.url)
    policy.check_target(target)
    return target


def send(
    request: Outgoing,
    *,
    policy: Policy,
    deadline_seconds: float = DEADLINE_SECONDS,
    resolver: Resolver = resolve,
    dial: Dial = connection.dial,
    trust: ssl.SSLContext | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Answer:
    """Send once and answer what came of it. Synchronous; any number of threads may call it.

    Args:
        request: what to send.
        policy: what may be reached; `policy_of(settings.ENVIRONMENT)`.
        deadline_seconds: the end of the whole attempt, name lookup included.
        resolver: asked once; every address that it gives must be allowed, else none is met.
        dial: opens the TCP connection to a checked address.
        trust: which certificates to believe; the system's by default.
        clock: monotonic seconds.

    Raises nothing for what is wrong with the request or happens outside: the Answer says it.
    Never inside a transaction (decision 9). Source: reliability 4.3 and 4.6.
    """
    deadline = Deadline(deadline_seconds, clock)
    place = "(not read)"
    try:
        target = check(request, policy)
        place = f"{target.scheme}://{target.authority}"
        answer = _attempt(request, target, policy, deadline, resolver, dial, trust)
    except NotAllowed as objection:
        answer = Answer(Result.NOT_ALLOWED, detail=str(objection))
    except Failed as failed:
        answer = Answer(failed.code, detail=failed.detail)
    answer = replace(answer, seconds=deadline.spent())
    # Path, query, headers and bodies may hold secrets; the words from outside may hold anything.
    log.log(
        logging.INFO if answer.ok else logging.WARNING,
        "outbound %s %s: %s %s %s (%.3f s)",
        ascii(request.method)[1:-1],
        place,
        answer.result,
        answer.note or "-",
        ascii(answer.detail),
        answer.seconds,
    )
    return answer


def permitted(
    target: Target, policy: Policy, deadline: Deadline, resolver: Resolver
) -> tuple[Address, ...]:
    """The addresses of a target, all of them allowed. Raises NotAllowed or Failed.

    A mixed answer (one public, one private) is refused as a whole: whoever controls the name
    would choose by failing the first connection.
    """
    if target.literal is not None:
        return (target.literal,)
    addresses = resolver(target.host, deadline.part(RESOLVE_SECONDS).left("resolving"))
    if not addresses:
        raise Failed(Result.CONNECTION, "the name has no address")
    for address in addresses:
        policy.check_address(target, address)
    return addresses


def _attempt(
    request: Outgoing,
    target: Target,
    policy: Policy,
    deadline: Deadline,
    resolver: Resolver,
    dial: Dial,
    trust: ssl.SSLContext | None,
) -> Answer:
    addresses = permitted(target, policy, deadline, resolver)
    opened: socket.socket
    if policy.proxy is None:
        opened = connection.open_direct(addresses, target.port, deadline, dial)
    else:
        opened = connection.open_by_proxy(
            addresses, target.port, deadline, policy.proxy, resolver, dial
        )
    if target.https:
        opened = connection.secure(opened, target, deadline, trust or connection.system_trust())
    with opened:
        exchange = Exchange(opened, deadline)
        head = exchange.ask(_head(request, target), request.body)
        body, note, detail = exchange.body()
    return Answer(
        result=f"HTTP_{head.status_code}",
        status=head.status_code,
        headers=tuple(
            (name.decode("ascii"), value.decode("latin-1"))
            for name, value in head.headers
            if name != b"set-cookie"
        ),
        body=body,
        note=note,
        detail=detail,
    )


def _head(request: Outgoing, target: Target) -> h11.Request:
    headers = [("Host", target.authority), *request.headers]
    headers += [("Accept-Encoding", "identity"), ("Connection", "close")]
    if request.body or request.method in WITH_BODY:
        headers.append(("Content-Length", str(len(request.body))))
    return h11.Request(method=request.method, target=target.path, headers=headers)
