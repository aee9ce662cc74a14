"""Many callers at once, through a real server: one decision, one answer per key."""

from __future__ import annotations

import http.client
import json
import threading
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.db import connections

from flowadmin import clock
from flowadmin.directory.actions import issue_token
from flowadmin.rest.models import StoredRequest
from tests.workflow import flows
from workflow.models import Event, Instance, Task

MANY = 50
pytestmark = pytest.mark.django_db(transaction=True)


class _Server(ThreadingMixIn, WSGIServer):
    """A thread for each call; the usual queue of five would turn most of them away."""

    daemon_threads = True
    request_queue_size = 4 * MANY

    def process_request_thread(self, request, client_address):
        """The thread ends with its call, and its connection to the database with it."""
        super().process_request_thread(request, client_address)
        connections.close_all()


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_args):
        """Nothing: the calls of a test are not news."""


@pytest.fixture
def server(transactional_db, settings):
    """The product behind a real socket; its host and port."""
    settings.ALLOWED_HOSTS = ["127.0.0.1"]
    made = make_server("127.0.0.1", 0, WSGIHandler(), _Server, _Quiet)
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield "127.0.0.1", made.server_port
    made.shutdown()
    made.server_close()
    thread.join()


@pytest.fixture
def together(server):
    """`together(calls)` sends all calls at the same moment; (status, body) of each, in order."""

    def send_all(calls):
        gate = threading.Barrier(len(calls))
        answers: list[Any] = [None] * len(calls)

        def send(number, path, body, headers):
            connection = http.client.HTTPConnection(server[0], server[1], timeout=120)
            gate.wait(60)
            connection.request("POST", "/api/v1/" + path, json.dumps(body), headers)
            answer = connection.getresponse()
            answers[number] = (answer.status, json.loads(answer.read()))
            connection.close()

        threads = [
            threading.Thread(target=send, args=(number, *call))
            for number, call in enumerate(calls)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(180)
        return answers

    return send_all


def headers(token, key):
    return {
        "Authorization": f"Token {token}",
        "Content-Type": "application/json",
        "Idempotency-Key": key,
    }


@pytest.fixture
def task(request_of_ann):
    return request_of_ann.tasks.get()


def test_one_of_fifty_decides(together, task, chi):
    token = issue_token(chi, now=clock.now())
    verbs = ["approve", "reject"]
    calls = [
        (
            f"tasks/{task.pk}/actions/{verbs[number % 2]}",
            {"task_version": 1, "comment": f"number {number}"},
            headers(token, f"key-{number}"),
        )
        for number in range(MANY)
    ]
    answers = together(calls)
    won = [body for status, body in answers if status == 200]
    lost = [(status, body) for status, body in answers if status != 200]
    assert len(won) == 1
    for status, body in lost:
        assert (status, body["code"]) == (409, "task.not_open")
        assert body["handled_by"] == "Chi Wang"
        assert body["handled_at"]
        assert body["decision"] == won[0]["task"]["state"]
    assert Event.objects.filter(kind__in=["task_approved", "task_rejected"]).count() == 1
    assert StoredRequest.objects.count() == 1
    assert Task.objects.get(pk=task.pk).version == 2


def test_one_key_fifty_times_is_one_decision(together, task, chi):
    token = issue_token(chi, now=clock.now())
    call = (f"tasks/{task.pk}/actions/approve", {"task_version": 1}, headers(token, "once"))
    answers = together([call] * MANY)
    assert [status for status, _ in answers] == [200] * MANY
    assert all(body == answers[0][1] for _, body in answers)
    assert Event.objects.filter(kind="task_approved").count() == 1


def test_one_key_fifty_times_files_one_request(together, published, ann):
    token = issue_token(ann, now=clock.now())
    call = ("instances/", {"flow": "expense", "form": {"amount": "1"}}, headers(token, "once"))
    answers = together([call] * MANY)
    assert [status for status, _ in answers] == [201] * MANY
    assert all(body == answers[0][1] for _, body in answers)
    assert Instance.objects.count() == 1


def test_two_approvers_of_any_one(together, ann, fay, gus, now):
    flows.publish(ann, flows.a_document(flows.approve_step("lead", "fay", "gus")), now=now)
    instance = flows.start(ann, now=now)
    calls = [
        (
            f"tasks/{task.pk}/actions/approve",
            {"task_version": 1},
            headers(issue_token(task.holder, now=clock.now()), "k"),
        )
        for task in instance.tasks.select_related("holder")
    ]
    answers = together(calls)
    assert sorted(status for status, _ in answers) == [200, 409]
    lost = next(body for status, body in answers if status == 409)
    assert lost["decision"] == "approved"
    assert lost["handled_by"] in {"Fay Sun", "Gus Hill"}
    assert Event.objects.filter(kind="instance_finished").count() == 1
