"""Real receivers on loopback, each with the manners of its script, and a spy on what is sent."""

from __future__ import annotations

import socket
import struct
import sys
import threading
from contextlib import contextmanager, suppress
from ipaddress import ip_address, ip_network
from typing import Any

from flowadmin import outbound
from flowadmin.outbound.connection import dial
from flowadmin.reachable import Reachable, read_reachable

LOOPBACK = "127.0.0.1"


class Receiver:
    """`with Receiver(script) as receiver:` listens; each connection runs `script(receiver, conn)`.

    ``connections`` counts them; ``heard`` has what each sent, where the script read it.
    """

    def __init__(self, script, *, tls=None, host=LOOPBACK, port=0):
        self.script, self.tls = script, tls
        self.connections, self.heard = 0, []
        self.stopped = threading.Event()
        self._threads = []
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, port), family=family)
        # Small buffers, on dial_narrow's side too, so that a body that nobody reads gets stuck.
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.host, self.port = host, self._listener.getsockname()[1]
        # Closing a listener does not wake its accept everywhere; so it looks up now and then.
        self._listener.settimeout(0.05)

    def __enter__(self):
        self._threads.append(threading.Thread(target=self._listen, daemon=True))
        self._threads[0].start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        for thread in self._threads:
            thread.join(10)
            assert not thread.is_alive()
        self._listener.close()

    def _listen(self):
        while not self.stopped.is_set():
            with suppress(TimeoutError):
                opened, _ = self._listener.accept()
                self.connections += 1
                thread = threading.Thread(target=self._serve, args=(opened,), daemon=True)
                self._threads.append(thread)
                thread.start()

    def _serve(self, opened):
        opened.settimeout(10)
        with opened, suppress(OSError):
            if self.tls is None:
                self.script(self, opened)
            else:
                with self.tls.wrap_socket(opened, server_side=True) as secured:
                    self.script(self, secured)

    def read(self, opened):
        """The request with its whole body, by Content-Length."""
        data = b""
        while b"\r\n\r\n" not in data:
            data += (more := opened.recv(65536))
            if not more:
                break
        head, _, body = data.partition(b"\r\n\r\n")
        length = 0
        for line in head.split(b"\r\n")[1:]:
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        while len(body) < length and (more := opened.recv(65536)):
            body += more
        self.heard.append(head + b"\r\n\r\n" + body)
        return head, body

    def drip(self, opened, piece, pause=0.02):
        """The same piece again and again, until the other side or the test has enough."""
        while not self.stopped.wait(pause):
            opened.sendall(piece)

    @property
    def url(self):
        scheme = "http" if self.tls is None else "https"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{scheme}://{host}:{self.port}/hook"

    @property
    def policy(self):
        """Rules under which this receiver may be reached, and nothing else of loopback."""
        return allowing(f"[{self.host}]:{self.port}" if ":" in self.host else self.host)


def answering(*parts):
    """A script that reads the request and sends these bytes."""

    def script(receiver, opened):
        receiver.read(opened)
        for part in parts:
            opened.sendall(part)

    return script


def reset(opened):
    """Close with RST instead of FIN."""
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    opened.close()


def dial_narrow(address, port, seconds):
    """Connects as the product does, with a send buffer that a large body does not fit into."""
    opened = dial(address, port, seconds)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    return opened


def allowing(*entries, **options):
    """A policy with these entries of the allow-list."""
    return outbound.Policy(allow=tuple(read_reachable(entry) for entry in entries), **options)


EVERYTHING = tuple(Reachable(network=ip_network(text)) for text in ("0.0.0.0/0", "::/0"))


def post(url, body=b'{"a":1}', headers=(("Content-Type", "application/json"),)):
    return outbound.Outgoing("POST", url, headers, body)


class _Names:
    def __init__(self, addresses):
        self.addresses, self.asked = addresses, []

    def __call__(self, host, seconds):
        self.asked.append(host)
        return tuple(ip_address(address) for address in self.addresses)


def leading_to(*addresses):
    """A resolver that gives these addresses for every name and remembers what it was asked."""
    return _Names(addresses)


def usual_port():
    """A free port that needs no entry, so that the port rule cannot be what refuses."""
    for port in range(9999, 8000, -1):
        with socket.socket() as four, socket.socket(socket.AF_INET6) as six, suppress(OSError):
            four.bind((LOOPBACK, port))
            six.bind(("::1", port))
            return port
    raise AssertionError("no free port")


# An audit hook cannot be taken away again, so there is one, and it sleeps unless asked.
_watching: list[list[tuple[str, tuple[Any, ...]]]] = []


def _hear(event, arguments):
    if _watching and event in {"socket.connect", "socket.sendto", "socket.getaddrinfo"}:
        _watching[-1].append((event, arguments[-1] if event == "socket.connect" else arguments))


sys.addaudithook(_hear)


@contextmanager
def network_calls():
    """Every connect, datagram and name lookup of this process while the block runs."""
    found: list[tuple[str, tuple[Any, ...]]] = []
    _watching.append(found)
    try:
        yield found
    finally:
        _watching.remove(found)
