"""Messages to chats: only to the services' own hosts, through our transport, calling nobody.

Apprise itself is asked to write the requests; the services are a receiver on loopback, reached
because a test's resolver says so, and with the certificate of their name.
"""

from __future__ import annotations

import json
from functools import partial
from ipaddress import ip_address

import pytest

from flowadmin.outbound import CLOSED, Policy, chat, connection, transport
from flowadmin.reachable import read_reachable
from tests.outbound.receivers import LOOPBACK, Receiver

apprise = pytest.importorskip("apprise")

TOKEN = "abcdefghij0123456789"
ADDRESSES = {
    "dingtalk": f"https://oapi.dingtalk.com/robot/send?access_token={TOKEN}",
    "feishu": f"https://open.feishu.cn/open-apis/bot/v2/hook/{TOKEN}",
    "lark": f"https://open.larksuite.com/open-apis/bot/v2/hook/{TOKEN}",
    "wecom": f"https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={TOKEN}",
    "slack": "https://hooks.slack.com/services/T0123ABCD/B0123ABCD/" + TOKEN,
}
YES = {"slack": b"ok"}


@pytest.fixture
def meet(certificates, monkeypatch):
    """`meet(service, answer)` sends a message to a receiver; what that heard, and the result."""

    def met(service, answer, *, title="Title", body="Body", status=b"200 OK"):
        host = chat.SERVICES[service].host
        certificate = certificates.of(host)

        def script(receiver, opened):
            receiver.read(opened)
            length = str(len(answer)).encode()
            opened.sendall(b"HTTP/1.1 " + status + b"\r\nContent-Length: " + length)
            opened.sendall(b"\r\n\r\n" + answer)

        with Receiver(script, tls=certificate.server()) as receiver:
            through = partial(
                transport.send,
                resolver=lambda _host, _seconds: (ip_address(LOOPBACK),),
                dial=lambda address, _port, seconds: connection.dial(
                    address, receiver.port, seconds
                ),
                trust=certificate.trust(),
            )
            with monkeypatch.context() as here:
                here.setattr(transport, "send", through)
                allowed = Policy(allow=(read_reachable(host),))
                answered = chat.send_chat(service, ADDRESSES[service], title, body, policy=allowed)
        return receiver.heard, answered

    return met


@pytest.mark.parametrize("service", sorted(ADDRESSES))
def test_each_service_is_told_in_its_own_words(meet, service):
    heard, answer = meet(service, YES.get(service, b'{"code": 0, "errcode": 0}'))
    assert answer.result == "HTTP_200"
    [request] = heard
    head, _, body = request.partition(b"\r\n\r\n")
    assert head.startswith(b"POST /")
    assert f"Host: {chat.SERVICES[service].host}".encode() in head
    assert TOKEN.encode() in head.split(b"\r\n")[0]
    told = json.dumps(json.loads(body))
    assert "Title" in told
    assert "Body" in told


@pytest.mark.parametrize(
    ("service", "answer"),
    [
        ("dingtalk", b'{"errcode": 310000, "errmsg": "keywords not in content"}'),
        ("wecom", b'{"errcode": 93000}'),
        ("feishu", b'{"code": 19024}'),
        ("slack", b"no_service"),
    ],
)
def test_a_no_inside_a_200_is_a_no(meet, service, answer):
    assert meet(service, answer)[1].result == chat.REFUSED


def test_another_status_is_the_result(meet):
    assert meet("feishu", b"", status=b"500 Oh")[1].result == "HTTP_500"
    heard, answer = meet("slack", b"", status=b"302 Found\r\nLocation: http://127.0.0.1/")
    assert (answer.result, len(heard)) == ("HTTP_302", 1), "nobody is sent elsewhere"


@pytest.mark.parametrize("service", ["feishu", "lark", "slack", "dingtalk", "wecom"])
def test_a_title_calls_nobody(meet, service):
    nasty = '<at user_id="all">all</at> <!channel> @all & <b>'
    [request], _answer = meet(service, YES.get(service, b"{}"), title=nasty, body=nasty)
    told = request.partition(b"\r\n\r\n")[2].decode()
    if service in {"feishu", "lark"}:
        assert "<at" not in told
    if service == "slack":
        assert "<!channel>" not in told
    said = json.loads(request.partition(b"\r\n\r\n")[2])
    assert said.get("at", {"isAtAll": False})["isAtAll"] is False
    assert "mentioned_list" not in str(said)


@pytest.mark.parametrize(
    ("service", "address"),
    [
        ("slack", "https://hooks.slack.com.evil.example/services/T0123ABCD/B0123ABCD/" + TOKEN),
        ("slack", "https://hooks.slack.com@127.0.0.1/services/T0123ABCD/B0123ABCD/" + TOKEN),
        ("slack", "https://hooks.slack.com:8000/services/T0123ABCD/B0123ABCD/" + TOKEN),
        ("slack", "http://hooks.slack.com/services/T0123ABCD/B0123ABCD/" + TOKEN),
        ("slack", ADDRESSES["slack"] + "?template=/etc/passwd"),
        ("slack", ADDRESSES["slack"] + "\n"),
        ("slack", ADDRESSES["feishu"]),
        ("feishu", "feishu://" + TOKEN),
        ("feishu", ADDRESSES["feishu"] + "/../x"),
        ("wecom", ADDRESSES["wecom"] + "&x=1"),
        ("json", "json://127.0.0.1/"),
        ("xml", "xml://127.0.0.1/"),
        ("mailto", "mailto://user:pass@127.0.0.1"),
        ("dingtalk", "file:///etc/passwd"),
        ("dingtalk", ""),
    ],
)
def test_nothing_else_is_an_address(service, address):
    assert not chat.is_address(service, address)
    answer = chat.send_chat(service, address, "t", "b", policy=CLOSED)
    assert answer.result == "NOT_ALLOWED"


def test_a_name_that_leads_into_the_house_is_not_met(monkeypatch):
    """Even the services' own names go through the table of addresses."""
    inside = partial(transport.send, resolver=lambda _host, _seconds: (ip_address("10.0.0.7"),))
    monkeypatch.setattr(transport, "send", inside)
    answer = chat.send_chat("feishu", ADDRESSES["feishu"], "t", "b", policy=CLOSED)
    assert answer.result == "NOT_ALLOWED"


def test_a_plug_in_that_asks_another_host_is_stopped():
    plugin = chat._plugin(chat.SERVICES["feishu"], (TOKEN,))
    plugin.notify_url = "https://169.254.169.254/{token}/"
    attempt = chat._Attempt(chat.SERVICES["feishu"], CLOSED, until=1e12)
    token = chat._attempt.set(attempt)
    try:
        assert not plugin.notify(title="t", body="b")
    finally:
        chat._attempt.reset(token)
    assert [each.result for each in attempt.answers] == ["NOT_ALLOWED"]


def test_every_service_is_guarded():
    for service in chat.SERVICES.values():
        assert isinstance(chat._guarded(service.plugin).requests, chat._Requests)
