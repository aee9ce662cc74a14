"""Compare what clients were told with what the database holds; the only judge of a run.

It reads the log of the clients and the tables by plain SQL, and none of the product's code, so a
fault in the product's own reading cannot hide one in its writing. Source: reliability.md 2.2
(I1, I2, I4), issue 2 (no acknowledged action missing).
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass

from tests.chaos.action_log import last_words

SPAN = 100_000  # a task's id is its request's id x SPAN + the number of its seat
DECIDED = {"approve": "task_approved", "reject": "task_rejected"}
ENDS = frozenset({"task_approved", "task_rejected", "task_closed"})
LOST = frozenset({"lost", "lost_answer"})
DOUBLED = frozenset({"doubled", "decided_twice", "filed_twice", "nobody_asked"})


@dataclass(frozen=True, slots=True)
class Fault:
    """One disagreement: a code, and the two rows that disagree in words."""

    code: str
    words: str


@dataclass(frozen=True, slots=True)
class Found:
    """The tables as far as the judge looks."""

    answers: list  # key, login, status, body
    instances: list  # id, number, state, held, position
    events: list  # instance, position, kind, login, payload as a dict
    waiting: list  # kind of row, instance: open tasks and unfinished jobs


def look(database):
    """Read the tables once, all at one moment."""
    people, answers, instances, events, tasks, jobs = database.snapshot(
        "SELECT id, login FROM org_user",
        'SELECT "key", user_id, status, body FROM flow_request',
        "SELECT id, number, state, held, position FROM flow_instance",
        "SELECT instance_id, position, kind, actor_id, payload FROM flow_event"
        " ORDER BY instance_id, position",
        "SELECT 'task', instance_id FROM flow_task WHERE state = 'open'",
        "SELECT 'job', instance_id FROM flow_job WHERE state IN ('pending', 'leased')",
    )
    logins = dict(people)
    return Found(
        answers=[(key, logins[user], status, body) for key, user, status, body in answers],
        instances=instances,
        events=[
            (instance, position, kind, logins.get(actor), json.loads(payload))
            for instance, position, kind, actor, payload in events
        ],
        waiting=tasks + jobs,
    )


def judge(lines, found):
    """Every disagreement between the log and the tables; none is the promise."""
    ended, unanswered = last_words(lines)
    faults = [Fault("unanswered", str(line)) for line in unanswered.values()]
    faults += [Fault("broken", str(line)) for line in ended.values() if line.phase == "broken"]
    faults += _answers(ended, lines, found)
    faults += _requests(ended, found)
    faults += _decisions(ended, found)
    faults += _histories(found)
    return faults


def _answers(ended, lines, found):
    """One stored answer per acknowledged key, the one that was given; none for a refused key."""
    rows = defaultdict(list)
    for key, login, status, body in found.answers:
        rows[key].append((login, status, body))
    for line in ended.values():
        yield from _one_answer(line, rows.pop(line.key, []))
    for key, stored in rows.items():
        yield Fault("nobody_asked", f"the key {key} is in no log; stored {stored}")
    for line in lines:
        if line.phase == "repeat":
            first = ended[line.key]
            if (line.status, line.body) != (first.status, first.body) or not line.replayed:
                yield Fault("other_answer", f"first {first}, repeated {line}")


def _one_answer(line, stored):
    if line.phase == "ok":
        if not stored:
            yield Fault("lost_answer", f"no row of the key; the client was told {line}")
        elif stored != [(line.user, line.status, line.body)]:
            yield Fault("other_answer", f"stored {stored}, told {line}")
        return
    if stored:
        yield Fault("kept_refusal", f"stored {stored}, told {line}")
    if line.phase == "fail" and not _says_who(line):
        yield Fault("silent_refusal", f"neither who nor when: {line}")


def _says_who(line):
    """Whether a 409 or 412 names who was first, and when (contract, A task is one seat)."""
    told = json.loads(line.body)
    word = "handled" if line.status == 409 else "changed"
    return bool(told.get(f"{word}_by") and told.get(f"{word}_at"))


def _requests(ended, found):
    """Each acknowledged request is there once, and no other is."""
    told = {
        line.target: str(json.loads(line.body)["id"])
        for line in ended.values()
        if line.what == "start" and line.phase == "ok"
    }
    filed = defaultdict(list)
    for instance, _position, kind, login, payload in found.events:
        if kind == "instance_started":
            filed[payload["values"]["marker"]].append((str(instance), login))
    for marker in told.keys() | filed.keys():
        yield from _one_request(marker, told.get(marker), filed.get(marker, []))
    for instance in set(told.values()) - {str(one) for one, *_rest in found.instances}:
        yield Fault("lost", f"request {instance} was acknowledged and has no row")
    numbers = Counter(number for _id, number, *_rest in found.instances)
    for number, times in numbers.items():
        if times > 1:
            yield Fault("filed_twice", f"the number {number} was given {times} times")


def _one_request(marker, instance, there):
    if instance is None:
        yield Fault("nobody_asked", f"requests {there} of marker {marker} are in no log")
    elif not there:
        yield Fault("lost", f"request {instance} of marker {marker} has no history")
    elif there != [(instance, "ann")]:
        yield Fault("filed_twice", f"marker {marker}: told {instance}, there {there}")


def _decisions(ended, found):
    """Each acknowledged decision is in the history once, and no other is."""
    told = Counter(
        (*divmod(int(line.target), SPAN), DECIDED[line.what], line.user)
        for line in ended.values()
        if line.what in DECIDED and line.phase == "ok"
    )
    there = Counter(
        (instance, payload["seat"], kind, login)
        for instance, _position, kind, login, payload in found.events
        if kind in DECIDED.values() and payload.get("reason", "human") == "human"
    )
    for decision, times in told.items():
        if there[decision] < times:
            yield Fault("lost", f"told {times} x {decision}, in the history {there[decision]}")
    for decision, times in there.items():
        if times > told[decision]:
            yield Fault("doubled", f"in the history {times} x {decision}, told {told[decision]}")


def _histories(found):
    """A seat ends at most once; positions run from 1 to what the request's row says."""
    ends = Counter(
        (instance, payload["seat"])
        for instance, _position, kind, _login, payload in found.events
        if kind in ENDS
    )
    for seat, times in ends.items():
        if times > 1:
            yield Fault("decided_twice", f"request and seat {seat} ended {times} times")
    positions = defaultdict(list)
    for instance, position, *_rest in found.events:
        positions[instance].append(position)
    for instance, _number, _state, _held, position in found.instances:
        if positions.pop(instance, []) != list(range(1, position + 1)):
            yield Fault("history", f"request {instance}: the row says {position} events")
    for instance in positions:
        yield Fault("history", f"events of request {instance}, which has no row")


def at_rest(found):
    """What is wrong once all work is done: requests that run without anything to wait for (I4)."""
    waiting = {instance for kind, instance in found.waiting if kind == "task"}
    faults = [
        Fault("job_left", f"an unfinished job of request {instance}")
        for kind, instance in found.waiting
        if kind == "job"
    ]
    for instance, _number, state, held, _position in found.instances:
        runs = state == "running"
        if runs and instance not in waiting and held is None:
            faults.append(Fault("stuck", f"request {instance} runs and waits for nobody"))
        if not runs and instance in waiting:
            faults.append(Fault("left_open", f"request {instance} is {state} with an open task"))
    return faults
