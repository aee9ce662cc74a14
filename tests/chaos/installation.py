"""A whole installation on loopback: database, two web workers, background work; killed by pid."""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import httpx

from tests.chaos.databases import Database

ROOT = Path(__file__).resolve().parents[2]
LONG_ENOUGH = 120
PAUSE_SECONDS = 0.03
# Connections wait for their next request as long as a client may need on a busy machine.
KEPT_SECONDS = 60
WORK_STARTED = "background work started"
# Python's own line before each traceback; a log that has one tells of a fault nobody caught.
TRACEBACK = re.compile(r"^Traceback \(most recent call last\):", re.MULTILINE)

# A line for each of thousands of requests would bury what a failure has to say.
logging.getLogger("httpx").setLevel(logging.WARNING)


class Installation:
    """A context: empty and ready at its beginning, all its processes ended after it.

    Arguments: ``kind`` of database and address of its ``server`` (see `Database`), ``threads`` of
    each of the two web workers. The folder is removed at the end unless ``keep`` was set.
    """

    def __init__(self, kind, server="", *, threads=4):
        self.folder = Path(tempfile.mkdtemp(prefix="chaos-"))
        self.database = Database(kind, self.folder, server)
        self.keep = False
        self.up = threading.Event()
        self.tokens = {}
        self._threads = threads
        self._processes = {}
        self._unready = ""
        self._port = free_port()
        self.address = f"http://127.0.0.1:{self._port}"

    def __enter__(self):
        try:
            self.database.create()
            done = self.run("-m", "tests.chaos.furnish")
            assert done.returncode == 0, done.stderr
            self.tokens = json.loads(done.stdout.splitlines()[-1])
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *_about):
        self.up.set()  # nobody waits any more for what will not come
        try:
            for name in list(self._processes):
                self._end(name)
        finally:
            self._remove()

    def _remove(self):
        if not self.keep:
            self.database.drop()
            shutil.rmtree(self.folder, ignore_errors=True)

    # Processes ------------------------------------------------------------------------------

    def environment(self):
        """What the installation's processes see of ours: nothing that could lead elsewhere."""
        ours = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("FLOWADMIN_", "DJANGO_")) and not name.endswith("_URL")
        }
        for name in ("SECRET_KEY", "ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "PYTHONWARNINGS"):
            ours.pop(name, None)
        own = {
            "FLOWADMIN_DATA": str(self.folder),
            "HOST": "127.0.0.1",
            "PORT": str(self._port),
            "PYTHONUNBUFFERED": "1",
        }
        if self.database.url:
            own["DATABASE_URL"] = self.database.url
        return ours | own

    def run(self, *arguments):
        """Run Python with these arguments to its end; what `subprocess.run` gives."""
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=10 * LONG_ENOUGH,
            check=False,
        )

    def manage(self, *arguments):
        """Run a management command; what `subprocess.run` gives."""
        return self.run("manage.py", *arguments)

    def start_web(self):
        """Start two web workers; the seconds until the first 200."""
        began = time.monotonic()
        self._start(
            "web",
            "-m", "gunicorn", "flowadmin.wsgi:application", "--bind", f"127.0.0.1:{self._port}",
            "--workers", "2", "--worker-class", "gthread", "--threads", str(self._threads),
            "--log-level", "warning", "--no-control-socket", "--keep-alive", str(KEPT_SECONDS),
        )  # fmt: skip
        self._await(self._is_ready, "web")
        self.up.set()
        return time.monotonic() - began

    def start_work(self):
        """Start the background work; the seconds until it says that it has begun."""
        began = time.monotonic()
        already = self.log("work").count(WORK_STARTED)
        self._start("work", "manage.py", "work")
        self._await(lambda: self.log("work").count(WORK_STARTED) > already, "work")
        return time.monotonic() - began

    def kill(self, name):
        """End "web" (with its workers) or "work" by kill -9; it is gone when this returns."""
        if name == "web":
            self.up.clear()
        self._end(name)

    def kill_one_web_worker(self, choose):
        """Kill -9 one of the web workers, picked by ``choose(pids)``; the others go on."""
        pids = children_of(self._processes["web"].pid)
        if pids:
            with suppress(ProcessLookupError):
                os.kill(choose(pids), signal.SIGKILL)

    def log(self, name):
        """Everything that the processes of this name have said."""
        path = self.folder / f"{name}.log"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def tracebacks(self):
        """How many faults the logs tell of."""
        return sum(len(TRACEBACK.findall(self.log(name))) for name in ("web", "work"))

    def _start(self, name, *arguments):
        with (self.folder / f"{name}.log").open("ab") as output:
            self._processes[name] = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=ROOT,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _end(self, name):
        process = self._processes.pop(name, None)
        if process is None:
            return
        members = [process.pid, *children_of(process.pid)]
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        until = time.monotonic() + LONG_ENOUGH
        while any(is_alive(pid) for pid in members[1:]) and time.monotonic() < until:
            time.sleep(PAUSE_SECONDS)

    def _await(self, is_there, name):
        until = time.monotonic() + LONG_ENOUGH
        while not is_there():
            ended = self._processes[name].poll() is not None
            about = f"{self._unready}\n{self.log(name)[-3000:]}"
            assert not ended, f"{name} ended: {about}"
            assert time.monotonic() < until, f"{name} never began: {about}"
            time.sleep(PAUSE_SECONDS)

    def _is_ready(self):
        try:
            answer = httpx.get(f"{self.address}/health/ready", timeout=10)
        except httpx.TransportError as error:
            self._unready = repr(error)
            return False
        self._unready = answer.text
        return answer.status_code == 200


def free_port():
    """A port of loopback that nobody listens on now."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]


def children_of(pid):
    """The children of a process of ours; none where the system does not tell (no /proc)."""
    try:
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def is_alive(pid):
    """Whether a process still runs; one that only waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
