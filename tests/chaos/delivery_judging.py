"""Compare what was decided, what the tables hold and what the receiver heard, by plain SQL.

Source: reliability.md 2.2, I1, I3, I5 to I9; `doctor` answers for I2, I4 and I16. None of the
product's code is used, so a fault in its reading cannot hide one in its writing.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import dataclass

from tests.chaos.judging import Fault

STARTED = "STARTED"
ROUND = 5
STATES = {"PENDING", "LEASED", "SUCCEEDED", "FAILED"}
ENDS = {"SUCCEEDED", "FAILED"}
# Those of other processes of the same installation are another judge's.
_OURS = """instance_id IN (
    SELECT i.id FROM flow_instance i JOIN flow_definition d ON d.id = i.definition_id
    WHERE d."key" = 'told')"""
_SELECTS = (
    """SELECT id, event_id, instance_id, status, attempts, max_attempts, result, history
    FROM flow_callback WHERE OURS""",
    "SELECT instance_id FROM flow_event WHERE kind = 'task_approved' AND OURS",
    """SELECT n.reminder_key, n.status, t.state, n.instance_id
    FROM flow_notice n JOIN flow_task t ON t.id = n.task_id
    WHERE n.kind = 'timeout' AND n.OURS""",
    """SELECT instance_id, COUNT(*) FROM flow_notice
    WHERE kind = 'assigned' AND OURS GROUP BY instance_id""",
)
# Of an attempt with one of these the receiver may know more than we do.
UNSURE = {STARTED, "TIMEOUT", "CONNECTION"}


@dataclass(frozen=True, slots=True)
class Row:
    """A callback as it stands."""

    pk: int
    event: str
    instance: int
    status: str
    attempts: int
    most: int
    result: str
    history: list

    @property
    def tries(self):
        """The entries of its attempts, the retries by hand left out."""
        return [each for each in self.history if each["kind"] == "attempt"]

    @property
    def unknown(self):
        """Entries of attempts of which nobody knows the result."""
        return [each for each in self.tries if each["status"] == STARTED]

    @property
    def unsure(self):
        """How many attempts the receiver may have accepted without our hearing of it."""
        return sum(each["status"] in UNSURE for each in self.tries)


@dataclass(frozen=True, slots=True)
class Look:
    """The tables as far as this judge looks, all at one moment."""

    rows: list
    approvals: Counter
    reminders: list
    assigned: dict


def look(database):
    """Read them."""
    rows, approvals, reminders, assigned = database.snapshot(
        *(sql.replace("OURS", _OURS) for sql in _SELECTS)
    )
    return Look(
        rows=[Row(*_with_history(values)) for values in rows],
        approvals=Counter(instance for (instance,) in approvals),
        reminders=reminders,
        assigned=dict(assigned),
    )


def _with_history(values):
    """PostgreSQL's driver has read the JSON already."""
    *before, history = values
    return *before, json.loads(history) if isinstance(history, str) else history


def judge(brought, found, heard, lengths, later=None):
    """Every disagreement; ``lengths`` has each row's longest history so far and is brought up.

    ``heard`` is what was heard before the tables were read: a request leaves after its attempt is
    noted. ``later`` is what was heard until afterwards: a result is noted after its answer.
    """
    requests = defaultdict(list)
    for one in heard:
        requests[one.event].append(one)
    accepted = {one.event for one in (heard if later is None else later) if one.accepted}
    faults = list(_together(brought, found))
    for row in found.rows:
        asked = requests.pop(row.event, [])
        faults += _history(row, lengths)
        faults += _asked(row, asked)
        faults += _state(row, accepted)
    faults += [Fault("I6", f"the receiver heard of {event}, no row") for event in requests]
    faults += _reminders(found)
    return faults


def at_rest(found):
    """What is wrong once nothing is left to do: each row has come to its end (I5, I9)."""
    for row in found.rows:
        if row.status not in ENDS:
            yield Fault("I5", f"{row} has no end")
    for key, status, task, _instance in found.reminders:
        if status == "PENDING":
            yield Fault("I9", f"the reminder of task {key} ({task}) is due and never went out")


def delivered(found):
    """What is wrong at the very end, when each failed one was retried at a healthy receiver."""
    for row in found.rows:
        if row.status != "SUCCEEDED":
            yield Fault("lost", str(row))


def doubles(heard):
    """How many requests the receiver accepted of events that it had accepted before."""
    accepted = Counter(one.event for one in heard if one.accepted)
    return sum(times - 1 for times in accepted.values())


def _together(brought, found):
    """A decision, its callback, notices and reminder are there, or none of them (I1, I3)."""
    rows = Counter(row.instance for row in found.rows)
    reminded = Counter(instance for _key, _status, _task, instance in found.reminders)
    for instance in brought:
        if not found.approvals[instance]:
            yield Fault("I1", f"request {instance} was approved, its history says nothing")
    for instance in {*found.approvals, *rows, *reminded}:
        counts = (rows[instance], reminded[instance], found.assigned.get(instance, 0))
        if counts != (1, 1, 2):
            yield Fault("I3", f"request {instance}: callbacks, reminders, notices are {counts}")


def _history(row, lengths):
    """One entry for each attempt, with its own id, and never fewer than before (I8)."""
    names = [each["id"] for each in row.history]
    if len(set(names)) < len(names) or not all(isinstance(name, str) for name in names):
        yield Fault("I8", f"ids of {row}")
    if len(row.tries) != row.attempts:
        yield Fault("I8", f"{row.attempts} attempts, other entries: {row}")
    if len(names) < lengths.get(row.pk, 0):
        yield Fault("I8", f"there were {lengths[row.pk]} entries: {row}")
    lengths[row.pk] = len(names)
    if row.attempts > row.most or row.most % ROUND:
        yield Fault("I6", f"more attempts than rounds have: {row}")


def _asked(row, asked):
    """Each attempt is one request at the most, all alike; none without an attempt (I6, I7)."""
    by_attempt = Counter(one.attempt for one in asked)
    for attempt, times in by_attempt.items():
        if times > 1:
            yield Fault("I7", f"attempt {attempt} was sent {times} times: {row}")
        if attempt > row.attempts:
            yield Fault("I8", f"attempt {attempt} was sent and is not noted: {row}")
    if len({(one.line, one.body) for one in asked}) > 1:
        yield Fault("I6", f"not the same bytes to the same place: {asked}")
    if any(one.key != row.event for one in asked):
        yield Fault("I6", f"another key than the event's: {asked}")
    accepted = sum(one.accepted for one in asked)
    if accepted > 1 + row.unsure:
        yield Fault("I7", f"accepted {accepted} times, and known each time: {row}")


def _state(row, accepted):
    """What the row says of its end is what the receiver said (I5)."""
    if row.status not in STATES:
        yield Fault("I5", f"{row}")
    if row.status == "SUCCEEDED" and row.event not in accepted:
        yield Fault("lost", f"said to be delivered, and no receiver heard of it: {row}")
    if row.status == "FAILED" and row.attempts != row.most:
        yield Fault("lost", f"given up before its last attempt: {row}")


def _reminders(found):
    """One row for each task, whatever became of it (I9)."""
    times = Counter(key for key, _status, _task, _instance in found.reminders)
    for key, number in times.items():
        if number > 1:
            yield Fault("I9", f"{number} reminders of task {key}")
    for key, status, task, _instance in found.reminders:
        if status == "CANCELLED" and task == "open":
            yield Fault("I9", f"the reminder of the open task {key} was cancelled")
