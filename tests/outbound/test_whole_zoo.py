"""The whole zoo against the product's own limits: ten seconds, and hardly any memory (2.5)."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.outbound.receivers import Receiver, answering, reset

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]
MIB = 2**20
MOST_SECONDS, MOST_BYTES = 10.5, 8 * MIB
# What a machine with two busy cores may add to the seconds of others.
SLACK_SECONDS = 2.0
OK = b"HTTP/1.1 200 OK\r\n"
EMPTY = b"Content-Length: 0\r\n\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"


def plain(status, *lines):
    """A receiver that answers with this status."""
    return answering(f"HTTP/1.1 {status}\r\n".encode(), *lines, EMPTY)


def streams(head, piece, times):
    """A receiver whose answer has a body of so many pieces."""

    def script(zoo, opened):
        zoo.read(opened)
        opened.sendall(OK + head)
        for _ in range(times):
            opened.sendall(piece)

    return script


def drips(begin, piece, pause=0.5):
    """A receiver that never ends."""

    def script(zoo, opened):
        zoo.read(opened)
        opened.sendall(begin)
        zoo.drip(opened, piece, pause)

    return script


def hangs(zoo, opened):
    zoo.read(opened)
    zoo.stopped.wait(60)


def never_reads(zoo, _opened):
    zoo.stopped.wait(60)


def closes_at_once(_zoo, _opened):
    """The end of the script closes it."""


def resets_at_once(_zoo, opened):
    reset(opened)


def breaks_off(zoo, opened):
    zoo.read(opened)
    opened.sendall(OK + b"Content-Length: 10\r\n\r\nab")
    zoo.stopped.wait(0.3)  # a reset takes away what nobody has read yet
    reset(opened)


def waits_before_the_close(zoo, opened):
    zoo.read(opened)
    opened.sendall(OK + EMPTY)
    zoo.stopped.wait(60)


def answers_before_the_body(zoo, opened):
    opened.recv(16)
    opened.sendall(b"HTTP/1.1 413 Large\r\n" + EMPTY)
    zoo.stopped.wait(0.2)


PACKED = gzip.compress(b"\0" * (64 * MIB))
BOMB = b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(PACKED)
HEADERS = b"".join(b"X-%d: %s\r\n" % (number, b"a" * 1000) for number in range(2000))
ANSWERED = {
    "200": (plain("200 OK"), "HTTP_200"),
    "200, until the end": (answering(OK, b"\r\nthe end"), "HTTP_200"),
    "204": (answering(b"HTTP/1.1 204 No Content\r\n\r\n"), "HTTP_204"),
    "200 that says no": (
        answering(OK, b"Content-Length: 10\r\n\r\n", b'{"code":1}'),
        "HTTP_200",
    ),
    "100, then 200": (answering(b"HTTP/1.1 100 Continue\r\n\r\n", OK, EMPTY), "HTTP_200"),
    "a cookie": (plain("200 OK", b"Set-Cookie: a=b\r\n"), "HTTP_200"),
    "keeps the connection": (plain("200 OK", b"Connection: keep-alive\r\n"), "HTTP_200"),
    "waits before it closes": (waits_before_the_close, "HTTP_200"),
    "breaks off": (breaks_off, "HTTP_200"),
    "200 MiB": (streams(CHUNKED, b"100000\r\n%s\r\n" % (b"a" * MIB), 200), "HTTP_200"),
    "64 MiB, packed": (streams(BOMB, PACKED, 1), "HTTP_200"),
    "301": (plain("301 Moved", b"Location: http://169.254.169.254/\r\n"), "HTTP_301"),
    "302": (plain("302 Found", b"Location: http://169.254.169.254/\r\n"), "HTTP_302"),
    "303": (plain("303 Other", b"Location: /\r\n"), "HTTP_303"),
    "307": (plain("307 There", b"Location: /\r\n"), "HTTP_307"),
    "308": (plain("308 There", b"Location: /\r\n"), "HTTP_308"),
    "410": (plain("410 Gone"), "HTTP_410"),
    "413, before the body": (answers_before_the_body, "HTTP_413"),
    "429": (plain("429 Slowly", b"Retry-After: 5\r\n"), "HTTP_429"),
    "503, for ever": (plain("503 Away", b"Retry-After: 99999999\r\n"), "HTTP_503"),
    "2 MB of headers": (answering(OK, HEADERS, b"\r\n"), "PROTOCOL"),
    "SSH": (answering(b"SSH-2.0-OpenSSH_9.2\r\n"), "PROTOCOL"),
    "bytes": (answering(bytes(range(256)) * 8), "PROTOCOL"),
    "HTTP/0.9": (answering(b"<html>hello</html>"), "PROTOCOL"),
    "two lengths": (
        answering(OK, b"Content-Length: 1\r\nContent-Length: 2\r\n\r\na"),
        "PROTOCOL",
    ),
    "closes at once": (closes_at_once, "CONNECTION"),
    "resets at once": (resets_at_once, "CONNECTION"),
}
ENDLESS = {
    "hangs": (hangs, "TIMEOUT"),
    "never reads": (never_reads, "TIMEOUT"),
    "drips its head": (drips(OK, b"X-A: b\r\n"), "TIMEOUT"),
    "drips its status": (drips(b"HTTP/1.1 200 ", b"O"), "TIMEOUT"),
    "1xx without end": (drips(b"", b"HTTP/1.1 100 Go on\r\n\r\n" * 50, 0.01), "TIMEOUT"),
    "drips its body": (drips(OK + CHUNKED, b"1\r\na\r\n"), "HTTP_200"),
}
# Closed while the answer is under way: what the kernel tells depends on which byte was read.
EITHER = {"closes at once": {"CONNECTION", "TLS"}, "resets at once": {"CONNECTION", "TLS"}}


def test_each_ends_in_time_and_none_fills_the_memory(certificates):
    """Issue 5: within 10.5 s and 8 MiB, over http and https."""
    secured, zoo = certificates.literal.server(), ANSWERED | ENDLESS
    with ExitStack() as stack:
        opened = {
            (name, tls is not None): stack.enter_context(Receiver(script, tls=tls))
            for name, (script, _result) in zoo.items()
            for tls in (None, secured)
        }
        urls = {each: receiver.url for each, receiver in opened.items()}
        # One after the other, so that the memory is each one's own; the endless ones together.
        waves = [[urls["200", False], urls["200", True]]]
        waves += [[urls[name, tls]] for name in ANSWERED for tls in (False, True)]
        waves.append([urls[name, tls] for name in ENDLESS for tls in (False, True)])
        done = subprocess.run(
            [sys.executable, "-m", "tests.outbound.sending"],
            cwd=ROOT,
            input=json.dumps({"ca": str(certificates.literal.path), "waves": waves}),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert len(told["said"]) == 2 * len(zoo)
    for (name, tls), url in urls.items():
        answer = told["said"][url]
        assert answer["result"] in EITHER.get(name, {zoo[name][1]}), (name, tls)
        assert answer["seconds"] <= MOST_SECONDS + SLACK_SECONDS, (name, tls)
        assert (name in ENDLESS) == (answer["seconds"] > 9.9), (name, tls)
    assert told["grown"] <= MOST_BYTES, told["grown"] / MIB
