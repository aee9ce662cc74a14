"""All background work of one machine: runs the jobs of flowadmin.periodic without a broker.

Theory: one thread (`Loop.serve`) knows when each job is due by the monotonic clock, which nobody
can set back, and sleeps until then; a hint (``coordination.wake``) makes a job due at once. Jobs
run on the threads of their queue, each at most once at a time, so receivers that hang never hold
up the steps. Nothing here is remembered: what is to be done stands in rows, kill -9 loses nothing.
"""

from __future__ import annotations

import fcntl
import logging
import os
import signal
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, close_old_connections, connections
from django.utils.module_loading import import_string

from flowadmin import clock
from flowadmin.checks import (
    UnsafeStart,
    hold_sqlite_file,
    refuse_unsafe_start,
    release_sqlite_file,
)
from flowadmin.coordination import beat, presence
from flowadmin.coordination.wake import Listener, send_by_name
from flowadmin.periodic import PERIODIC, THREADS, Periodic
from flowadmin.sqlite.host import SecondHost

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

log = logging.getLogger(__name__)

HOLD_SECONDS = 30.0
# A delivery attempt may take ten seconds; what is not done by then comes back by its lease.
FINISH_SECONDS = 15.0


@dataclass(slots=True)
class Turn:
    """Where one job stands: when it is due (monotonic seconds), and whether it runs now."""

    job: Periodic
    due_at: float = 0.0
    running: bool = False
    again: bool = False


class Loop:
    """Runs jobs when they are due until `stop`.

    Args:
        jobs: the table to work off.
        run: runs one job, raises nothing, returns the rows done.
        ear: open listener whose `wait` is the loop's sleep.
        hold: called every HOLD_SECONDS from the loop's own thread; what it raises ends the loop.
    """

    def __init__(
        self,
        jobs: Sequence[Periodic],
        run: Callable[[Periodic], int],
        ear: Listener,
        hold: Callable[[], None] = lambda: None,
    ) -> None:
        self._turns = [Turn(job) for job in jobs]
        self._run = run
        self._ear = ear
        self._hold = hold
        self._stopping = False
        # Guards the turns: the loop's thread and the job threads both set them.
        self._lock = threading.Lock()
        self._queues: dict[str, SimpleQueue[Turn | None]] = {
            queue: SimpleQueue() for queue in {job.queue for job in jobs}
        }

    def stop(self) -> None:
        """Finish what runs and return from `serve`; safe in a signal handler."""
        self._stopping = True
        self._ear.nudge()

    def serve(self) -> bool:
        """Work until `stop`; whether all running jobs could be finished in time."""
        threads = [
            # Daemons: a job that hangs must not keep the process from ending.
            threading.Thread(target=self._work_off, args=(waiting,), name=queue, daemon=True)
            for queue, waiting in self._queues.items()
            for _ in range(THREADS[queue])
        ]
        for thread in threads:
            thread.start()
        try:
            self._keep_time()
        finally:
            self._stopping = True
            finished = self._finish(threads)
        return finished

    def _keep_time(self) -> None:
        hold_at = 0.0
        while not self._stopping:
            now = time.monotonic()
            if now >= hold_at:
                self._hold()
                hold_at = now + HOLD_SECONDS
            self._hear(self._ear.wait(self._start_due(now)))

    def _finish(self, threads: Sequence[threading.Thread]) -> bool:
        for queue, waiting in self._queues.items():
            for _ in range(THREADS[queue]):
                waiting.put(None)
        until = time.monotonic() + FINISH_SECONDS
        for thread in threads:
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in threads)

    def _start_due(self, now: float) -> float:
        """Hand the jobs that are due to their threads; the seconds until the next one is."""
        pause = HOLD_SECONDS
        with self._lock:
            for turn in self._turns:
                if turn.running:
                    continue
                if turn.due_at <= now:
                    turn.running = True
                    self._queues[turn.job.queue].put(turn)
                else:
                    pause = min(pause, turn.due_at - now)
        return pause

    def _hear(self, topics: frozenset[str]) -> None:
        with self._lock:
            for turn in self._turns:
                if turn.job.topic in topics:
                    # The row of the hint may be younger than the run's look at the table.
                    turn.again = turn.running
                    turn.due_at = 0.0

    def _work_off(self, waiting: SimpleQueue[Turn | None]) -> None:
        while (turn := waiting.get()) is not None:
            done = 0 if self._stopping else self._run(turn.job)
            with self._lock:
                more = turn.again or (turn.job.drains and done > 0)
                pause = 0.0 if more else turn.job.every_seconds
                turn.due_at = time.monotonic() + pause
                turn.running = turn.again = False
            self._ear.nudge()
        connections.close_all()


def run_here(job: Periodic) -> int:
    """Run a job in this thread, without a broker; the rows done, -1 after a failure.

    A failure is logged with its traceback (a task's own by Celery) and nothing more: the next
    run finds the same rows.
    """
    close_old_connections()
    try:
        outcome = import_string(job.task).apply(throw=False)
    except (Exception, SystemExit):
        log.exception("%s could not run", job.task)
        return -1
    finally:
        close_old_connections()
    if outcome.failed():
        return -1
    return outcome.result if isinstance(outcome.result, int) else 0


class StandIn:
    """Does beat's work while beat is silent: sends due jobs to Celery's workers by their names.

    With beat alive it sends nothing, so there is one rhythm and not two (decision 12). A broker
    that is away silences beat and reaches no worker: then the job runs here, from the same rows,
    and the workers go on when it is back (issue 5: deliveries go on by scan).
    """

    def __init__(self) -> None:
        # For the log alone. Job threads may set it at the same moment: a line too many, no more.
        self._standing_in = False

    def __call__(self, job: Periodic) -> int:
        """The rows done here; 0 when the workers were told; -1 when the database is away."""
        close_old_connections()
        try:
            silent = beat.is_silent(clock.now())
        except DatabaseError as error:
            log.warning("cannot tell whether beat is silent (%s)", type(error).__name__)
            return -1
        finally:
            close_old_connections()
        if silent != self._standing_in:
            self._standing_in = silent
            log.warning("beat is silent: standing in for it" if silent else "beat ticks again")
        if silent and not send_by_name(job):
            return run_here(job)
        return 0


def run_once(jobs: Sequence[Periodic]) -> list[str]:
    """Run every job in this thread until it finds nothing; the names of those that failed."""
    failed = []
    for job in jobs:
        while (done := run_here(job)) > 0 and job.drains:
            pass
        if done < 0:
            failed.append(job.name)
    return failed


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold the data folder's lock of background work; the system frees it, even on kill -9.

    Raises:
        CommandError: another process holds it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "work.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise CommandError(
                f"Another `manage.py work` (process {lock.read().strip() or 'unknown'}) does the "
                f"background work of {folder}. One is enough: stop it, or set FLOWADMIN_DATA."
            ) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        yield


class Command(BaseCommand):
    """Contract: `manage.py work [--scan]`; SIGTERM or Ctrl-C ends it with exit code 0."""

    help = "Do all background work of this machine until stopped."
    requires_system_checks = ()  # refuse_unsafe_start runs those that matter here

    def add_arguments(self, parser: ArgumentParser) -> None:
        kind = parser.add_mutually_exclusive_group()
        kind.add_argument(
            "--scan",
            action="store_true",
            help="cluster: stand in for a beat that is silent; Celery's workers run the jobs",
        )
        kind.add_argument(
            "--once", action="store_true", help="run every job until it finds nothing, and end"
        )

    def handle(self, *_arguments: Any, **options: Any) -> None:
        """Raises CommandError: unsafe to start (1), another one runs (1), wrong use (2)."""
        if options["scan"] and not settings.CLUSTER:
            raise CommandError(
                "--scan hands jobs to Celery, which needs FLOWADMIN_MODE=cluster; "
                "`manage.py work` alone does all the work of one machine.",
                returncode=2,
            )
        with alone_in(settings.ENVIRONMENT.data):
            try:
                refuse_unsafe_start()
                here = presence.Presence("background worker")
                here.begin()
                if options["once"]:
                    failed = run_once(PERIODIC)
                else:
                    serve_until_told(StandIn() if options["scan"] else run_here)
                    release_sqlite_file()
                    failed = []
                here.end()
            except (UnsafeStart, SecondHost, presence.MixedVersions) as refusal:
                raise CommandError(str(refusal)) from refusal
        if failed:
            raise CommandError(f"failed: {', '.join(failed)}")


def serve_until_told(run: Callable[[Periodic], int], jobs: Sequence[Periodic] = PERIODIC) -> None:
    """Run the loop until SIGTERM or SIGINT; the handlers of before come back afterwards."""
    with Listener() as ear:
        loop = Loop(jobs, run, ear, hold_sqlite_file)
        stop_signals = (signal.SIGTERM, signal.SIGINT)
        before = [signal.signal(one, lambda _number, _frame: loop.stop()) for one in stop_signals]
        try:
            log.info("background work started: %s", ", ".join(job.name for job in jobs))
            if not loop.serve():
                log.warning("a job did not end within %s s; its lease will", FINISH_SECONDS)
        finally:
            for one, handler in zip(stop_signals, before, strict=True):
                signal.signal(one, handler)
    log.info("background work stopped")
