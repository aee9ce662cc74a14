"""`GET /api/v1/me`: who is signed in, and their counters."""

from __future__ import annotations

import pytest
from django.test import Client

from flowadmin.directory.models import User
from flowadmin.home import counters

ADDRESS = "/api/v1/me"


@pytest.fixture
def no_counters(monkeypatch):
    monkeypatch.setattr(counters, "_counters", {})


def test_me(client_of, bao, no_counters):
    answer = client_of(bao).get(ADDRESS)
    assert answer.status_code == 200
    assert answer.json() == {
        "user": "bao",
        "name": "Bao Chen",
        "tenant": "demo",
        "language": "en",
        "permissions": ["flow.design", "flow.manage", "flow.publish"],
        "counters": {"todo": 0, "overdue": 0, "notices": 0, "mine_running": 0, "drafts": 0},
    }
    assert answer.headers["Cache-Control"] == "private, no-cache"


def test_the_tag_saves_sending_the_same_again(client_of, ann, no_counters):
    browser = client_of(ann)
    tag = browser.get(ADDRESS).headers["ETag"]
    again = browser.get(ADDRESS, headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    counters.register_counter("todo", lambda user: 3)
    moved = browser.get(ADDRESS, headers={"If-None-Match": tag})
    assert moved.status_code == 200
    assert moved.json()["counters"]["todo"] == 3
    assert moved.headers["ETag"] != tag
    User.objects.filter(pk=ann.pk).update(name="Ann L.")
    assert browser.get(ADDRESS).headers["ETag"] != moved.headers["ETag"]


def test_counting_stops_at_999_and_is_per_person(client_of, ann, bao, no_counters):
    counters.register_counter("notices", lambda user: 1000 if user == ann else 2)
    assert client_of(ann).get(ADDRESS).json()["counters"]["notices"] == 999
    assert client_of(bao).get(ADDRESS).json()["counters"]["notices"] == 2


def test_only_counters_of_the_contract(no_counters):
    with pytest.raises(ValueError, match="steps"):
        counters.register_counter("steps", lambda user: 1)


def test_nobody_is_401(db):
    assert Client().get(ADDRESS).status_code == 401


def test_writing_is_refused(client_of, ann):
    assert client_of(ann).post(ADDRESS).status_code == 405
