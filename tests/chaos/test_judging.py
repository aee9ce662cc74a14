"""The judge finds each fault that is planted, and nothing in a run without one."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.chaos.action_log import ActionLog, Line, last_words
from tests.chaos.judging import SPAN, Found, at_rest, judge

TOLD = json.dumps({"handled_by": "Bao", "handled_at": "2026-03-02T09:00:00Z"})
START = Line("k1", "ok", "start", "ann", "m1", 0, 201, '{"id": "7"}')
APPROVE = Line("k2", "ok", "approve", "bao", str(7 * SPAN + 1), 0, 200, '{"task": {}}')
LATE = Line("k3", "fail", "approve", "bao", str(7 * SPAN + 1), 0, 409, TOLD)
LINES = [replace(START, phase="invoke"), START, replace(APPROVE, phase="unknown"), APPROVE, LATE]
STARTED = (7, 1, "instance_started", "ann", {"values": {"marker": "m1"}})
ASSIGNED = (7, 2, "task_assigned", "ann", {"seat": 1})
APPROVED = (7, 3, "task_approved", "bao", {"seat": 1})
CLEAN = Found(
    answers=[("k1", "ann", 201, START.body), ("k2", "bao", 200, APPROVE.body)],
    instances=[(7, "000007", "approved", None, 3)],
    events=[STARTED, ASSIGNED, APPROVED],
    waiting=[],
)


def codes(lines, found):
    return sorted({fault.code for fault in judge(lines, found)})


def test_a_run_without_a_fault_has_none():
    assert judge(LINES, CLEAN) == []
    assert at_rest(CLEAN) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"answers": CLEAN.answers[:1]}, ["lost_answer"]),
        ({"answers": [CLEAN.answers[0], ("k2", "bao", 200, "{}")]}, ["other_answer"]),
        ({"answers": [*CLEAN.answers, CLEAN.answers[1]]}, ["other_answer"]),
        ({"answers": [*CLEAN.answers, ("k3", "bao", 200, "{}")]}, ["kept_refusal"]),
        ({"answers": [*CLEAN.answers, ("k9", "bao", 200, "{}")]}, ["nobody_asked"]),
        ({"events": CLEAN.events[:2]}, ["history", "lost"]),
        ({"events": [STARTED, APPROVED]}, ["history"]),
        (
            {"events": [*CLEAN.events, (7, 4, *APPROVED[2:])]},
            ["decided_twice", "doubled", "history"],
        ),
        (
            {"events": [*CLEAN.events, (7, 4, "task_closed", "bao", {"seat": 1})]},
            ["decided_twice", "history"],
        ),
        (
            {"events": [STARTED, ASSIGNED, (7, 3, "task_rejected", "bao", {"seat": 1})]},
            ["doubled", "lost"],
        ),
        (
            {"events": [STARTED, ASSIGNED, (7, 3, "task_approved", "dan", {"seat": 1})]},
            ["doubled", "lost"],
        ),
        ({"instances": []}, ["history", "lost"]),
        (
            {
                "instances": [*CLEAN.instances, (8, "000008", "running", None, 1)],
                "events": [*CLEAN.events, (8, 1, *STARTED[2:])],
            },
            ["filed_twice"],
        ),
        (
            {
                "instances": [*CLEAN.instances, (8, "000007", "running", None, 1)],
                "events": [
                    *CLEAN.events,
                    (8, 1, "instance_started", "ann", {"values": {"marker": "m2"}}),
                ],
            },
            ["filed_twice", "nobody_asked"],
        ),
    ],
)
def test_a_planted_fault_is_found(changes, expected):
    assert codes(LINES, replace(CLEAN, **changes)) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (replace(APPROVE, key="k4", phase="unknown"), ["unanswered"]),
        (replace(APPROVE, key="k4", phase="invoke"), ["unanswered"]),
        (replace(APPROVE, key="k4", phase="broken", status=500), ["broken"]),
        (replace(LATE, key="k4", body="{}"), ["silent_refusal"]),
        (replace(LATE, key="k4", status=412), ["silent_refusal"]),
        (replace(APPROVE, phase="repeat"), ["other_answer"]),
        (replace(APPROVE, phase="repeat", replayed=True, body="{}"), ["other_answer"]),
    ],
)
def test_a_wrong_answer_is_found(line, expected):
    assert codes([*LINES, line], CLEAN) == expected


def test_a_repeated_answer_that_is_the_first_is_right():
    assert judge([*LINES, replace(APPROVE, phase="repeat", replayed=True)], CLEAN) == []


@pytest.mark.parametrize(
    ("state", "held", "waiting", "expected"),
    [
        ("running", None, [], ["stuck"]),
        ("running", None, [("job", 7)], ["job_left", "stuck"]),
        ("running", "step.nobody", [], []),
        ("running", None, [("task", 7)], []),
        ("approved", None, [("task", 7)], ["left_open"]),
        ("approved", None, [("job", 7)], ["job_left"]),
    ],
)
def test_what_never_comes_to_rest_is_found(state, held, waiting, expected):
    found = replace(CLEAN, instances=[(7, "000007", state, held, 3)], waiting=waiting)
    assert [fault.code for fault in at_rest(found)] == expected


def test_the_log_is_in_the_file_when_it_was_written(tmp_path):
    log = ActionLog(tmp_path / "actions.jsonl")
    for line in LINES:
        log.write(line)
    written = (tmp_path / "actions.jsonl").read_text(encoding="utf-8")
    log.close()
    read = [Line(**json.loads(text)) for text in written.splitlines()]
    assert [replace(line, at=0.0) for line in read] == LINES
    ended, unanswered = last_words(read)
    assert sorted(ended) == ["k1", "k2", "k3"]
    assert unanswered == {}
