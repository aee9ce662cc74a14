"""The zoo: what each kind of receiver leads to, over plain and secured connections (2.5)."""

from __future__ import annotations

import gzip
import os
import threading
from pathlib import Path

import pytest

from flowadmin import outbound
from flowadmin.outbound import ANSWER_BYTES, Note
from tests.outbound.receivers import (
    Receiver,
    allowing,
    answering,
    dial_narrow,
    leading_to,
    post,
    reset,
)

HEAD = b"HTTP/1.1 200 OK\r\n"
# Long enough for a busy machine to come to the interesting place, short enough to wait for it.
SHORT = 1.5


class Named(Receiver):
    """A receiver that is reached by a name of its own."""

    trust = None

    def send(self, request=None, **options):
        options = {
            "policy": allowing("receiver.test"),
            "resolver": leading_to("127.0.0.1"),
            "trust": self.trust,
        } | options
        return outbound.send(request or post(f"{url_of(self)}/hook?a=b"), **options)


@pytest.fixture(params=["http", "https"])
def receiver(request):
    """`receiver(script)`: listens; `send(...)` reaches it by its name."""
    tls, trust = None, None
    if request.param == "https":
        certificate = request.getfixturevalue("certificates").good
        tls, trust = certificate.server(), certificate.trust()
    opened = []

    def start(script):
        found = Named(script, tls=tls)
        found.trust = trust
        found.__enter__()
        opened.append(found)
        return found

    yield start
    for found in opened:
        found.__exit__()


# Answers that decide -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "result", "ok"),
    [
        ((HEAD, b"Content-Length: 0\r\n\r\n"), "HTTP_200", True),
        ((HEAD, b"\r\nuntil the end"), "HTTP_200", True),
        ((b"HTTP/1.1 204 No Content\r\n\r\n",), "HTTP_204", True),
        ((b"HTTP/1.0 200 OK\r\n\r\n",), "HTTP_200", True),
        ((b"HTTP/1.1 299 \r\n\r\n",), "HTTP_299", True),
        ((b"HTTP/1.1 100 Continue\r\n\r\n", HEAD, b"\r\n"), "HTTP_200", True),
        ((HEAD, b"Content-Length: 10\r\n\r\n", b'{"code":1}'), "HTTP_200", True),
        ((b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\n\r\n",), "HTTP_302", False),
        ((b"HTTP/1.1 410 Gone\r\n\r\n",), "HTTP_410", False),
        ((b"HTTP/1.1 429 Slow\r\nRetry-After: 5\r\n\r\n",), "HTTP_429", False),
        ((b"HTTP/1.1 503 No\r\nRetry-After: 99999999\r\n\r\n",), "HTTP_503", False),
        ((b"HTTP/1.1 101 Other\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",), "PROTOCOL", False),
        ((b"HTTP/1.1 600 Odd\r\n\r\n",), "HTTP_600", False),
    ],
)
def test_an_answer_decides(receiver, parts, result, ok):
    answer = receiver(answering(*parts)).send()
    assert (answer.result, answer.ok, answer.note) == (result, ok, Note.WHOLE)


def test_what_arrives_is_what_was_given(receiver):
    zoo = receiver(answering(HEAD, b"\r\n"))
    headers = (("X-Flow-Event-Id", "evt_1"), ("Content-Type", "application/json"))
    body = '{"名": "é"}'.encode()
    zoo.send(outbound.Outgoing("POST", f"{url_of(zoo)}/a%2fb/../c?d=%20", headers, body))
    assert zoo.heard == [
        b"POST /a%2fb/../c?d=%20 HTTP/1.1\r\n"
        + f"Host: receiver.test:{zoo.port}\r\n".encode()
        + b"X-Flow-Event-Id: evt_1\r\nContent-Type: application/json\r\n"
        + b"Accept-Encoding: identity\r\nConnection: close\r\n"
        + f"Content-Length: {len(body)}\r\n\r\n".encode()
        + body
    ]


@pytest.mark.parametrize(
    ("method", "length"),
    [("GET", None), ("DELETE", None), ("HEAD", None), ("POST", b"0"), ("PUT", b"0")],
)
def test_a_request_without_a_body(receiver, method, length):
    zoo = receiver(answering(HEAD, b"Content-Length: 0\r\n\r\n"))
    assert zoo.send(outbound.Outgoing(method, url_of(zoo))).result == "HTTP_200"
    line, _, rest = zoo.heard[0].partition(b"\r\n")
    assert line == f"{method} / HTTP/1.1".encode()
    assert (b"Content-Length: 0" in rest) is (length is not None)
    assert b"Transfer-Encoding" not in rest


def url_of(zoo):
    return f"{'https' if zoo.tls else 'http'}://receiver.test:{zoo.port}"


def test_head_and_body_of_the_answer_are_kept(receiver):
    zoo = receiver(
        answering(
            HEAD,
            b"Content-Type: application/json\r\nX-Cafe: \xc3\xa9\r\n",
            b"Set-Cookie: a=b\r\nTransfer-Encoding: chunked\r\n\r\n",
            b'4\r\n{"a"\r\n3\r\n:1}\r\n0\r\n\r\n',
        )
    )
    answer = zoo.send()
    assert (answer.body, answer.note) == (b'{"a":1}', Note.WHOLE)
    assert answer.header("content-type") == "application/json"
    assert answer.header("x-cafe") == b"\xc3\xa9".decode("latin-1")
    assert answer.header("set-cookie") is None


def test_no_cookie_and_no_connection_is_kept(receiver):
    zoo = receiver(answering(HEAD, b"Set-Cookie: a=b\r\nContent-Length: 0\r\n\r\n"))
    zoo.send()
    zoo.send()
    assert zoo.connections == 2
    assert b"a=b" not in zoo.heard[1].partition(b"?a=b ")[2]


# Answers that are too much -------------------------------------------------------------------


def test_a_huge_answer_is_cut(receiver):
    sent = []

    def huge(zoo, opened):
        zoo.read(opened)
        opened.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        piece = b"%x\r\n%s\r\n" % (2**20, b"a" * 2**20)
        for _ in range(200):
            opened.sendall(piece)
            sent.append(1)

    answer = receiver(huge).send()
    assert (answer.result, answer.note) == ("HTTP_200", Note.TRUNCATED)
    assert answer.body == b"a" * ANSWER_BYTES
    assert len(sent) < 200


def test_an_answer_of_just_the_limit_is_whole(receiver):
    length = f"Content-Length: {ANSWER_BYTES}\r\n\r\n".encode()
    answer = receiver(answering(HEAD, length, b"a" * ANSWER_BYTES)).send()
    assert (len(answer.body), answer.note) == (ANSWER_BYTES, Note.WHOLE)


def test_a_compressed_answer_is_not_inflated(receiver):
    packed = gzip.compress(b"\0" * 2**22)
    length = f"Content-Encoding: gzip\r\nContent-Length: {len(packed)}\r\n\r\n".encode()
    assert receiver(answering(HEAD, length, packed)).send().body == packed


def test_two_megabytes_of_headers(receiver):
    lines = b"".join(b"X-%d: %s\r\n" % (i, b"a" * 1000) for i in range(2000))
    assert receiver(answering(HEAD, lines, b"\r\n")).send().result == "PROTOCOL"


# Answers that are none -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "garbage",
    [
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"\x00\x01\x02\x03",
        b"<html>HTTP/0.9</html>",
        b"\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        b"HTTPS/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 2OO OK\r\n\r\n",
        b"HTTP/2 200\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nNo colon\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
    ],
)
def test_what_is_no_http(receiver, garbage):
    def speak(zoo, opened):
        zoo.read(opened)
        opened.sendall(garbage)
        zoo.stopped.wait(10)  # it is known without waiting for the end

    answer = receiver(speak).send()
    assert (answer.result, answer.status, answer.ok) == ("PROTOCOL", None, False)


@pytest.mark.parametrize("start", [b"", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 200 O"])
def test_the_end_before_the_head(receiver, start):
    expected = "PROTOCOL" if start else "CONNECTION"
    assert receiver(answering(start)).send().result == expected


def test_closed_at_once(receiver):
    assert receiver(lambda zoo, opened: None).send().result == "CONNECTION"


def test_reset_before_a_byte(receiver):
    def script(zoo, opened):
        zoo.read(opened)
        reset(opened)

    assert receiver(script).send().result == "CONNECTION"


def test_nobody_listens():
    with Receiver(answering()) as gone:
        url, policy = gone.url, gone.policy
    assert outbound.send(post(url), policy=policy).result == "CONNECTION"


# Bodies that end badly, after the head has decided ---------------------------------------------


def test_a_body_that_breaks_off(receiver):
    answer = receiver(answering(HEAD, b"Content-Length: 10\r\n\r\n", b"ab")).send()
    assert (answer.result, answer.ok, answer.body) == ("HTTP_200", True, b"ab")
    assert answer.note is Note.BROKEN


def test_a_body_that_is_reset(receiver):
    gate = threading.Event()

    def script(zoo, opened):
        zoo.read(opened)
        opened.sendall(HEAD + b"Content-Length: 10\r\n\r\nab")
        gate.wait(10)
        reset(opened)

    zoo = receiver(script)
    # The reset must not overtake the head.
    threading.Timer(0.3, gate.set).start()
    answer = zoo.send()
    assert (answer.result, answer.note) == ("HTTP_200", Note.BROKEN)


def test_a_body_that_is_garbage(receiver):
    zoo = receiver(answering(HEAD, b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"))
    answer = zoo.send()
    assert (answer.result, answer.note, answer.body) == ("HTTP_200", Note.BROKEN, b"")


def test_a_body_that_drips(receiver):
    def script(zoo, opened):
        zoo.read(opened)
        opened.sendall(HEAD + b"\r\n")
        zoo.drip(opened, b"a")

    answer = receiver(script).send(deadline_seconds=SHORT)
    assert (answer.result, answer.ok, answer.note) == ("HTTP_200", True, Note.TIMEOUT)


def test_a_whole_answer_does_not_wait_for_the_close(receiver):
    def script(zoo, opened):
        zoo.read(opened)
        opened.sendall(HEAD + b"Content-Length: 2\r\n\r\nok")
        zoo.stopped.wait(60)

    answer = receiver(script).send()
    assert (answer.result, answer.note, answer.body) == ("HTTP_200", Note.WHOLE, b"ok")


# Time ----------------------------------------------------------------------------------------


def hangs(zoo, opened):
    zoo.read(opened)
    zoo.stopped.wait(60)


def drips_the_head(zoo, opened):
    zoo.read(opened)
    opened.sendall(HEAD)
    zoo.drip(opened, b"X-A: b\r\n")


def drips_the_status(zoo, opened):
    zoo.read(opened)
    opened.sendall(b"HTTP/1.1 200 ")
    zoo.drip(opened, b"O")


def floods_with_1xx(zoo, opened):
    zoo.read(opened)
    zoo.drip(opened, b"HTTP/1.1 100 Continue\r\n\r\n" * 50, pause=0.001)


def never_reads(zoo, opened):
    zoo.stopped.wait(60)


@pytest.mark.parametrize(
    "script", [hangs, drips_the_head, drips_the_status, floods_with_1xx, never_reads]
)
def test_one_deadline_for_the_whole(receiver, script):
    """Dripping, none of these leaves a socket idle; that each ends is what is tested."""
    zoo = receiver(script)
    large = outbound.Outgoing("POST", url_of(zoo), (), b"x" * outbound.BODY_BYTES)
    answer = zoo.send(large, deadline_seconds=SHORT, dial=dial_narrow)
    assert (answer.result, answer.status, answer.body) == ("TIMEOUT", None, b"")
    assert answer.seconds >= SHORT


def test_an_early_answer_is_heard_while_sending(receiver):
    """The receiver refuses after the head and never reads the body, which fills every buffer."""

    def script(zoo, opened):
        opened.recv(100)
        opened.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
        zoo.stopped.wait(60)

    zoo = receiver(script)
    large = outbound.Outgoing("POST", url_of(zoo), (), b"x" * outbound.BODY_BYTES)
    assert zoo.send(large, dial=dial_narrow).result == "HTTP_413"


def test_a_slow_reader_gets_the_whole_body(receiver):
    def script(zoo, opened):
        zoo.read(opened)
        opened.sendall(HEAD + b"\r\n")

    zoo = receiver(script)
    body = os.urandom(outbound.BODY_BYTES)
    answer = zoo.send(outbound.Outgoing("PUT", url_of(zoo), (), body), dial=dial_narrow)
    assert answer.result == "HTTP_200"
    assert zoo.heard[0].endswith(b"\r\n\r\n" + body)


def test_the_clock_is_the_monotonic_one_that_is_given():
    ticks = iter([100.0, 100.0, 109.0, 110.0])
    answer = outbound.send(
        post("http://good.test/"),
        policy=outbound.CLOSED,
        resolver=leading_to("8.8.8.8"),
        clock=lambda: next(ticks, 111.0),
    )
    assert (answer.result, answer.seconds) == ("TIMEOUT", 11.0)


# Many addresses --------------------------------------------------------------------------------


def test_the_first_address_that_answers_is_used():
    with Receiver(answering(HEAD, b"\r\n")) as zoo:
        answer = outbound.send(
            post(f"http://receiver.test:{zoo.port}/"),
            policy=allowing("receiver.test"),
            resolver=leading_to("127.0.0.9", "::1", "127.0.0.1"),
        )
        assert (answer.result, zoo.connections) == ("HTTP_200", 1)


def test_fifty_addresses_share_the_time_to_connect():
    shares = []

    def dial(address, port, seconds):
        shares.append(seconds)
        raise TimeoutError

    answer = outbound.send(
        post("http://good.test/"),
        policy=outbound.CLOSED,
        resolver=leading_to(*(f"8.8.8.{i}" for i in range(50))),
        dial=dial,
    )
    assert (answer.result, len(shares)) == ("TIMEOUT", 50)
    assert max(shares) <= 5


# What stays behind -----------------------------------------------------------------------------


def test_nothing_is_left_open(receiver):
    def script(zoo, opened):
        zoo.read(opened)
        kind = zoo.connections % 4
        if kind == 0:
            reset(opened)
        else:
            opened.sendall((b"", HEAD + b"\r\nab", b"SSH-2.0\r\n", b"")[kind])

    zoo = receiver(script)
    results = [zoo.send().result for _ in range(8)]
    assert sorted(set(results)) == ["CONNECTION", "HTTP_200", "PROTOCOL"]
    before = open_files(zoo)
    for _ in range(40):
        zoo.send()
    assert open_files(zoo) == before


def open_files(zoo):
    """Descriptors of this process, when each of the receiver's threads has ended."""
    for thread in zoo._threads[1:]:
        thread.join(10)
    return len(list(Path("/proc/self/fd").iterdir()))


def test_many_threads_send_at_once(receiver):
    def script(zoo, opened):
        _, body = zoo.read(opened)
        opened.sendall(HEAD + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)

    zoo = receiver(script)
    found = {}

    def one(number):
        body = str(number).encode() * 1000
        found[number] = zoo.send(outbound.Outgoing("POST", url_of(zoo), (), body)).body == body

    threads = [threading.Thread(target=one, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert found == dict.fromkeys(range(20), True)


def test_the_log_holds_neither_path_nor_body(receiver, caplog):
    zoo = receiver(answering(b"HTTP/1.1 500 No\r\n\r\nsecret-answer"))
    headers = (("Authorization", "secret-header"),)
    with caplog.at_level("DEBUG"):
        zoo.send(outbound.Outgoing("POST", f"{url_of(zoo)}/secret-path", headers, b"secret-body"))
        zoo.send(outbound.Outgoing("POST", "http://me:secret-pair@x.test/", (), b""))
    assert f"receiver.test:{zoo.port}" in caplog.text
    assert "HTTP_500" in caplog.text
    assert "NOT_ALLOWED" in caplog.text
    assert "secret" not in caplog.text


def test_the_log_takes_no_line_breaks_from_outside(receiver, caplog):
    receiver(answering(b"FAKE\x1b[2J\r\nline")).send()
    assert all(character.isprintable() for record in caplog.records
               for character in record.getMessage())  # fmt: skip
