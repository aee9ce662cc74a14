"""The judge of deliveries finds each fault that is planted, and none in a run without one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from tests.chaos.delivery_judging import Look, Row, at_rest, delivered, doubles, judge
from tests.chaos.ledger import Heard


def entry(number, status, **more):
    return {"id": f"a{number}", "kind": "attempt", "attempt": number, "status": status} | more


RETRY = {"id": "m1", "kind": "retry"}
HISTORY = [entry(1, "STARTED"), entry(2, "HTTP_200")]
ROW = Row(1, "evt_1", 7, "SUCCEEDED", 2, 5, "HTTP_200", HISTORY)
FIRST = Heard("evt_1", "evt_1", 1, "POST /hook HTTP/1.1", "bytes", accepted=True)
HEARD = [FIRST, replace(FIRST, attempt=2)]
CLEAN = Look([ROW], Counter({7: 1}), [("70", "SENT", "open", 7)], {7: 2})


def codes(found=CLEAN, heard=HEARD, brought=(7,), longest=0):
    return sorted({fault.code for fault in judge(brought, found, heard, {1: longest})})


def test_a_run_without_a_fault_has_none():
    assert codes() == []
    assert [*at_rest(CLEAN), *delivered(CLEAN)] == []
    assert doubles(HEARD) == 1


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"status": "FAILED"}, ["lost"]),
        ({"status": "GONE"}, ["I5"]),
        ({"attempts": 3}, ["I8"]),
        ({"attempts": 6, "history": [entry(n, "STARTED") for n in range(1, 7)]}, ["I6"]),
        ({"history": [HISTORY[0], HISTORY[0]]}, ["I8"]),
        ({"history": [HISTORY[0], entry(2, "HTTP_200", id=2)]}, ["I8"]),
        ({"history": [*HISTORY, RETRY]}, []),
        ({"attempts": 1, "history": HISTORY[1:]}, ["I7", "I8"]),
        ({"history": [entry(1, "HTTP_503"), HISTORY[1]]}, ["I7"]),
        ({"history": [entry(1, "TIMEOUT"), HISTORY[1]]}, []),
        ({"event": "evt_2"}, ["I6", "lost"]),
    ],
)
def test_of_a_row(changes, expected):
    assert codes(replace(CLEAN, rows=[replace(ROW, **changes)])) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"attempt": 1}, ["I7"]),
        ({"attempt": 3}, ["I8"]),
        ({"body": "other"}, ["I6"]),
        ({"line": "POST /else HTTP/1.1"}, ["I6"]),
        ({"key": "another"}, ["I6"]),
        ({"accepted": False}, []),
    ],
)
def test_of_a_request(changes, expected):
    assert codes(heard=[FIRST, replace(HEARD[1], **changes)]) == expected


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (replace(CLEAN, approvals=Counter()), ["I1"]),
        (replace(CLEAN, rows=[]), ["I3", "I6"]),
        (replace(CLEAN, reminders=[]), ["I3"]),
        (replace(CLEAN, assigned={7: 1}), ["I3"]),
        (replace(CLEAN, reminders=[*CLEAN.reminders] * 2), ["I3", "I9"]),
        (replace(CLEAN, reminders=[("70", "CANCELLED", "open", 7)]), ["I9"]),
    ],
)
def test_of_what_belongs_together(found, expected):
    assert codes(found) == expected


def test_what_is_heard_while_the_tables_are_read_is_no_fault():
    assert judge((7,), CLEAN, [], {}, HEARD) == []
    early = replace(CLEAN, rows=[replace(ROW, status="PENDING", attempts=0, history=[])])
    assert judge((7,), early, [], {}, HEARD) == []


def test_of_what_was_there_before_and_of_what_has_no_end():
    assert codes(longest=3) == ["I8"]
    assert codes(heard=[replace(one, accepted=False) for one in HEARD]) == ["lost"]
    left = replace(
        CLEAN, rows=[replace(ROW, status="LEASED")], reminders=[("70", "PENDING", "open", 7)]
    )
    assert [fault.code for fault in at_rest(left)] == ["I5", "I9"]
    assert [fault.code for fault in delivered(left)] == ["lost"]
