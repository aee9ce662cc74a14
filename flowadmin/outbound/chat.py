"""Messages to robots of chats: Apprise writes the request, and this room's transport sends it.

Theory. Apprise knows what each service wants to read, and opens connections of its own, to
wherever the address of a message says. We take the first and not the second: an address is
accepted only in the one form that a service itself hands out, on the host that is the service's;
Apprise's plug-in for it is made from the tokens in it; and the library through which the plug-ins
speak HTTP is replaced, in their modules alone, by `send` with its address table, its one deadline
and its limit on the answer. So nobody aims at another network by a chat address, whatever he
types, and no redirect or proxy variable leads a request elsewhere. Apprise is an extra: without
it no chat can be chosen (requirements-chat.txt).
"""

from __future__ import annotations

import re
import time
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from json import loads
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode, urlsplit

from flowadmin.outbound import transport
from flowadmin.outbound.messages import Answer, Outgoing, Result

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flowadmin.outbound.policy import Policy

REFUSED: Final = "REFUSED"
LONGEST_ADDRESS: Final = 300


@dataclass(frozen=True, slots=True)
class Service:
    """A chat whose robots take messages.

    ``address`` is the only form of an address that is read, ``plugin`` and ``name`` Apprise's
    module and class, ``url`` how Apprise spells it with what ``address`` found.
    """

    host: str
    address: re.Pattern[str]
    plugin: str
    name: str
    url: str


def _service(host: str, path: str, name: str, url: str) -> Service:
    plugin = name.removeprefix("Notify").lower()
    return Service(host, re.compile(re.escape(f"https://{host}/") + path), plugin, name, url)


_TOKEN = r"([A-Za-z0-9_-]{8,128})"  # noqa: S105 - a pattern
SERVICES: Final[Mapping[str, Service]] = {
    "dingtalk": _service(
        "oapi.dingtalk.com",
        r"robot/send\?access_token=([A-Za-z0-9]{16,128})",
        "NotifyDingTalk",
        "dingtalk://{0}/",
    ),
    "feishu": _service(
        "open.feishu.cn", rf"open-apis/bot/v2/hook/{_TOKEN}", "NotifyFeishu", "feishu://{0}/"
    ),
    "lark": _service(
        "open.larksuite.com", rf"open-apis/bot/v2/hook/{_TOKEN}", "NotifyLark", "lark://{0}/"
    ),
    "wecom": _service(
        "qyapi.weixin.qq.com",
        rf"cgi-bin/webhook/send\?key={_TOKEN}",
        "NotifyWeComBot",
        "wecombot://{0}/",
    ),
    "slack": _service(
        "hooks.slack.com",
        r"services/(T[A-Z0-9]{5,20})/(B[A-Z0-9]{5,20})/([A-Za-z0-9]{16,40})",
        "NotifySlack",
        "slack://{0}/{1}/{2}/?image=no&footer=no",
    ),
}


@cache
def available() -> bool:
    """Whether Apprise is installed."""
    return find_spec("apprise") is not None


def is_address(service: str, text: str) -> bool:
    """Whether this is an address of this chat, in the form in which the chat hands it out."""
    known = SERVICES.get(service)
    return known is not None and bool(known.address.fullmatch(text))


@dataclass(slots=True)
class _Attempt:
    """One message on its way: what it may reach, until when, and what the service answered."""

    service: Service
    policy: Policy
    until: float
    answers: list[Answer] = field(default_factory=list)


_attempt: ContextVar[_Attempt] = ContextVar("chat_attempt")


def send_chat(service: str, address: str, title: str, body: str, *, policy: Policy) -> Answer:
    """Send one message of plain text, once; raises nothing for what happens outside.

    ``result`` of the answer is REFUSED where the service took the request and said no in it.
    Never inside a transaction (decision 9). At most `transport.DEADLINE_SECONDS` as a whole.
    """
    known = SERVICES.get(service)
    found = known.address.fullmatch(address) if known is not None else None
    if known is None or found is None or not available():
        return Answer(Result.NOT_ALLOWED, detail="no address of this chat, or no Apprise")
    attempt = _Attempt(known, policy, time.monotonic() + transport.DEADLINE_SECONDS)
    token = _attempt.set(attempt)
    try:
        plugin = _plugin(known, found.groups())
        said_yes = plugin.notify(
            title=_plain(service, title), body=_plain(service, body), body_format="text"
        )
    finally:
        _attempt.reset(token)
    return _judged(attempt, said_yes=bool(said_yes))


def _plugin(service: Service, tokens: tuple[str, ...]) -> Any:
    """Apprise's plug-in for one address; its module alone is loaded, of more than a hundred."""
    module = _guarded(service.plugin)
    made = getattr(module, service.name)
    read = made.parse_url(service.url.format(*tokens))
    kind = import_module("apprise.asset").AppriseAsset
    asset = kind(app_id="FlowAdmin", app_desc="FlowAdmin")
    return made(**read, asset=asset)


def _judged(attempt: _Attempt, *, said_yes: bool) -> Answer:
    if not attempt.answers:
        return Answer(REFUSED, detail="nothing was sent")
    last = attempt.answers[-1]
    if last.ok and (not said_yes or _says_no(last.body)):
        return Answer(REFUSED, last.status, seconds=last.seconds)
    return last


def _says_no(body: bytes) -> bool:
    """Whether an answer of 200 holds a code of failure, as these services send it."""
    try:
        told = loads(body)
    except ValueError:
        return False
    return isinstance(told, dict) and any(told.get(name) for name in ("errcode", "code"))


def _plain(service: str, text: str) -> str:
    """Text that calls nobody: Feishu and Lark read tags in it (``<at user_id="all">``)."""
    if service not in {"feishu", "lark"}:
        return text
    return text.replace("<", "\u2039").replace(">", "\u203a")


# In the place of `requests` ---------------------------------------------------------------------


@cache
def _guarded(plugin: str) -> Any:
    """The plug-in's module, speaking through us. Raises AttributeError if it speaks otherwise."""
    module: Any = import_module(f"apprise.plugins.{plugin}")
    _there = module.requests.codes
    module.requests = _Requests()
    return module


@dataclass(frozen=True, slots=True)
class _Response:
    """What the plug-ins read of an answer."""

    status_code: int
    content: bytes
    headers: dict[str, str]

    @property
    def text(self) -> str:
        return self.content.decode("utf-8", "replace")

    def json(self) -> Any:
        return loads(self.content)


class _Requests:
    """The few names of the library `requests` that the plug-ins use."""

    def __init__(self) -> None:
        real: Any = import_module("requests")
        self.codes = real.codes
        self.RequestException = real.RequestException

    def post(self, url: str, **given: Any) -> _Response:
        return self.request("POST", url, **given)

    def get(self, url: str, **given: Any) -> _Response:
        return self.request("GET", url, **given)

    def request(self, method: str, url: str, **given: Any) -> _Response:
        attempt = _attempt.get()
        if given.get("params"):
            url += ("&" if "?" in url else "?") + urlencode(given["params"])
        answer = self._answer(attempt, method, url, given)
        attempt.answers.append(answer)
        if answer.status is None:
            raise self.RequestException(answer.result)
        return _Response(answer.status, answer.body, dict(answer.headers))

    def _answer(
        self, attempt: _Attempt, method: str, url: str, given: Mapping[str, Any]
    ) -> Answer:
        left = attempt.until - time.monotonic()
        parts = urlsplit(url)
        if parts.scheme != "https" or parts.netloc != attempt.service.host or given.get("files"):
            return Answer(Result.NOT_ALLOWED, detail="not the service's own host")
        if left <= 0:
            return Answer(Result.TIMEOUT)
        data = given.get("data") or b""
        body = data.encode() if isinstance(data, str) else bytes(data)
        headers = tuple((str(name), str(text)) for name, text in given["headers"].items())
        return transport.send(
            Outgoing(method.upper(), url, headers, body),
            policy=attempt.policy,
            deadline_seconds=left,
        )
