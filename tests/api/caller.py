"""Whole HTTP requests to `/api/v1/`: JSON in, JSON out, a fresh key for each command."""

from __future__ import annotations

import json
from contextlib import contextmanager
from uuid import uuid4

from tests.workflow import flows

BASE = "/api/v1/"
JSON = "application/json"


class Caller:
    """One person, or one machine, that calls the interface through this client."""

    def __init__(self, client):
        self.client = client

    def get(self, path, **headers):
        """GET below the base."""
        return self.client.get(BASE + path, headers=headers)

    def read(self, path):
        """The value of a GET that must succeed."""
        answer = self.get(path)
        assert answer.status_code == 200, answer.content
        return answer.json()

    def post(self, path, body=None, *, key="", raw=None, content_type=JSON, **headers):
        """POST the body; ``key`` None leaves the header out, ``raw`` is sent as it is."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if key is not None:
            sent["Idempotency-Key"] = key or str(uuid4())
        data = json.dumps(body or {}).encode() if raw is None else raw
        return self.client.post(BASE + path, data=data, content_type=content_type, headers=sent)

    def refused(self, path, status, code, body=None, **options):
        """POST, assert the refusal and that no row came, went or changed; the problem."""
        with nothing_written():
            answer = self.post(path, body, **options)
        assert (answer.status_code, answer.json().get("code")) == (status, code), answer.content
        assert answer["Content-Type"] == "application/problem+json"
        return answer.json()


@contextmanager
def nothing_written():
    """No row of workflow comes, goes or changes meanwhile."""
    before = flows.rows(), flows.everything()
    yield
    assert (flows.rows(), flows.everything()) == before
