"""The cluster's Celery: settings that keep messages, and a real worker and beat on Redis."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from flowadmin.celery import app
from flowadmin.periodic import THREADS

ROOT = Path(__file__).resolve().parents[2]
LONG_ENOUGH = 90


def test_messages_are_kept_until_the_work_is_done():
    assert app.conf.task_acks_late is True
    assert app.conf.task_reject_on_worker_lost is True
    assert app.conf.worker_prefetch_multiplier == 1
    assert app.conf.task_ignore_result is True
    assert app.conf.accept_content == ["json"]
    assert set(app.conf.task_queues) == set(THREADS)
    assert (app.conf.timezone, app.conf.enable_utc) == ("UTC", True)


def run(code, environment):
    """Run a few lines with Django set up in the environment of the worker; what they print."""
    done = subprocess.run(
        [sys.executable, "-c", f"import django; django.setup()\n{code}"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=LONG_ENOUGH,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@contextmanager
def celery(environment, until, *arguments):
    """A Celery process; `until` is what it must have said before the test goes on."""
    process = subprocess.Popen(
        [sys.executable, "-m", "celery", "-A", "flowadmin", *arguments, "--loglevel", "INFO"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    lines = []
    heard = threading.Event()

    def listen():
        for line in process.stdout:
            lines.append(line)
            if until in line:
                heard.set()
        heard.set()

    reader = threading.Thread(target=listen, daemon=True)
    reader.start()
    try:
        assert heard.wait(LONG_ENOUGH), lines
        assert any(until in line for line in lines), "".join(lines)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        reader.join(LONG_ENOUGH)
        process.stdout.close()


@pytest.fixture
def environment(tmp_path):
    """A migrated data folder and a Redis database that are nobody else's."""
    base, _, index = os.environ["FLOWADMIN_TEST_REDIS_URL"].rstrip("/").rpartition("/")
    base = base if index.isdecimal() else f"{base}/{index}"
    broker = f"{base}/10"
    clean = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
    made = clean | {
        "FLOWADMIN_DATA": str(tmp_path),
        "CELERY_BROKER_URL": broker,
        "DJANGO_SETTINGS_MODULE": "flowadmin.settings",
        "PYTHONUNBUFFERED": "1",
    }
    run(
        "from django.core.management import call_command; call_command('migrate', verbosity=0)",
        made,
    )
    with redis.Redis.from_url(broker) as store:
        store.flushdb()
        yield made
        store.flushdb()


OLD_ANSWER = """
from datetime import timedelta
from flowadmin import clock
from flowadmin.directory.demo import make_people
from flowadmin.directory.models import User
from flowadmin.rest.models import StoredRequest
make_people("a password that is long enough")
user = User.objects.get(login="ann")
StoredRequest.objects.create(
    user=user, tenant=user.tenant, route="r", key="k", body_hash="h", status=200, body="",
    created_at=clock.now() - timedelta(days=3),
)
"""
SEND_SWEEP = """
from flowadmin.coordination.wake import send_by_name
from flowadmin.periodic import PERIODIC
print(send_by_name(next(job for job in PERIODIC if job.name == "sweep-requests")))
"""
COUNT = "from flowadmin.rest.models import StoredRequest; print(StoredRequest.objects.count())"


@pytest.mark.cluster
@pytest.mark.slow
@pytest.mark.skipif("FLOWADMIN_TEST_REDIS_URL" not in os.environ, reason="needs Redis")
def test_a_worker_does_what_was_sent_by_name(environment):
    run(OLD_ANSWER, environment)
    assert run(COUNT, environment) == "1"
    with celery(environment, "ready.", "worker", "--concurrency", "1"):
        assert run(SEND_SWEEP, environment) == "True"
        for _ in range(60):
            if run(COUNT, environment) == "0":
                break
    assert run(COUNT, environment) == "0"


@pytest.mark.cluster
@pytest.mark.slow
@pytest.mark.skipif("FLOWADMIN_TEST_REDIS_URL" not in os.environ, reason="needs Redis")
def test_beat_ticks_from_the_table(environment, tmp_path):
    with (
        celery(environment, "Sending due task run-steps", "beat"),
        redis.Redis.from_url(environment["CELERY_BROKER_URL"], socket_timeout=None) as store,
    ):
        sent = store.blpop(["ordinary"], timeout=LONG_ENOUGH)
    assert sent is not None
    message = json.loads(sent[1])
    assert message["headers"]["task"] == "workflow.jobs.run_due_steps"
    assert message["headers"]["expires"]
    assert list(tmp_path.glob("beat-schedule*"))
