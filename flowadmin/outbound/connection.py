"""Opening the connection: to a checked address, through the proxy if there is one, with TLS."""

from __future__ import annotations

import base64
import socket
import ssl
from collections.abc import Callable
from functools import cache
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, Final

import h11

from flowadmin.outbound.addresses import canonical
from flowadmin.outbound.exchange import Exchange
from flowadmin.outbound.messages import Failed, Result

if TYPE_CHECKING:
    from flowadmin.outbound.addresses import Address
    from flowadmin.outbound.deadline import Deadline
    from flowadmin.outbound.resolver import Resolver
    from flowadmin.outbound.targets import Target
    from flowadmin.reachable import Proxy

# All addresses of a name together (reliability 4.3), and the least for one of many.
CONNECT_SECONDS: Final = 5.0
LEAST_SECONDS: Final = 1.0

# Address, port, seconds → a connected socket. Raises OSError (TimeoutError among them).
Dial = Callable[["Address", int, float], socket.socket]


def dial(address: Address, port: int, seconds: float) -> socket.socket:
    """Connect to exactly this address. The only place of the product that opens TCP for HTTP."""
    six = isinstance(address, IPv6Address)
    opened = socket.socket(socket.AF_INET6 if six else socket.AF_INET, socket.SOCK_STREAM)
    try:
        opened.settimeout(seconds)
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        opened.connect((str(address), port))
    except BaseException:
        opened.close()
        raise
    return opened


@cache
def system_trust() -> ssl.SSLContext:
    """The system's certificates (SSL_CERT_FILE and SSL_CERT_DIR add a company's own), TLS 1.2 on.

    Names are always checked; there is no switch to leave that out. Read once for each process.
    """
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    return context


def open_direct(
    addresses: tuple[Address, ...], port: int, deadline: Deadline, dial: Dial
) -> socket.socket:
    """Connect to the first of the checked addresses that answers.

    Raises Failed: TIMEOUT when the last one tried did not answer in its share of the time,
    CONNECTION when it refused or cannot be reached.
    """
    limit = deadline.part(CONNECT_SECONDS)
    failed = Failed(Result.CONNECTION, "no address")
    for place, address in enumerate(addresses):
        left = limit.left(f"connecting to {address}")
        share = min(left, max(LEAST_SECONDS, left / (len(addresses) - place)))
        try:
            return dial(address, port, share)
        except TimeoutError:
            failed = Failed(Result.TIMEOUT, f"{address} port {port} did not answer")
        except OSError as error:
            failed = Failed(Result.CONNECTION, f"{address} port {port}: {error}")
    raise failed


def open_by_proxy(
    addresses: tuple[Address, ...],
    port: int,
    deadline: Deadline,
    proxy: Proxy,
    resolver: Resolver,
    dial: Dial,
) -> socket.socket:
    """A tunnel through the operator's proxy to the first checked address that it reaches.

    The proxy gets the address and not the name: asked again, the name could lead elsewhere than
    to what was checked. What it answers is never the target's status. Raises Failed.
    """
    try:
        ways: tuple[Address, ...] = (canonical(ip_address(proxy.host)),)
    except ValueError:
        ways = resolver(proxy.host, deadline.left("resolving the proxy"))
    failed = Failed(Result.CONNECTION, "no address")
    for address in addresses:
        opened = open_direct(ways, proxy.port, deadline, dial)
        try:
            _tunnel(opened, address, port, proxy, deadline)
        except Failed as error:
            opened.close()
            failed = Failed(error.code, f"proxy, to {address} port {port}: {error.detail}")
        except BaseException:
            opened.close()
            raise
        else:
            return opened
    raise failed


def _tunnel(
    opened: socket.socket, address: Address, port: int, proxy: Proxy, deadline: Deadline
) -> None:
    place = f"[{address}]:{port}" if isinstance(address, IPv6Address) else f"{address}:{port}"
    headers = [("Host", place)]
    if proxy.user or proxy.password:
        pair = base64.b64encode(f"{proxy.user}:{proxy.password}".encode()).decode("ascii")
        headers.append(("Proxy-Authorization", f"Basic {pair}"))
    exchange = Exchange(opened, deadline)
    head = exchange.ask(h11.Request(method="CONNECT", target=place, headers=headers), b"")
    if not 200 <= head.status_code < 300:
        raise Failed(Result.CONNECTION, f"it answered {head.status_code}")
    if exchange.left_over():
        raise Failed(Result.PROTOCOL, "it spoke before we did")


def secure(
    opened: socket.socket, target: Target, deadline: Deadline, trust: ssl.SSLContext
) -> ssl.SSLSocket:
    """TLS over a connection, for the target's name (SNI and certificate), whatever the address.

    Raises Failed: TLS, CONNECTION when the other side just went away, TIMEOUT. The socket given
    is closed or taken over in each case.
    """
    secured: socket.socket = opened
    try:
        opened.settimeout(deadline.left("beginning TLS"))
        # The handshake apart: within this call a failure would leave nobody to close the socket.
        wrapped = secured = trust.wrap_socket(
            opened, server_hostname=target.host, do_handshake_on_connect=False
        )
        secured.settimeout(deadline.left("in the TLS handshake"))
        wrapped.do_handshake()
    except OSError as error:
        secured.close()
        _close_half_made(error)
        raise _of_handshake(error) from None
    except BaseException:
        secured.close()
        raise
    return wrapped


def _close_half_made(error: OSError) -> None:
    """Close the socket that `wrap_socket` had taken over when it failed, and that nobody returns.

    The race: the other side resets the connection before the call looks at it. Only the frames of
    the failure still know the new socket; without this it stays open until it is collected.
    """
    step = error.__traceback__
    while step is not None:
        made = step.tb_frame.f_locals.get("self")
        if isinstance(made, ssl.SSLSocket):
            made.close()
        step = step.tb_next


def _of_handshake(error: OSError) -> Failed:
    if isinstance(error, TimeoutError):
        return Failed(Result.TIMEOUT, "the TLS handshake did not end")
    if isinstance(error, ssl.SSLEOFError) or not isinstance(error, ssl.SSLError):
        return Failed(Result.CONNECTION, f"gone in the TLS handshake: {error}")
    return Failed(Result.TLS, getattr(error, "verify_message", "") or error.reason or str(error))
