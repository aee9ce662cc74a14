"""The work loop: due jobs run, hints hasten, failures stay alone, a stop finishes what runs."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import replace

import pytest

from flowadmin.coordination.wake import Listener, _datagram
from flowadmin.management.commands import work
from flowadmin.management.commands.work import Loop, run_here, run_once
from flowadmin.periodic import DELIVERY, Periodic
from tests.background import sample_jobs

LONG_ENOUGH = 20.0
HERE = "tests.background.sample_jobs"
RARELY = 3600.0


@pytest.fixture(autouse=True)
def place(settings, tmp_path):
    settings.ENVIRONMENT = replace(settings.ENVIRONMENT, data=tmp_path)
    settings.CLUSTER = False
    sample_jobs.SEEN.clear()


@contextmanager
def running(run, *jobs, **options):
    """A loop in a thread of its own, stopped at the end; yields what `serve` will have said."""
    with Listener() as ear:
        loop = Loop(jobs, run, ear, **options)
        results: list[bool] = []
        thread = threading.Thread(target=lambda: results.append(loop.serve()))
        thread.start()
        try:
            yield results
        finally:
            loop.stop()
            thread.join(LONG_ENOUGH)
            assert not thread.is_alive()


class Count:
    """Counts runs; `reached(n)` waits for the n-th."""

    def __init__(self, answers=()):
        self.runs = []
        self._answers = list(answers)
        self._changed = threading.Condition()

    def __call__(self, job):
        with self._changed:
            self.runs.append(job.name)
            self._changed.notify_all()
            return self._answers.pop(0) if self._answers else 0

    def reached(self, number):
        with self._changed:
            return self._changed.wait_for(lambda: len(self.runs) >= number, LONG_ENOUGH)


def test_a_job_runs_at_start_and_again_after_its_pause():
    count = Count()
    with running(count, Periodic("often", "x", 0.01)):
        assert count.reached(5)


def test_a_job_that_is_not_due_waits():
    count = Count()
    with running(count, Periodic("often", "x", 0.01), Periodic("rarely", "x", RARELY)):
        assert count.reached(20)
    assert count.runs.count("rarely") == 1


def test_a_hint_makes_it_due_at_once():
    count = Count()
    with running(count, Periodic("rarely", "x", RARELY, topic="steps")):
        assert count.reached(1)
        for number in range(2, 6):
            _datagram(b"steps")
            assert count.reached(number)
        _datagram(b"something else")
    assert len(count.runs) == 5


def test_a_job_with_rows_left_goes_on_at_once():
    count = Count([20, 20, 3, 0])
    with running(count, Periodic("drain", "x", RARELY, drains=True)):
        assert count.reached(4)
    assert len(count.runs) == 4


def test_a_failure_does_not_go_on_at_once():
    count = Count([-1])
    with running(count, Periodic("drain", "x", RARELY, drains=True), Periodic("often", "y", 0.01)):
        assert count.reached(10)
    assert count.runs.count("drain") == 1


def test_a_hint_during_a_run_is_not_lost_and_no_job_runs_twice_at_once():
    inside, let_go, second = threading.Event(), threading.Event(), threading.Event()
    at_once = []
    runs = []

    def run(job):
        at_once.append(job)
        assert len(at_once) == 1
        runs.append(job)
        (second if len(runs) == 2 else inside).set()
        let_go.wait(LONG_ENOUGH)
        at_once.pop()
        return 0

    with running(run, Periodic("rarely", "x", RARELY, queue=DELIVERY, topic="steps")):
        assert inside.wait(LONG_ENOUGH)
        _datagram(b"steps")
        assert not second.wait(0.2)
        let_go.set()
        assert second.wait(LONG_ENOUGH)


def test_a_hanging_delivery_does_not_hold_up_the_steps():
    let_go = threading.Event()
    count = Count()

    def run(job):
        return let_go.wait(LONG_ENOUGH) * 0 if job.queue == DELIVERY else count(job)

    with running(
        run, Periodic("deliver", "x", RARELY, queue=DELIVERY), Periodic("steps", "y", 0.01)
    ):
        assert count.reached(10)
        let_go.set()


def test_two_deliveries_run_side_by_side():
    together, met = threading.Barrier(2), threading.Event()

    def run(_job):
        together.wait(LONG_ENOUGH)
        met.set()
        return 0

    with running(
        run,
        Periodic("reminders", "x", RARELY, queue=DELIVERY),
        Periodic("callbacks", "y", RARELY, queue=DELIVERY),
    ):
        assert met.wait(LONG_ENOUGH)


def test_stop_lets_the_running_job_finish():
    inside, finished = threading.Event(), []

    def run(_job):
        inside.set()
        finished.append(threading.Event().wait(0.3))
        return 0

    with running(run, Periodic("slow", "x", RARELY)) as finished_in_time:
        assert inside.wait(LONG_ENOUGH)
    assert finished == [False]
    assert finished_in_time == [True]


def test_stop_does_not_wait_for_a_job_that_hangs(monkeypatch):
    monkeypatch.setattr(work, "FINISH_SECONDS", 0.1)
    inside, let_go = threading.Event(), threading.Event()

    def run(_job):
        inside.set()
        let_go.wait(LONG_ENOUGH)
        return 0

    with running(run, Periodic("hangs", "x", RARELY)) as finished_in_time:
        assert inside.wait(LONG_ENOUGH)
    assert finished_in_time == [False]
    let_go.set()


def test_nothing_starts_after_stop():
    count = Count([1] * 100000)
    with running(count, Periodic("drain", "x", RARELY, drains=True)):
        assert count.reached(3)
    before = len(count.runs)
    assert before < 100000
    assert len(count.runs) == before


def test_what_holding_the_file_raises_ends_the_loop():
    def lost():
        raise LookupError("another machine")

    with Listener() as ear, pytest.raises(LookupError):
        Loop([Periodic("steps", "x", 0.01)], Count(), ear, lost).serve()


@pytest.mark.django_db(transaction=True)
def test_a_job_that_fails_stops_nothing(caplog):
    jobs = (
        Periodic("fails", f"{HERE}.fails", 0.01),
        Periodic("leaves", f"{HERE}.leaves", 0.01),
        Periodic("absent", f"{HERE}.absent", 0.01),
        Periodic("works", f"{HERE}.works", 0.01),
    )
    count = Count()
    with running(lambda job: run_here(job) + 0 * count(job), *jobs):
        assert count.reached(12)
    assert {"fails", "leaves", "works"} <= set(sample_jobs.SEEN)
    assert sample_jobs.SEEN.count("works") > 1
    assert "ValueError: planted" in caplog.text
    assert "sample_jobs.absent" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_once_runs_each_and_names_what_failed():
    jobs = (
        Periodic("fails", f"{HERE}.fails", RARELY),
        Periodic("works", f"{HERE}.works", RARELY, drains=True),
    )
    assert run_once(jobs) == ["fails"]
    assert sample_jobs.SEEN == ["fails", "works"]
