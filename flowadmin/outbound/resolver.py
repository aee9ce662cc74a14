"""Asking the system for a name's addresses, with an end to the wait, and for its own addresses."""

from __future__ import annotations

import queue
import socket
import threading
from collections.abc import Callable
from ipaddress import IPv6Address
from typing import TYPE_CHECKING, Final

from flowadmin.outbound.addresses import addresses_of
from flowadmin.outbound.deadline import Deadline
from flowadmin.outbound.messages import Failed, Result

if TYPE_CHECKING:
    from flowadmin.outbound.addresses import Address

# getaddrinfo cannot be called off: measured, it ran 5 s past a limit of 3 s (reliability 2.5).
# So it runs in a thread that is left behind, and there are never more than this many of them.
LOOKUPS: Final = 16
RESOLVE_SECONDS: Final = 3.0

# Host and seconds → its addresses. Raises Failed(CONNECTION or TIMEOUT).
Resolver = Callable[[str, float], "tuple[Address, ...]"]

_slots = threading.BoundedSemaphore(LOOKUPS)


def resolve(host: str, seconds: float) -> tuple[Address, ...]:
    """All addresses of a name, each once, in the system's order; at least one.

    Raises Failed: TIMEOUT when `seconds` pass first, or when too many lookups hang already (it
    fails closed); CONNECTION when the name is unknown.
    """
    limit = Deadline(seconds)
    if not _slots.acquire(timeout=limit.left("resolving")):
        raise Failed(Result.TIMEOUT, f"{LOOKUPS} lookups hang already")
    found: queue.SimpleQueue[tuple[Address, ...] | Exception] = queue.SimpleQueue()
    try:
        threading.Thread(
            target=_look_up, args=(host, found), name="outbound-lookup", daemon=True
        ).start()
    except RuntimeError:  # the system gives no more threads
        _slots.release()
        raise Failed(Result.CONNECTION, "no thread for a lookup") from None
    try:
        answer = found.get(timeout=limit.left("resolving"))
    except queue.Empty:
        raise Failed(Result.TIMEOUT, "the name's lookup did not end") from None
    if isinstance(answer, Exception) or not answer:
        raise Failed(Result.CONNECTION, f"the name has no address ({answer})")
    return answer


def _look_up(host: str, found: queue.SimpleQueue[tuple[Address, ...] | Exception]) -> None:
    try:
        rows = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        found.put(addresses_of(str(row[4][0]) for row in rows))
    except (OSError, ValueError) as error:
        found.put(error)
    finally:
        _slots.release()


def on_this_machine(address: Address) -> bool:
    """Whether packets to this address would stay on this machine. Sends none.

    "Connecting" a datagram socket only asks the routing table; for an address of our own the
    source it would use is that very address.
    """
    if address.is_loopback or address.is_unspecified:
        return True
    six = isinstance(address, IPv6Address)
    try:
        with socket.socket(socket.AF_INET6 if six else socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect((str(address), 9))
            return addresses_of([str(probe.getsockname()[0])]) == (address,)
    except OSError:
        return False
