"""Many callers at one moment, through two web workers: one decision, and everybody is told."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from tests.chaos import judging
from tests.chaos.__main__ import chosen_tier
from tests.chaos.installation import Installation

pytestmark = [pytest.mark.chaos, pytest.mark.slow]
CALLERS, FEWER, THREADS = 200, 50, 50
# Issue 5: a thousand requests with one key, in the longer tier.
TIMES = 5 if chosen_tier() == "release" else 1


@pytest.fixture(scope="module")
def installation(run_database):
    """Two web workers, which have fifty threads between them, and background work."""
    kind, server = run_database
    with Installation(kind, server, threads=THREADS // 2) as made:
        made.start_web()
        made.start_work()
        yield made


@pytest.fixture(scope="module")
def callers(installation):
    """A client of each caller's own, already connected, so that they differ by nothing."""
    base = f"{installation.address}/api/v1/"
    made = [httpx.Client(base_url=base, timeout=60) for _ in range(CALLERS)]
    yield made
    for one in made:
        one.close()


def headers(installation, login, key):
    return {"Authorization": f"Token {installation.tokens[login]}", "Idempotency-Key": key}


def at_once(installation, callers, send):
    """`send(client, place)` by each of the callers at the same moment; the answers."""
    barrier = threading.Barrier(len(callers))

    def call(place):
        callers[place].get(f"{installation.address}/health/live")
        barrier.wait(60)
        return send(callers[place], place)

    with ThreadPoolExecutor(len(callers)) as pool:
        return list(pool.map(call, range(len(callers))))


def filed(installation, callers, marker):
    """A new request of ann's that waits for bao; his task."""
    form = {"marker": marker, "amount": "5"}
    answer = callers[0].post(
        "instances/",
        json={"flow": "chaos", "form": form},
        headers=headers(installation, "ann", f"start-{marker}"),
    )
    assert answer.status_code == 201, answer.text
    return task_of(installation, callers[0], "bao", answer.json()["id"])


def task_of(installation, client, login, instance):
    """The open task of this person in a request, as soon as background work has opened it."""
    token = {"Authorization": f"Token {installation.tokens[login]}"}
    for _ in range(600):
        rows = client.get("tasks/", params={"page_size": 100}, headers=token).json()["results"]
        for row in rows:
            if row["instance"]["id"] == instance:
                return row
        threading.Event().wait(0.05)
    pytest.fail(f"request {instance} never came to {login}:\n{installation.log('work')}")


def decisions_of(installation, task):
    """The decisions of this task in the history, by login and kind."""
    instance, seat = divmod(int(task["id"]), judging.SPAN)
    events = judging.look(installation.database).events
    return [
        (kind, login)
        for where, _position, kind, login, payload in events
        if where == instance and kind in judging.DECIDED.values() and payload["seat"] == seat
    ]


def kept(installation, prefix):
    """The statuses of the stored answers whose keys begin so."""
    answers = judging.look(installation.database).answers
    return [status for key, _login, status, _body in answers if key.startswith(prefix)]


def test_one_of_two_hundred_approves_and_the_others_hear_who_and_when(installation, callers):
    task = filed(installation, callers, "many-keys")

    def approve(client, place):
        return client.post(
            f"tasks/{task['id']}/actions/approve",
            json={"task_version": task["version"]},
            headers=headers(installation, "bao", f"own-key-{place}"),
        )

    answers = at_once(installation, callers, approve)
    statuses = Counter(answer.status_code for answer in answers)
    assert statuses[200] == 1, statuses
    assert statuses[409] + statuses[412] == CALLERS - 1, statuses
    for answer in answers:
        told = answer.json()
        if answer.status_code == 409:
            assert told["handled_by"] == "Bao Chen"
            assert told["handled_at"]
            assert told["decision"] == "approved"
        elif answer.status_code == 412:
            assert (told["changed_by"], bool(told["changed_at"])) == ("Bao Chen", True)
    assert decisions_of(installation, task) == [("task_approved", "bao")]
    assert kept(installation, "own-key-") == [200]


def test_all_with_one_key_get_one_answer(installation, callers):
    task = filed(installation, callers, "one-key")

    def approve(client, _place):
        return [
            client.post(
                f"tasks/{task['id']}/actions/approve",
                json={"task_version": task["version"], "comment": "once"},
                headers=headers(installation, "bao", "the-same-key"),
            )
            for _ in range(TIMES)
        ]

    answers = [answer for each in at_once(installation, callers, approve) for answer in each]
    assert Counter(answer.status_code for answer in answers) == {200: CALLERS * TIMES}
    assert len({answer.content for answer in answers}) == 1
    first = [answer for answer in answers if "Idempotency-Replayed" not in answer.headers]
    assert len(first) == 1
    assert first[0].json()["task"]["state"] == "approved"
    assert decisions_of(installation, task) == [("task_approved", "bao")]
    assert kept(installation, "the-same-key") == [200]


def test_fifty_who_approve_or_reject_leave_one_decision(installation, callers):
    task = filed(installation, callers, "both-ways")

    def decide(client, place):
        verb = ("approve", "reject")[place % 2]
        return client.post(
            f"tasks/{task['id']}/actions/{verb}",
            json={"task_version": task["version"], "comment": verb},
            headers=headers(installation, "bao", f"way-{place}"),
        )

    answers = at_once(installation, callers[:FEWER], decide)
    won = [answer for answer in answers if answer.status_code == 200]
    assert len(won) == 1, Counter(answer.status_code for answer in answers)
    decision = won[0].json()["task"]["state"]
    lost = [answer.json() for answer in answers if answer.status_code == 409]
    assert len(lost) == FEWER - 1
    assert {(told["handled_by"], told["decision"]) for told in lost} == {("Bao Chen", decision)}
    assert decisions_of(installation, task) == [(f"task_{decision}", "bao")]


def test_fifty_starts_with_one_key_file_one_request(installation, callers):
    def start(client, _place):
        return client.post(
            "instances/",
            json={"flow": "chaos", "form": {"marker": "started-once", "amount": "5"}},
            headers=headers(installation, "ann", "start-once"),
        )

    answers = at_once(installation, callers[:FEWER], start)
    assert Counter(answer.status_code for answer in answers) == {201: FEWER}
    assert len({answer.content for answer in answers}) == 1
    there = installation.database.rows("SELECT id FROM flow_instance WHERE title = 'started-once'")
    assert there == [(int(answers[0].json()["id"]),)]
    assert not installation.tracebacks(), installation.log("web")
