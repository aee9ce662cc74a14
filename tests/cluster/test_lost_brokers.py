"""Whatever happens to the broker, deliveries go on from the rows (reliability.md R1, R2)."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from tests.chaos.__main__ import chosen_tier
from tests.chaos.installation import free_port
from tests.chaos.ledger import Ledger
from tests.cluster.processes import Cluster, await_that, running

pytestmark = [pytest.mark.cluster, pytest.mark.slow]
DUE = """
INSERT INTO flow_callback (tenant_id, event_id, event, step, step_name, target_url, host, profile,
    payload, status, result, attempts, max_attempts, next_attempt_at, lease_owner, token, history,
    created_at, updated_at)
SELECT MIN(id), 'EVENT', 'approved', 'lead', 'Lead', 'URL', 'URL', 'seed', '{}', 'PENDING', '',
    0, 5, clock_timestamp(), '', 0, '[]', clock_timestamp(), clock_timestamp() FROM org_tenant
"""
LOST = "broker did not take the hint"
DONE = "SELECT event_id, status, attempts FROM flow_callback"


class Redis:
    """A Redis server of the test's own, without any memory, that can be killed and started."""

    def __init__(self, folder):
        self._folder, self._port = folder, free_port()
        self._process = None
        self.url = f"redis://127.0.0.1:{self._port}/0"

    def start(self):
        """Start it, empty; it answers when this returns."""
        self._process = subprocess.Popen(
            [
                "redis-server", "--bind", "127.0.0.1", "--port", str(self._port), "--save", "",
                "--appendonly", "no", "--dir", str(self._folder), "--logfile", "redis.log",
            ]
        )  # fmt: skip
        await_that(self._answers, "Redis answers")

    def flush(self):
        """Forget everything."""
        with redis.Redis.from_url(self.url) as store:
            store.flushall()

    def kill(self):
        """End it by kill -9."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _answers(self):
        try:
            with redis.Redis.from_url(self.url) as store:
                return store.ping()
        except redis.RedisError:
            return False


@pytest.fixture
def own_redis(tmp_path):
    if shutil.which("redis-server") is None:
        pytest.skip("needs redis-server to kill one of its own")
    server = Redis(tmp_path)
    server.start()
    yield server
    server.kill()


@contextmanager
def delivering(cluster, **more):
    """`deliver(event)` makes a callback due and waits until the receiver has heard of it, once."""
    ledger = Ledger()
    ledger.heal()
    with ledger.listening() as receiver:
        more |= {
            "FLOWADMIN_CALLBACK_ALLOW": f"{receiver.host}:{receiver.port}",
            "FLOWADMIN_DELIVERY_SCAN_DELAY": "200",
        }
        cluster.write("DELETE FROM coord_beat")

        def deliver(event):
            assert cluster.write(DUE.replace("EVENT", event).replace("URL", receiver.url)) == 1
            await_that(
                lambda: (event, "SUCCEEDED", 1) in cluster.database.rows(DONE), f"{event} arrives"
            )
            assert [one.event for one in ledger.heard].count(event) == 1

        scan = ("manage.py", "work", "--scan")
        only = ("-Q", "delivery", "--concurrency", "2", "--without-mingle", "--without-gossip")
        with (
            cluster.celery("ready.", "worker", *only, **more) as worker,
            running(cluster.environment(**more), "background work started", *scan) as standing_in,
        ):
            yield deliver, worker, standing_in


def test_redis_is_emptied_killed_and_comes_back_empty(postgresql_cluster, own_redis, tmp_path):
    cluster = Cluster(tmp_path, postgresql_cluster.database, own_redis.url)
    with delivering(cluster) as (deliver, worker, standing_in):
        deliver("evt_before")
        own_redis.flush()
        deliver("evt_flushed")
        own_redis.kill()
        deliver("evt_killed")
        assert LOST in standing_in.words, "it went out from here"
        own_redis.start()
        deliver("evt_back")
        done = worker.words.count("scan_callbacks[")
        # The worker has found its way back: ticks reach it again.
        await_that(lambda: worker.words.count("scan_callbacks[") > done, "the worker goes on")


def test_rabbitmq_is_killed(postgresql_cluster, own_rabbitmq):
    """Its own server: the one that other tests use is left alone."""
    cluster = postgresql_cluster
    with delivering(cluster, CELERY_BROKER_URL=own_rabbitmq.url) as (
        deliver,
        _worker,
        standing_in,
    ):
        deliver("evt_on_rabbitmq")
        own_rabbitmq.kill()
        deliver("evt_without_rabbitmq")
        assert LOST in standing_in.words, "it went out from here"


class Rabbit:
    """A RabbitMQ server of the test's own, which can be killed."""

    def __init__(self, folder):
        self._folder = folder
        base = free_port()
        while not 12_000 < base < 40_000:
            base = free_port()
        self._environment = os.environ | {
            "FLOWADMIN_SERVICES_BASE": str(base),
            "FLOWADMIN_SERVICES_FOLDER": str(folder),
        }
        said = self._services("start").stdout
        (line,) = (one for one in said.splitlines() if "FLOWADMIN_TEST_AMQP_URL" in one)
        self.url = line.partition("=")[2].strip("'\"")

    def kill(self):
        """End it by kill -9."""
        pid = int((self._folder / "rabbitmq" / "pid").read_text())
        os.killpg(pid, signal.SIGKILL)

    def stop(self):
        """Leave nothing behind."""
        self._services("stop")
        shutil.rmtree(self._folder)

    def _services(self, what):
        return subprocess.run(
            ["./script/services", what, "rabbitmq"],
            cwd=Path(__file__).resolve().parents[2],
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=180,
            check=True,
        )


@pytest.fixture
def own_rabbitmq():
    if chosen_tier() != "release":
        pytest.skip("a RabbitMQ of its own belongs to the tier release")
    # Not pytest's folder: the account of RabbitMQ must be able to enter it.
    server = Rabbit(Path(tempfile.gettempdir()) / f"flowadmin-rabbit-{os.getpid()}")
    yield server
    server.stop()
