"""What script/server runs: prepares the data, starts web and worker, keeps both up, stops both.

It loads no Django (a test and an import contract hold it to that), so it costs a few megabytes
beside the two processes that it looks after.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import hashlib
import http.client
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
GRACE_SECONDS = 20
STEADY_SECONDS = 60
LONGEST_PAUSE_SECONDS = 30
READY_SECONDS = 60
# Files of libraries whose pages we do not show: gathering them would be a third of the work.
UNUSED_STATIC = ("rest_framework", "django_htmx")
MEMORY_FOLDER = Path("/dev/shm")  # noqa: S108  # gunicorn makes its own private file in it


class CannotStart(Exception):
    """Nothing was started; the text says what to change."""


class Interrupted(Exception):
    """The person asked to stop before anything was serving."""


@dataclass
class Child:
    """One process that is kept running: started again after a growing pause when it ends."""

    name: str
    command: list[str]
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    start_again_at: float | None = None
    deaths: int = field(default=0)

    def start(self) -> None:
        """Start in a session of its own, so that Ctrl-C reaches it through us, once."""
        self.process = subprocess.Popen(
            self.command,
            cwd=PROJECT,
            start_new_session=True,
            preexec_fn=_end_with_parent,  # noqa: PLW1509  # there is one thread here
        )
        self.started_at = time.monotonic()
        self.start_again_at = None

    def look(self, now: float) -> None:
        """Notice an end and plan the next start; start when that time has come (seconds)."""
        if self.process is not None and self.process.poll() is not None:
            self.deaths = 0 if now - self.started_at > STEADY_SECONDS else self.deaths
            pause = min(2**self.deaths, LONGEST_PAUSE_SECONDS)
            self.deaths += 1
            say(f"{self.name} ended ({_ending(self.process.returncode)}); again in {pause} s")
            self.process = None
            self.start_again_at = now + pause
        if self.start_again_at is not None and now >= self.start_again_at:
            say(f"{self.name} starts again")
            self.start()

    def tell(self, number: signal.Signals) -> None:
        """Send a signal, unless it has ended already."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(number)

    def running(self) -> bool:
        """Whether its process is there."""
        return self.process is not None and self.process.poll() is None


def say(text: str) -> None:
    """One progress line for the person at the terminal."""
    print(f"  {text}", flush=True)


class Doorbell:
    """Signals as something to wait for: every one wakes `rest`, requests to stop are counted."""

    def __init__(self) -> None:
        self._ear, self._push = socket.socketpair()
        self._ear.settimeout(0)
        self._push.settimeout(0)
        self.stops = 0
        signal.set_wakeup_fd(self._push.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._count)
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)

    def _count(self, _number: int, _frame: object) -> None:
        self.stops += 1

    def rest(self, seconds: float | None) -> None:
        """Sleep until a signal arrives (an ended child is one) or the seconds are over."""
        select.select([self._ear], [], [], seconds)
        with contextlib.suppress(BlockingIOError):
            while self._ear.recv(512):
                pass

    def refuse_to_go_on(self) -> None:
        """Raise Interrupted when somebody has asked to stop."""
        if self.stops:
            raise Interrupted


def main() -> int:
    """Run until told to stop. Exit code 0 after a clean stop, 1 when it cannot start."""
    began = float(os.environ.get("FLOWADMIN_STARTED") or time.time())
    doorbell = Doorbell()
    try:
        address = _address()
        _refuse_taken(address)
        data = Path(os.environ.get("FLOWADMIN_DATA") or PROJECT / "var").absolute()
        data.mkdir(parents=True, exist_ok=True)
        _prepare(data, doorbell)
        doorbell.refuse_to_go_on()
        _serve([_web(address), _worker()], doorbell, address, began)
    except CannotStart as refusal:
        print(f"\n{refusal}", file=sys.stderr)
        return 1
    except Interrupted:
        pass  # nothing is left running; that is what was asked
    return 0


def _serve(
    children: list[Child], doorbell: Doorbell, address: tuple[str, int], began: float
) -> None:
    """Start the children, say where they are, and look after them until a signal asks to stop."""
    say("starting the web server and the background worker")
    try:
        for child in children:
            child.start()
        _await_answer(children[0], address, doorbell)
        _announce(address, time.time() - began)
        while not doorbell.stops:
            planned = [one.start_again_at for one in children if one.start_again_at is not None]
            doorbell.rest(max(0.0, min(planned) - time.monotonic()) if planned else None)
            for child in children:
                child.look(time.monotonic())
    finally:
        _stop(children, doorbell)


def _stop(children: list[Child], doorbell: Doorbell) -> None:
    """End the children in peace; a second request, or too long a wait, ends them at once."""
    say("stopping")
    asked = max(doorbell.stops, 1)
    until = time.monotonic() + GRACE_SECONDS
    for child in children:
        child.tell(signal.SIGTERM)
    while any(child.running() for child in children):
        if time.monotonic() > until or doorbell.stops > asked:
            for child in children:
                child.tell(signal.SIGKILL)
        doorbell.rest(1.0)
    say("stopped")


# Preparing ----------------------------------------------------------------------------------


def _prepare(data: Path, doorbell: Doorbell) -> None:
    """Bring database, static files and, on the first start, the demo organisation.

    Args:
        data: folder of this installation's data.
        doorbell: a request to stop ends the preparation between two steps.

    Raises:
        CannotStart: a step failed; its own message has been printed.
        Interrupted: the person asked to stop.
    """
    say("bringing the database up to date")
    _manage(doorbell, "migrate", "--noinput", "--verbosity", "0")
    _collect_static(data, doorbell)
    if os.environ.get("FLOWADMIN_DEMO", "1").lower() in {"0", "false", "no", "off"}:
        return
    loaded = data / "demo-loaded"
    if loaded.exists():
        say("demo accounts: admin ann bao chi dan eve (password: as the first start said)")
        return
    say("loading the demo organisation")
    # Said at once: the password is made here and shown this once, whatever fails later.
    print(f"\n{_manage(doorbell, 'load_demo')}\n", flush=True)
    loaded.touch()


def _collect_static(data: Path, doorbell: Doorbell) -> None:
    """Gather the static files again only when their sources or the libraries have changed."""
    digest = hashlib.sha256((PROJECT / "requirements.txt").read_bytes())
    for path in sorted((PROJECT / "flowadmin" / "static").rglob("*")):
        if path.is_file():
            about = path.stat()
            digest.update(
                f"{path.relative_to(PROJECT)} {about.st_size} {about.st_mtime_ns}\n".encode()
            )
    stamp = data / "static-stamp"
    if stamp.exists() and stamp.read_text() == digest.hexdigest() and (data / "static").is_dir():
        return
    say("gathering static files")
    ignored = [word for name in UNUSED_STATIC for word in ("--ignore", name)]
    _manage(doorbell, "collectstatic", "--noinput", "--clear", "--verbosity", "0", *ignored)
    stamp.write_text(digest.hexdigest())


def _manage(doorbell: Doorbell, *arguments: str) -> str:
    """Run one management command; its output.

    A request to stop waits for it, since half a migration is worse; only collectstatic is ended.

    Raises:
        CannotStart: it failed; its own message has been printed.
        Interrupted: somebody asked to stop.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        process = subprocess.Popen(
            [sys.executable, str(PROJECT / "manage.py"), *arguments],
            cwd=PROJECT,
            stdout=output,
            start_new_session=True,
        )
        while process.poll() is None:
            if doorbell.stops and arguments[0] == "collectstatic":
                process.terminate()
            doorbell.rest(1.0)
        output.seek(0)
        text = output.read().strip("\n")
    if process.returncode != 0:
        doorbell.refuse_to_go_on()
        print(text, file=sys.stderr)
        raise CannotStart(f"manage.py {arguments[0]} failed; the lines above say why.")
    return text


# The address --------------------------------------------------------------------------------


def _address() -> tuple[str, int]:
    """HOST and PORT of the environment, with the contract's defaults."""
    text = os.environ.get("PORT") or "8000"
    if not (text.isascii() and text.isdecimal() and 0 < int(text) < 65536):
        raise CannotStart(f"PORT must be a number from 1 to 65535, not {text!r}.")
    return os.environ.get("HOST") or "127.0.0.1", int(text)


def _refuse_taken(address: tuple[str, int]) -> None:
    """Try the address before anything else takes time; gunicorn would only say it later."""
    host, port = address
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(place)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CannotStart(
                f"Port {port} on {host} is in use. Stop what listens there, or choose another: "
                f"PORT={port + 1} ./script/server"
            ) from None
        raise CannotStart(f"Cannot listen on {host} port {port}: {error.strerror}.") from None


def _local(address: tuple[str, int]) -> tuple[str, int]:
    """Where a program on this machine reaches a server that listens on `address`."""
    host, port = address
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port  # noqa: S104  # compared only


def _await_answer(web: Child, address: tuple[str, int], doorbell: Doorbell) -> None:
    """Wait for the first HTTP answer of any status: the socket listens before the worker is up."""
    host, port = _local(address)
    until = time.monotonic() + READY_SECONDS
    while time.monotonic() < until:
        doorbell.refuse_to_go_on()
        if not web.running():
            raise CannotStart("The web server ended at once; the lines above say why.")
        connection = http.client.HTTPConnection(host, port, timeout=5)
        try:
            connection.request("GET", "/health/live")
            connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            doorbell.rest(0.05)
        else:
            return
        finally:
            connection.close()
    raise CannotStart(f"The web server gave no answer within {READY_SECONDS} s.")


def _announce(address: tuple[str, int], seconds: float) -> None:
    host, port = _local(address)
    shown = f"[{host}]" if ":" in host else host
    print(f"\nFlowAdmin is ready after {seconds:.1f} s: http://{shown}:{port}/", flush=True)
    print("Ctrl-C stops it.\n", flush=True)


# The children -------------------------------------------------------------------------------


def _web(address: tuple[str, int]) -> Child:
    host, port = address
    bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    command = [sys.executable, "-m", "gunicorn", "flowadmin.wsgi:application", "--bind", bind]
    command += ["--worker-class", "gthread", "--workers", "1", "--threads", "4"]
    command += ["--graceful-timeout", "10", "--log-level", "warning", "--no-control-socket"]
    if MEMORY_FOLDER.is_dir():
        # The worker's sign of life must not wait for a busy disk.
        command += ["--worker-tmp-dir", str(MEMORY_FOLDER)]
    return Child("web server", command)


def _worker() -> Child:
    return Child("background worker", [sys.executable, str(PROJECT / "manage.py"), "work"])


def _end_with_parent() -> None:
    """On Linux, a child gets SIGTERM when we are killed: no orphan keeps the port."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGTERM)


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


if __name__ == "__main__":
    sys.exit(main())
