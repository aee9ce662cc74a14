"""A request that is moved, and moved back, has the rows that its history says, for any life."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from hypothesis import HealthCheck, event, given, settings

from tests.engine.builders import NOW
from tests.engine.histories import WISHES, live, organisations, processes
from tests.engine.test_migrating import NEW, OLD, moving
from tests.engine.test_migrating_any import EDITS, edited, live_on, while_running
from workflow.engine.commands import UndoMigration
from workflow.engine.decide import decide
from workflow.engine.rejections import Rejection
from workflow.runtime.projection import JobRow, Projection, StepRow, TaskRow

INSTANCE = 7


def written(commands, versions):
    """All rows as the one writer leaves them, and as a replay makes them from nothing."""
    whole = Projection(INSTANCE, versions[OLD], version=versions.__getitem__)
    steps: dict[int, StepRow] = {}
    tasks: dict[int, TaskRow] = {}
    jobs: dict[int, JobRow] = {}
    at_present = versions[OLD]
    for number, (before, run) in enumerate(commands):
        at, actor = NOW + timedelta(minutes=number), number + 1
        whole.project(run.events, at, actor)
        one = Projection(INSTANCE, at_present, before, version=versions.__getitem__)
        one.project(run.events, at, actor)
        at_present = run.definition
        assert one.definition is at_present
        for key, step in one.steps.items():
            old = steps.get(key, step)
            steps[key] = replace(step, entered_at=old.entered_at, kind=old.kind)
        for key, task in one.tasks.items():
            first = tasks.get(key, task)
            tasks[key] = replace(task, created_at=first.created_at, step_name=first.step_name)
        for key in one.ended_jobs(run.state):
            jobs[key] = replace(jobs[key], state="cancelled")
        for key in one.carried_out & jobs.keys():
            jobs[key] = replace(jobs[key], state="done")
        for work in run.state.work:
            if work.put_off and work.number in jobs:
                jobs[work.number] = replace(jobs[work.number], state="put_off")
        jobs |= one.jobs
    whole.ended_jobs(commands[-1][1].state)
    return (steps, tasks, jobs), (whole.steps, whole.tasks, whole.jobs)


@settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example],
)
@given(processes(), organisations(), WISHES, EDITS, WISHES)
def test_the_rows_of_a_moved_request_are_those_of_its_history(
    definition, org, wishes, edits, later
):
    life = while_running(live(definition, org, wishes))
    new = edited(definition, edits)
    if life.state is None or new is None:
        return
    versions = {OLD: definition, NEW: new}
    try:
        run = decide(definition, life.state, moving(new), org, NOW)
    except Rejection as refusal:
        event(refusal.code)
        return
    commands = [*life.commands, (life.state, run)]
    stored, replayed = written(commands, versions)
    assert stored == replayed
    on = live_on(life, run, new, later)
    stored, replayed = written(on.commands, versions)
    assert stored == replayed
    back = UndoMigration(
        definition=definition,
        old=OLD,
        new=NEW,
        old_number=1,
        new_number=2,
        history=[each for _, done in commands for each in done.events],
    )
    try:
        undone = decide(new, run.state, back, org, NOW)
    except Rejection as refusal:
        event(refusal.code)
        return
    event("moved back")
    stored, replayed = written([*commands, (run.state, undone)], versions)
    assert stored == replayed
