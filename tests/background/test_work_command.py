"""`manage.py work` as a process: started, told to stop, killed, started twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LONG_ENOUGH = 60
STARTED = "background work started"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A data folder with a migrated SQLite file; always SQLite, whatever the suite runs on."""
    folder = tmp_path_factory.mktemp("work")
    done = manage(folder, "migrate", "--verbosity", "0")
    assert done.returncode == 0, done.stderr
    return folder


def environment(data, **more):
    clean = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
    clean.pop("FLOWADMIN_MODE", None)
    return clean | {"FLOWADMIN_DATA": str(data), "PYTHONUNBUFFERED": "1"} | more


def manage(data, *arguments, **more):
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=environment(data, **more),
        capture_output=True,
        text=True,
        timeout=LONG_ENOUGH,
        check=False,
    )


@contextmanager
def working(data):
    """A running `manage.py work` that has said that it started."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", "work"],
        cwd=ROOT,
        env=environment(data),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        lines = []
        for line in process.stderr:
            lines.append(line)
            if STARTED in line:
                break
        else:
            pytest.fail("".join(lines))
        yield process
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_exit_code_0(data, number):
    with working(data) as process:
        assert (data / "work.sock").is_socket()
        process.send_signal(number)
        rest = process.stderr.read()
        assert process.wait(LONG_ENOUGH) == 0
    assert "background work stopped" in rest
    assert "Traceback" not in rest
    assert not (data / "work.sock").exists()


def test_a_second_one_is_refused_and_the_first_goes_on(data):
    with working(data) as process:
        second = manage(data, "work")
        assert second.returncode == 1
        assert str(process.pid) in second.stderr
        assert str(data) in second.stderr
        assert "Traceback" not in second.stderr
        assert process.poll() is None
        assert (data / "work.sock").is_socket()


def test_after_kill_9_the_next_one_starts(data):
    with working(data) as process:
        process.kill()
        process.wait(LONG_ENOUGH)
        assert (data / "work.sock").is_socket()
    with working(data) as process:
        process.terminate()
        process.stderr.read()
        assert process.wait(LONG_ENOUGH) == 0


def test_once_does_what_is_due_and_ends(data):
    done = manage(data, "work", "--once")
    assert (done.returncode, done.stderr) == (0, "")


def test_scan_is_for_a_cluster(data):
    done = manage(data, "work", "--scan")
    assert done.returncode == 2
    assert "FLOWADMIN_MODE=cluster" in done.stderr


def test_it_refuses_an_unsafe_start(data):
    done = manage(data, "work", FLOWADMIN_MODE="cluster")
    assert done.returncode == 1
    assert "DATABASE_URL" in done.stderr
    assert "REDIS_URL" in done.stderr
    assert "Traceback" not in done.stderr
