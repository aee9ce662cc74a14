"""A cluster on this machine: its own database, its own Redis databases, its real processes."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import redis
from celery import Celery
from kombu.connection import Connection
from kombu.entity import Exchange, Queue

from flowadmin.periodic import THREADS, of_topic
from tests.chaos.databases import Database
from tests.chaos.installation import free_port

ROOT = Path(__file__).resolve().parents[2]
LONG_ENOUGH = 90
PAUSE_SECONDS = 0.05
# The index of the cache; the broker is two further. Other tests use 0, 9 and 10.
CACHE_INDEXES = (3, 6)
(STEPS,) = of_topic("steps")
NOT_OURS = (
    "SECRET_KEY", "ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "HOST", "PORT", "PYTHONWARNINGS",
)  # fmt: skip


def clean_environment(**own):
    """What a process of an installation sees of ours: nothing that could lead elsewhere."""
    ours = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("FLOWADMIN_", "DJANGO_"))
        and not name.endswith("_URL")
        and name not in NOT_OURS
    }
    own = {"DJANGO_SETTINGS_MODULE": "flowadmin.settings", "PYTHONUNBUFFERED": "1"} | own
    return ours | own


def run_python(environment, *arguments):
    """Run Python with these arguments to its end; what `subprocess.run` gives."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LONG_ENOUGH,
        check=False,
    )


def brought(environment, *kinds, lost):
    """Ids of requests that people filed and approved in a process of its own."""
    done = run_python(environment, "-m", "tests.cluster.acting", "bring", *kinds)
    assert done.returncode == 0, done.stderr
    assert ("broker did not take the hint" in done.stderr) is lost, done.stderr
    return [int(word) for word in done.stdout.split()]


class Process:
    """A process in a group of its own, and what it has said so far."""

    def __init__(self, environment, *arguments):
        self._process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self.pid = self._process.pid
        self._lines = []
        self._ended = False
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()

    def _listen(self):
        for line in self._process.stdout:
            with self._news:
                self._lines.append(line)
                self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    @property
    def words(self):
        """Everything it has said."""
        with self._news:
            return "".join(self._lines)

    def has_said(self, text, times=1):
        """Wait until it has said this so often; fail when it ends, or never does."""

        def heard():
            return sum(text in line for line in self._lines) >= times

        with self._news:
            self._news.wait_for(lambda: heard() or self._ended, LONG_ENOUGH)
            assert heard(), f"never said {text!r}:\n{''.join(self._lines)[-4000:]}"

    def kill(self):
        """End it and its children by kill -9; they are gone when this returns."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._close()

    def stop(self):
        """Ask it to end, and insist after a while; its exit code."""
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(30)
        self.kill()
        return self._process.returncode

    def _close(self):
        self._process.wait()
        self._reader.join(LONG_ENOUGH)
        self._process.stdout.close()


@contextmanager
def running(environment, until, *arguments):
    """A process that has said `until`; ended at the end, in whichever state it is then."""
    process = Process(environment, *arguments)
    try:
        process.has_said(until)
        yield process
    finally:
        process.stop()


def await_that(is_so, what):
    """Wait until `is_so()`; fail with `what` when it never is."""
    until = time.monotonic() + LONG_ENOUGH
    while not is_so():
        assert time.monotonic() < until, f"never so: {what}"
        time.sleep(PAUSE_SECONDS)


@contextmanager
def claimed_redis():
    """Address of a Redis database whose neighbours nobody else uses; all are empty.

    The lock keeps two runs of the suite on one machine apart.
    """
    address = os.environ["FLOWADMIN_TEST_REDIS_URL"]
    with _claimed_index() as index:
        of = [with_index(address, index + offset) for offset in range(3)]
        for one in of:
            with redis.Redis.from_url(one) as store:
                store.flushdb()
        yield of[0]
        for one in of:
            with redis.Redis.from_url(one) as store:
                store.flushdb()


def with_index(address, index):
    """The same Redis server, another database of it."""
    return urlunsplit(urlsplit(address)._replace(path=f"/{index}"))


@contextmanager
def _claimed_index():
    until = time.monotonic() + 10 * LONG_ENOUGH
    while True:
        for index in CACHE_INDEXES:
            path = Path(tempfile.gettempdir()) / f"flowadmin-test-redis-{index}.lock"
            with path.open("a") as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue
                yield index
                return
        assert time.monotonic() < until, "other runs hold every Redis database"
        time.sleep(PAUSE_SECONDS)


class Cluster:
    """An installation in cluster mode, ready for requests; see `made`."""

    def __init__(self, folder, database, redis_url):
        self.folder = folder
        self.database = database
        self.redis_url = redis_url
        base, _, index = redis_url.rpartition("/")
        self.redis_broker = f"{base}/{int(index) + 2}"

    @classmethod
    @contextmanager
    def made(cls, kind, server, folder):
        """A cluster on a database and Redis databases that are its own, and go with it."""
        database = Database(kind, folder, server)
        with claimed_redis() as redis_url:
            cluster = cls(folder, database, redis_url)
            database.create()
            try:
                done = cluster.run("-m", "tests.cluster.acting", "furnish")
                assert done.returncode == 0, done.stderr
                yield cluster
            finally:
                database.drop()

    def environment(self, **more):
        """The variables of the contract for one process of this cluster."""
        return clean_environment(
            FLOWADMIN_MODE="cluster",
            FLOWADMIN_DATA=str(self.folder),
            DATABASE_URL=self.database.url,
            REDIS_URL=self.redis_url,
            SECRET_KEY="of the cluster's tests, and long enough to be one",
            **more,
        )

    def run(self, *arguments, **more):
        """Run Python in the cluster's environment to its end."""
        return run_python(self.environment(**more), *arguments)

    def celery(self, until, *arguments, **more):
        """`with cluster.celery("ready.", "worker"):` a Celery process that has said so much."""
        command = ("-m", "celery", "-A", "flowadmin", *arguments, "--loglevel", "INFO")
        return running(self.environment(**more), until, *command)

    def worker(self, **more):
        """A worker that is ready; it neither waits for other workers nor talks to them."""
        alone = ("--without-mingle", "--without-gossip", "--concurrency", "1")
        return self.celery("ready.", "worker", *alone, **more)

    def beat(self, **more):
        """A beat that has begun, with no memory of earlier ones."""
        for left in self.folder.glob("beat-schedule*"):
            left.unlink()
        return self.celery("beat: Starting", "beat", **more)

    def bring(self, *kinds, heard=True, **more):
        """File and approve a request of each kind ("copy", "auto"), elsewhere; their ids.

        Without `heard` the hints go to a broker that is not there: they are lost.
        """
        if not heard:
            more["CELERY_BROKER_URL"] = f"redis://127.0.0.1:{free_port()}/0"
        return brought(self.environment(**more), *kinds, lost=not heard)

    def hint(self):
        """Tell the workers, as a process of the cluster would, that a step is due."""
        with Celery("hint", broker=self.redis_broker, set_as_current=False) as sender:
            sender.send_task(STEPS.task, queue=STEPS.queue, ignore_result=True)

    def write(self, statement):
        """Carry out one statement on the database, at once; how many rows it changed."""
        with closing(self.database._connect(self.database.url)) as connection:
            cursor = connection.cursor()
            cursor.execute(statement)
            return cursor.rowcount

    @contextmanager
    def locked(self, statement):
        """Hold the locks of a SELECT … FOR UPDATE."""
        with closing(self.database._connect(self.database.url)) as connection:
            cursor = connection.cursor()
            cursor.execute("BEGIN")
            cursor.execute(statement)
            yield
            cursor.execute("ROLLBACK")

    def waiting(self, queue="ordinary"):
        """The headers of the messages that wait in a queue of the Redis broker."""
        with redis.Redis.from_url(self.redis_broker) as store:
            return [json.loads(message)["headers"] for message in store.lrange(queue, 0, -1)]

    def empty_queues(self, broker=None):
        """Throw away whatever waits, as the end of an earlier test may have left some."""
        with Connection(broker or self.redis_broker) as connection:
            channel = connection.default_channel
            for queue in THREADS:
                Queue(queue, Exchange(queue), queue, channel=channel).declare()
                channel.queue_purge(queue)


def sent_by(process, messages):
    """Those of the messages that this process has sent."""
    return [one for one in messages if one["origin"].startswith(f"gen{process.pid}@")]


def about(request, rows):
    """What rows say of one request, whose id is the first value of each."""
    return [row[1:] for row in rows if row[0] == request]
