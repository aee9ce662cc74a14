"""The rows that projection makes say what the fold of the history says, for any history."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from hypothesis import HealthCheck, given, settings

from tests.engine.builders import NOW
from tests.engine.histories import WISHES, live, organisations, processes
from workflow.engine.state import InstanceState
from workflow.runtime.projection import JobRow, Projection, StepRow, TaskRow

INSTANCE = 7
quick = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example],
)


def moments(life):
    """Each command with its time and an actor of its own."""
    for number, (before, run) in enumerate(life.commands):
        yield before, run, NOW + timedelta(minutes=number), number + 1


def replayed(life):
    """All rows, as `flow_replay` makes them from an empty table."""
    projection = Projection(INSTANCE, life.definition)
    for _, run, at, actor in moments(life):
        projection.project(run.events, at, actor)
    if life.state is not None:
        projection.ended_jobs(life.state)
    return projection


def stored(life):
    """All rows, as the one writer leaves them: each command writes what it touched."""
    steps: dict[int, StepRow] = {}
    tasks: dict[int, TaskRow] = {}
    jobs: dict[int, JobRow] = {}
    for before, run, at, actor in moments(life):
        one = Projection(INSTANCE, life.definition, before)
        one.project(run.events, at, actor)
        # When a row began is not written again (`Projection`).
        for number, step in one.steps.items():
            began = steps.get(number, step).entered_at
            steps[number] = replace(step, entered_at=began)
        for number, task in one.tasks.items():
            tasks[number] = replace(task, created_at=tasks.get(number, task).created_at)
        for number in one.ended_jobs(run.state):
            jobs[number] = replace(jobs[number], state="cancelled")
        for number in one.carried_out & jobs.keys():
            # The worker's fence closes its own row in the same transaction.
            jobs[number] = replace(jobs[number], state="done")
        for work in run.state.work:
            if work.put_off and work.number in jobs:
                jobs[work.number] = replace(jobs[work.number], state="put_off")
        jobs |= one.jobs
    return steps, tasks, jobs


@quick
@given(processes(), organisations(), WISHES)
def test_written_command_by_command_or_replayed_the_rows_are_the_same(definition, org, wishes):
    life = live(definition, org, wishes)
    whole = replayed(life)
    assert stored(life) == (whole.steps, whole.tasks, whole.jobs)


@quick
@given(processes(), organisations(), WISHES)
def test_the_rows_equal_the_fold(definition, org, wishes):
    life = live(definition, org, wishes)
    if life.state is None:
        return
    rows, state = replayed(life), life.state
    opened = {each.number: each for each in state.activations}
    assert {number for number, row in rows.steps.items() if row.state == "open"} == set(opened)
    assert {number for number, row in rows.steps.items() if row.ended_at is None} == set(opened)
    assert len(rows.steps) == state.last_activation
    assert len(rows.tasks) == state.last_seat
    seats = {seat.number: seat for each in opened.values() for seat in each.seats}
    for number, row in rows.tasks.items():
        seat = seats.get(number)
        if seat is None:
            assert row.state not in {"open", "blocked", "handed_on"}
            assert row.decided_at is not None
        else:
            assert (row.state, row.holder, row.version) == (seat.state, seat.holder, seat.version)
    waiting = {n: row.state for n, row in rows.jobs.items() if row.state in {"pending", "put_off"}}
    assert waiting == {
        work.number: "put_off" if work.put_off else "pending" for work in state.work
    }
    assert (rows.ended_at is not None) == (state.status is not InstanceState.RUNNING)
