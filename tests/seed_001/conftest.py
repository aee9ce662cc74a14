"""People who call the interface, and short ways to save drafts in it."""

from __future__ import annotations

import json
from functools import partial

import pytest
from django.utils import translation

from flowadmin import outbound
from tests.api.caller import BASE, JSON, Caller
from tests.workflow import flows

TYPED = {"amount": "12,0x", "reason": "Train to Kyoto"}


@pytest.fixture(autouse=True)
def _english():
    with translation.override("en"):
        yield


@pytest.fixture
def api(client_of):
    """`api(user)` calls the interface in the session of `user`."""
    return lambda user: Caller(client_of(user))


@pytest.fixture
def published(bao, now):
    """The process `expense`, version 1."""
    return flows.publish(bao, flows.a_document(), now=now)


@pytest.fixture
def application(published, api, ann):
    """A draft of ann's with an amount that is none."""
    body = {"flow": "expense", "values": TYPED, "picked": {"lead": ["bao"]}}
    answer = api(ann).post("application-drafts/", body, key=None)
    assert answer.status_code == 201, answer.content
    return answer.json()


@pytest.fixture
def design(api, bao):
    """A draft of bao's that could not be published."""
    document = {"flowdoc": 1, "key": "trip", "name": "Trip", "steps": []}
    answer = api(bao).post("design-drafts/", {"document": document}, key=None)
    assert answer.status_code == 201, answer.content
    return answer.json()


@pytest.fixture
def write():
    """`write(caller, method, box, draft, body, version)` with If-Match; the draft's by default."""

    def sent(caller, method, box, draft, body=None, version=None):
        seen = draft["version"] if version is None else version
        return getattr(caller.client, method)(
            f"{BASE}{box}/{draft['id']}/",
            data=json.dumps(body or {}),
            content_type=JSON,
            headers={"If-Match": f'"{seen}"'},
        )

    return sent


@pytest.fixture
def brief(monkeypatch):
    """An attempt ends after a fifth of a second instead of ten."""
    monkeypatch.setattr(outbound, "send", partial(outbound.send, deadline_seconds=0.2))
