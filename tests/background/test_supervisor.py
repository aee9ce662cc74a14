"""What script/server runs, as processes: up, kept up, stopped; and clear words when it cannot."""

from __future__ import annotations

import os
import queue
import re
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).resolve().parents[2]
LONG_ENOUGH = 90


def environment(data, port, **more):
    clean = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
    clean.pop("FLOWADMIN_MODE", None)
    own = {"FLOWADMIN_DATA": str(data), "PORT": str(port), "FLOWADMIN_DEMO": "0"}
    return clean | own | {"HOST": "127.0.0.1", "PYTHONUNBUFFERED": "1"} | more


def command():
    return [sys.executable, "-m", "flowadmin.supervisor"]


@pytest.fixture
def port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Server:
    """A running supervisor and what it has said so far."""

    def __init__(self, process):
        self.process = process
        self.said = []
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def close(self):
        self._reader.join(LONG_ENOUGH)
        self.process.stdout.close()

    def hears(self, pattern):
        """Wait for a line; the match. Fails when the output ends or stays silent before."""
        while (line := self._lines.get(timeout=LONG_ENOUGH)) is not None:
            self.said.append(line)
            if found := re.search(pattern, line):
                return found
        pytest.fail(f"{pattern!r} was never said:\n{''.join(self.said)}")

    def rest(self):
        """Wait for the end of the output; all of it."""
        while (line := self._lines.get(timeout=LONG_ENOUGH)) is not None:
            self.said.append(line)
        return "".join(self.said)

    def child(self, word):
        """The direct child whose command line has the word."""
        return next(
            one
            for one in psutil.Process(self.process.pid).children()
            if word in " ".join(one.cmdline())
        )


@contextmanager
def serving(data, port, **more):
    process = subprocess.Popen(
        command(),
        cwd=ROOT,
        env=environment(data, port, **more),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    server = Server(process)
    try:
        yield server
    finally:
        left = (
            psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
        )
        process.kill()
        for one in left:
            try:
                one.kill()
            except psutil.NoSuchProcess:
                continue
        process.wait()
        server.close()


def status(port):
    """The status of the live probe; 0 when nobody listens."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/live", timeout=20) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


@pytest.mark.slow
def test_up_kept_up_and_stopped(tmp_path, port):
    with serving(tmp_path, port) as server:
        address = server.hears(r"ready after [\d.]+ s: (\S+)")[1]
        assert address == f"http://127.0.0.1:{port}/"
        assert status(port) == 200
        web, work = server.child("gunicorn"), server.child("manage.py work")

        work.kill()
        server.hears(r"background worker ended \(signal 9\)")
        server.hears("background worker starts again")
        web.kill()
        server.hears(r"web server ended \(signal 9\)")
        server.hears("web server starts again")
        for _ in range(200):
            if status(port) == 200:
                break
            threading.Event().wait(0.1)
        assert status(port) == 200

        everyone = psutil.Process(server.process.pid).children(recursive=True)
        assert len(everyone) >= 3
        server.process.send_signal(signal.SIGINT)
        said = server.rest()
        assert server.process.wait(LONG_ENOUGH) == 0
        assert said.rstrip().endswith("stopped")
        assert "Traceback" not in said
        _gone, alive = psutil.wait_procs(everyone, timeout=20)
        assert alive == []
    assert status(port) == 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's signal to orphans is Linux's")
def test_no_orphan_keeps_the_port(tmp_path, port):
    with serving(tmp_path, port) as server:
        server.hears("ready after")
        everyone = psutil.Process(server.process.pid).children(recursive=True)
        server.process.kill()
        _gone, alive = psutil.wait_procs(everyone, timeout=30)
        assert alive == []


def refusal(data, port, **more):
    done = subprocess.run(
        command(),
        cwd=ROOT,
        env=environment(data, port, **more),
        capture_output=True,
        text=True,
        timeout=LONG_ENOUGH,
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    return done.stderr


def test_a_taken_port_is_said_before_anything_is_done(tmp_path, port):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        assert f"Port {port} on 127.0.0.1 is in use" in refusal(tmp_path / "data", port)
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("text", ["0", "65536", "80a", "-1"])
def test_a_wrong_port_names_the_variable(tmp_path, text):
    assert "PORT must be a number" in refusal(tmp_path, text)


def test_a_failing_preparation_is_said(tmp_path, port):
    said = refusal(tmp_path, port, FLOWADMIN_MODE="cluster")
    assert "manage.py migrate failed" in said
    assert "DATABASE_URL" in said


def test_it_loads_no_django():
    done = subprocess.run(
        [sys.executable, "-c", "import sys, flowadmin.supervisor; print('django' in sys.modules)"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "False"
