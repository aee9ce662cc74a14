"""Every address and every kind of person: a new address without a row fails here."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, get_resolver

from notifications.models import Notice
from tests.api import situations
from tests.api.caller import Caller, nothing_written
from tests.api.conftest import a_document, a_form
from tests.files import uploads
from tests.notifications import posted
from tests.workflow import flows
from workflow import access
from workflow.actions import application_drafts, design_drafts, versions
from workflow.models import Definition

PREFIX = "api/v1/"
# Nobody signed in; another tenant; a colleague without a part; the initiator; the holder; a
# manager; an auditor; the operator.
ROLES = ("", "eve", "gus", "ann", "chi", "bao", "dan", "admin")
PUBLIC = "POST http-replies/<str:token>/"
MATRIX = {
    "GET me": "401 200 200 200 200 200 200 200",
    "GET schema/": "401 200 200 200 200 200 200 200",
    "POST files/": "401 201 201 201 201 201 201 201",
    "GET files/<str:pk>/": "401 404 404 200 404 404 404 404",
    "DELETE files/<str:pk>/": "401 404 404 204 404 404 404 404",
    "GET flows/": "401 200 200 200 200 200 200 200",
    "GET flows/<str:key>/": "401 404 200 200 200 200 200 200",
    "GET flows/<str:key>/versions/": "401 404 403 403 403 200 403 200",
    "POST flows/validate": "401 403 403 403 403 200 403 200",
    "POST flows/<str:key>/preview": "401 404 200 200 200 200 200 200",
    "POST flows/<str:key>/actions/publish": "401 403 403 403 403 201 403 201",
    "POST flows/<str:key>/actions/undo-publish": "401 404 403 403 403 200 403 200",
    "POST flows/<str:key>/actions/suspend": "401 404 403 403 403 200 403 200",
    "POST flows/<str:key>/actions/resume": "401 404 403 403 403 200 403 200",
    "POST flows/<str:key>/actions/arrange": "401 404 403 403 403 200 403 200",
    "POST flows/<str:key>/actions/favourite": "401 404 200 200 200 200 200 200",
    # The drafts in the rows are bao's design and ann's application; nobody else knows of them.
    "GET design-drafts/": "401 403 403 403 403 200 403 200",
    "POST design-drafts/": "401 403 403 403 403 201 403 201",
    "GET design-drafts/<str:pk>/": "401 404 404 404 404 200 404 404",
    "PUT design-drafts/<str:pk>/": "401 404 404 404 404 200 404 404",
    "PATCH design-drafts/<str:pk>/": "401 404 404 404 404 200 404 404",
    "DELETE design-drafts/<str:pk>/": "401 404 404 404 404 204 404 404",
    "POST design-drafts/<str:pk>/preview": "401 404 404 404 404 200 404 404",
    "POST design-drafts/<str:pk>/record": "401 404 404 404 404 200 404 404",
    "POST design-drafts/<str:pk>/what-if": "401 404 404 404 404 200 404 404",
    "GET application-drafts/": "401 200 200 200 200 200 200 200",
    "POST application-drafts/": "401 404 201 201 201 201 201 201",
    "GET application-drafts/<str:pk>/": "401 404 404 200 404 404 404 404",
    "PUT application-drafts/<str:pk>/": "401 404 404 200 404 404 404 404",
    "PATCH application-drafts/<str:pk>/": "401 404 404 200 404 404 404 404",
    "DELETE application-drafts/<str:pk>/": "401 404 404 204 404 404 404 404",
    "POST application-drafts/<str:pk>/actions/submit": "401 404 404 201 404 404 404 404",
    "GET instances/": "401 200 200 200 200 200 200 200",
    "POST instances/": "401 404 201 201 201 201 201 201",
    "GET instances/<str:pk>/": "401 404 404 200 200 200 200 200",
    "GET instances/<str:pk>/history/": "401 404 404 200 200 200 200 200",
    "GET instances/<str:pk>/explain/": "401 404 404 200 200 200 200 200",
    "POST instances/<str:pk>/actions/cancel": "401 404 404 403 403 200 403 200",
    "POST instances/<str:pk>/actions/reassign": "401 404 404 403 403 200 403 200",
    "POST instances/<str:pk>/actions/withdraw": "401 404 404 200 403 403 403 403",
    "POST instances/<str:pk>/actions/resubmit": "401 404 404 200 403 403 403 403",
    "POST instances/<str:pk>/actions/suspend": "401 404 404 403 403 200 403 200",
    "POST instances/<str:pk>/actions/resume": "401 404 404 403 403 200 403 200",
    "POST instances/<str:pk>/actions/jump": "401 404 404 403 403 200 403 200",
    # Chi holds a task of a step that lets its holders.
    "POST instances/<str:pk>/actions/edit-future": "401 404 404 403 200 200 403 200",
    "POST instances/<str:pk>/actions/retry": "401 404 404 403 403 200 403 200",
    "GET tasks/": "401 200 200 200 200 200 200 200",
    "GET tasks/<str:pk>/": "401 404 404 200 200 200 200 200",
    "POST tasks/<str:pk>/actions/approve": "401 404 404 403 200 403 403 403",
    "POST tasks/<str:pk>/actions/reject": "401 404 404 403 200 403 403 403",
    "POST tasks/<str:pk>/actions/comment": "401 404 404 200 200 200 200 200",
    # Gus, who was added, knows of the request, and may not remove himself.
    "POST tasks/<str:pk>/actions/remove-signer": "401 404 403 403 200 200 403 200",
    **{
        f"POST tasks/<str:pk>/actions/{verb}": "401 404 404 403 200 403 403 403"
        for verb in (
            "complete",
            "return",
            "transfer",
            "delegate",
            "hand-back",
            "add-signer",
            "copy",
            "take-back",
            "claim",
            "release",
            "snooze",
            "ask-substitute",
        )
    },
    # Whoever knows the token, and nobody else; a session plays no part (tests/workflow).
    PUBLIC: "404 404 404 404 404 404 404 404",
    "POST instances/<str:pk>/actions/urge": "401 404 404 200 403 403 403 403",
    # The event is of ann's request; nobody else knows of it, whatever he may (seed 001 P43).
    "GET callbacks/": "401 200 200 200 200 200 200 200",
    "POST callbacks/<str:pk>/actions/retry": "401 404 404 200 404 404 404 404",
    "GET notices/": "401 200 200 200 200 200 200 200",
    "POST notices/<str:pk>/actions/read": "401 404 404 404 200 404 404 404",
    "POST notices/actions/read-all": "401 200 200 200 200 200 200 200",
    # Of each task the list says what its own address would have said.
    "POST tasks/bulk-actions": "401 200 200 200 200 200 200 200",
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


def twice_published(user, now):
    """A second version, so that there is one to go back to."""
    flows.publish(user, a_document(title="Changed"), a_form(), now=now)


def a_draft_of_each(people, now):
    """A design draft of bao's and an application draft of ann's."""
    bao, ann = people["bao"], people["ann"]
    design = design_drafts.from_template(user=bao, template="blank", now=now)
    flow = access.definition(ann, "expense")
    values = {"amount": "1"}
    return design, application_drafts.create(
        user=ann, definition=flow, values=values, picked={}, now=now
    )


def suspended(user, now):
    """A process that can be resumed."""
    definition = Definition.objects.get(key="expense", tenant=user.tenant_id)
    versions.suspend(user=user, definition=definition, reason="Wait", now=now)


class Story:
    """A request of ann that waits for chi, a file of hers, and what a good command looks like."""

    def __init__(self, instance, file):
        self.instance, self.task, self.file = instance, instance.tasks.get(), file
        self.found = None
        self.event = posted.failed(instance)
        self.design = self.application = None

    def prepare(self, route, people, now):
        """For the acts that need a process of their own: a request in which chi may do it."""
        verb = route.rpartition("/")[2]
        if route == "flows/<str:key>/actions/undo-publish":
            twice_published(people["bao"], now)
        elif route == "flows/<str:key>/actions/resume":
            suspended(people["bao"], now)
        if "drafts/<" in route:
            self.design, self.application = a_draft_of_each(people, now)
        if "/actions/" in route and route not in self.bodies():
            self.found = situations.make(verb, people, now)
            self.instance, self.task = self.found.instance, self.found.task

    def path(self, route):
        rows = {
            "instances": self.instance,
            "files": self.file,
            "design-drafts": self.design,
            "application-drafts": self.application,
            "notices": Notice.objects.get(task=self.task),
            "callbacks": self.event,
        }
        pk = (rows.get(route.partition("/")[0]) or self.task).pk
        route = route.replace("<str:token>", "unknown")
        return route.replace("<str:key>", "expense").replace("<str:pk>", str(pk))

    def body(self, route):
        if self.found is not None:
            return situations.body(route.rpartition("/")[2], self.found)
        return self.bodies()[route]

    def bodies(self):
        changed = a_document(title="Changed")
        return {
            "flows/validate": {"document": changed, "form": a_form()},
            "flows/<str:key>/preview": {"form": {"amount": "1"}},
            "flows/<str:key>/actions/publish": {"document": changed, "form": a_form()},
            "flows/<str:key>/actions/undo-publish": {"reason": "Too early"},
            "flows/<str:key>/actions/suspend": {"reason": "Moot"},
            "flows/<str:key>/actions/resume": {"reason": "Go on"},
            "flows/<str:key>/actions/arrange": {"category": "Money", "position": 1},
            "flows/<str:key>/actions/favourite": {},
            "design-drafts/": {"template": "blank"},
            "design-drafts/<str:pk>/": {"document": changed},
            "design-drafts/<str:pk>/preview": {"document": changed, "form": a_form()},
            "design-drafts/<str:pk>/record": {
                "document": changed,
                "form": a_form(),
                "name": "Small",
                "values": {"amount": "1"},
            },
            "design-drafts/<str:pk>/what-if": {"document": changed, "form": a_form()},
            "application-drafts/": {"flow": "expense", "values": {"amount": "1"}},
            "application-drafts/<str:pk>/": {"values": {"amount": "2"}},
            "application-drafts/<str:pk>/actions/submit": {},
            "http-replies/<str:token>/": {},
            "instances/": {"flow": "expense", "form": {"amount": "1"}},
            "instances/<str:pk>/actions/cancel": {"reason": "Moot"},
            "instances/<str:pk>/actions/reassign": {
                "task": str(self.task.pk),
                "to": "fay",
                "reason": "Away",
            },
            "instances/<str:pk>/actions/urge": {},
            "notices/<str:pk>/actions/read": {},
            "callbacks/<str:pk>/actions/retry": {},
            "notices/actions/read-all": {},
            "tasks/<str:pk>/actions/approve": {"task_version": 1},
            "tasks/<str:pk>/actions/reject": {"task_version": 1},
            "tasks/<str:pk>/actions/comment": {"comment": "Hm."},
            "tasks/bulk-actions": {
                "action": "approve",
                "items": [{"task": str(self.task.pk), "task_version": 1}],
            },
        }

    # Commands that take the version of what they are about in If-Match alone.
    GUARDED = ("application-drafts/<str:pk>/actions/submit",)

    def ask(self, caller, method, route):
        path = self.path(route)
        if route == "files/":
            return uploads.upload(caller.client)
        if method == "POST":
            seen = {"if_match": '"1"'} if route in self.GUARDED else {}
            return caller.post(path, self.body(route), **seen)
        if method == "GET":
            return caller.client.get(f"/{PREFIX}{path}")
        # Everything that is written so is guarded by its version.
        return getattr(caller.client, method.lower())(
            f"/{PREFIX}{path}",
            data=json.dumps(self.bodies().get(route, {})),
            content_type="application/json",
            headers={"If-Match": '"1"'},
        )


@pytest.fixture
def story(request_of_ann, ann, now):
    return Story(request_of_ann, uploads.a_file(ann, now=now))


@pytest.mark.parametrize("row", MATRIX)
def test_who_may_what(story, people, client_of, row, now):
    method, route = row.split(" ")
    story.prepare(route, people, now)
    for login, expected in zip(ROLES, MATRIX[row].split(), strict=True):
        caller = Caller(client_of(people[login]) if login else Client())
        if int(expected) >= 400 or method == "GET":
            with nothing_written(), uploads.nothing_stored():
                answer = story.ask(caller, method, route)
        else:
            with transaction.atomic():
                answer = story.ask(caller, method, route)
                transaction.set_rollback(True)
        content = answer.getvalue()  # read to its end, as a download has to be
        assert answer.status_code == int(expected), (row, login, content[:300])


@pytest.mark.parametrize("row", [row for row in MATRIX if not row.startswith(("GET", PUBLIC))])
def test_a_browser_sends_the_csrf_token_or_is_refused(story, people, client_of, row, now):
    method, route = row.split(" ")
    story.prepare(route, people, now)
    caller = Caller(client_of(people["bao"], enforce_csrf_checks=True))
    with nothing_written(), uploads.nothing_stored():
        answer = story.ask(caller, method, route)
    assert (answer.status_code, answer.json()["code"]) == (403, "csrf.failed")


@pytest.mark.parametrize("route", sorted({row.split(" ")[1] for row in MATRIX}))
def test_other_methods_are_not_allowed(story, people, client_of, route):
    client = client_of(people["bao"])
    known = {row.split(" ")[0].lower() for row in MATRIX if row.split(" ")[1] == route}
    for method in set(METHODS) - known:
        with nothing_written(), uploads.nothing_stored():
            answer = getattr(client, method)("/" + PREFIX + story.path(route))
        assert (answer.status_code, answer.json()["code"]) == (405, "method.not_allowed")
