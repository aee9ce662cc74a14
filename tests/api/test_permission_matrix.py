"""Every address and every kind of person: a new address without a row fails here."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, get_resolver

from tests.api.caller import Caller, nothing_written
from tests.api.conftest import a_document, a_form

PREFIX = "api/v1/"
# Nobody signed in; another tenant; a colleague without a part; the initiator; the holder; a
# manager; an auditor; the operator.
ROLES = ("", "eve", "gus", "ann", "chi", "bao", "dan", "admin")
MATRIX = {
    "GET me": "401 200 200 200 200 200 200 200",
    "GET schema/": "401 200 200 200 200 200 200 200",
    "GET flows/": "401 200 200 200 200 200 200 200",
    "GET flows/<str:key>/": "401 404 200 200 200 200 200 200",
    "GET flows/<str:key>/versions/": "401 404 403 403 403 200 403 200",
    "POST flows/validate": "401 403 403 403 403 200 403 200",
    "POST flows/<str:key>/actions/publish": "401 403 403 403 403 201 403 201",
    "GET instances/": "401 200 200 200 200 200 200 200",
    "POST instances/": "401 404 201 201 201 201 201 201",
    "GET instances/<str:pk>/": "401 404 404 200 200 200 200 200",
    "GET instances/<str:pk>/history/": "401 404 404 200 200 200 200 200",
    "POST instances/<str:pk>/actions/cancel": "401 404 404 403 403 200 403 200",
    "POST instances/<str:pk>/actions/reassign": "401 404 404 403 403 200 403 200",
    "GET tasks/": "401 200 200 200 200 200 200 200",
    "GET tasks/<str:pk>/": "401 404 404 200 200 200 200 200",
    "POST tasks/<str:pk>/actions/approve": "401 404 404 403 200 403 403 403",
    "POST tasks/<str:pk>/actions/reject": "401 404 404 403 200 403 403 403",
    "POST tasks/<str:pk>/actions/comment": "401 404 404 200 200 200 200 200",
}
METHODS = ("get", "post", "put", "patch", "delete")


def routes(patterns=None, before=""):
    """Every (method, address below the prefix) that the installation serves there."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = before + str(pattern.pattern)
        if not isinstance(pattern, URLPattern):
            yield from routes(pattern.url_patterns, route)
        elif route.startswith(PREFIX):
            callback: Any = pattern.callback
            view = callback.view_class
            for method in METHODS:
                if hasattr(view, method):
                    yield f"{method.upper()} {route.removeprefix(PREFIX)}"


def test_every_address_has_a_row_and_every_row_an_address():
    assert sorted(routes()) == sorted(MATRIX)


class Story:
    """One request that waits for chi, and what a good command on it looks like."""

    def __init__(self, instance):
        self.instance, self.task = instance, instance.tasks.get()

    def path(self, route):
        pk = self.instance.pk if route.startswith("instances/") else self.task.pk
        return route.replace("<str:key>", "expense").replace("<str:pk>", str(pk))

    def body(self, route):
        changed = a_document(title="Changed")
        return {
            "flows/validate": {"document": changed, "form": a_form()},
            "flows/<str:key>/actions/publish": {"document": changed, "form": a_form()},
            "instances/": {"flow": "expense", "form": {"amount": "1"}},
            "instances/<str:pk>/actions/cancel": {"reason": "Moot"},
            "instances/<str:pk>/actions/reassign": {
                "task": str(self.task.pk),
                "to": "fay",
                "reason": "Away",
            },
            "tasks/<str:pk>/actions/approve": {"task_version": 1},
            "tasks/<str:pk>/actions/reject": {"task_version": 1},
            "tasks/<str:pk>/actions/comment": {"comment": "Hm."},
        }[route]

    def ask(self, caller, method, route):
        path = self.path(route)
        return caller.get(path) if method == "GET" else caller.post(path, self.body(route))


@pytest.fixture
def story(request_of_ann):
    return Story(request_of_ann)


@pytest.mark.parametrize("row", MATRIX)
def test_who_may_what(story, people, client_of, row):
    method, route = row.split(" ")
    for login, expected in zip(ROLES, MATRIX[row].split(), strict=True):
        caller = Caller(client_of(people[login]) if login else Client())
        if int(expected) >= 400 or method == "GET":
            with nothing_written():
                answer = story.ask(caller, method, route)
        else:
            with transaction.atomic():
                answer = story.ask(caller, method, route)
                transaction.set_rollback(True)
        assert answer.status_code == int(expected), (row, login, answer.content[:300])


@pytest.mark.parametrize("row", [row for row in MATRIX if not row.startswith("GET")])
def test_a_browser_sends_the_csrf_token_or_is_refused(story, people, client_of, row):
    method, route = row.split(" ")
    caller = Caller(client_of(people["bao"], enforce_csrf_checks=True))
    with nothing_written():
        answer = story.ask(caller, method, route)
    assert (answer.status_code, answer.json()["code"]) == (403, "csrf.failed")


@pytest.mark.parametrize("route", sorted({row.split(" ")[1] for row in MATRIX}))
def test_other_methods_are_not_allowed(story, people, client_of, route):
    client = client_of(people["bao"])
    known = {row.split(" ")[0].lower() for row in MATRIX if row.split(" ")[1] == route}
    for method in set(METHODS) - known:
        with nothing_written():
            answer = getattr(client, method)("/" + PREFIX + story.path(route))
        assert (answer.status_code, answer.json()["code"]) == (405, "method.not_allowed")
