"""`script/bench callbacks`: delivery to a healthy local receiver beside a bare httpx loop.

Both send the same bytes to the same receiver, a process of its own that answers 204 on loopback.
The loop posts one after the other over one kept connection and stores nothing. Delivery does all
that it does in use: claims each row, notes the attempt, connects anew, sends, notes the result;
only the pause between two rounds is left out. The figure is the median of the rounds' ratios.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import statistics
import subprocess
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from time import perf_counter
from typing import Any

PAYLOAD = json.dumps({"event": "approved", "filler": "x" * 700})


def main() -> int:
    """Measure on one SQLite file and print, or store, the ratio."""
    options = _options()
    if options.receiver:
        return _receive()
    receiver = _Receiver()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "flowadmin.settings",
            "FLOWADMIN_DATA": folder,
            "FLOWADMIN_SQLITE_SYNCHRONOUS": options.synchronous,
            "FLOWADMIN_CALLBACK_ALLOW": receiver.address.split("/")[2],
            "DATABASE_URL": "",
        }
        import django  # noqa: PLC0415 - the environment above decides the settings

        django.setup()
        logging.disable(logging.INFO)  # a line for each request would be measured too
        figures = _measure(receiver.address, options)
    receiver.end()
    print(
        f"SQLite, synchronous={figures['synchronous']}, {figures['callbacks']} callbacks a round"
    )
    print(f"  bare httpx loop {figures['bare_per_second']:>7} /s")
    print(f"  delivery        {figures['product_per_second']:>7} /s")
    print(f"  ratio           {figures['ratio']:>7}  (at least 0.4)")
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--synchronous", choices=["NORMAL", "FULL"], default="NORMAL")
    parser.add_argument("--callbacks", type=int, default=300, help="callbacks a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", help="also write the figures to this file")
    parser.add_argument("--receiver", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def _measure(address: str, options: argparse.Namespace) -> dict[str, Any]:
    from bench import product  # noqa: PLC0415 - after django.setup

    tenant, instance = _a_request(product.prepare())
    rounds = []
    for turn in range(options.rounds + 1):
        pair = (
            _bare(address, options.callbacks),
            _delivered(address, options.callbacks, tenant, instance),
        )
        if turn:  # the first one only warms up
            rounds.append(pair)
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "synchronous": options.synchronous,
        "callbacks": options.callbacks,
        "bare_per_second": round(statistics.median(each[0] for each in rounds)),
        "product_per_second": round(statistics.median(each[1] for each in rounds)),
        "ratio": round(statistics.median(ours / bare for bare, ours in rounds), 3),
    }


def _a_request(ours: Any) -> tuple[int, int]:
    from workflow.models import Instance  # noqa: PLC0415 - after django.setup

    instance = Instance.objects.get(pk=ours.begin())
    return instance.tenant_id, instance.pk


def _bare(address: str, number: int) -> float:
    """Requests a second of a loop that stores nothing."""
    import httpx  # noqa: PLC0415 - only this figure needs it

    with httpx.Client() as client:
        begun = perf_counter()
        for _ in range(number):
            client.post(address, content=PAYLOAD).raise_for_status()
        return number / (perf_counter() - begun)


def _delivered(address: str, number: int, tenant: int, instance: int) -> float:
    """Callbacks a second, from due to delivered."""
    from flowadmin import clock  # noqa: PLC0415 - after django.setup
    from notifications.actions import delivering  # noqa: PLC0415 - after django.setup
    from notifications.models import Callback  # noqa: PLC0415 - after django.setup

    now = clock.now()
    Callback.objects.bulk_create(
        Callback(
            tenant_id=tenant,
            instance_id=instance,
            event_id=f"bench-{now.timestamp()}-{each}",
            target_url=address,
            host=address,
            payload=PAYLOAD,
            status=Callback.Status.PENDING,
            next_attempt_at=now,
            created_at=now,
            updated_at=now,
        )
        for each in range(number)
    )
    begun = perf_counter()
    done = 0
    while done < number:
        attempted = delivering.go_round(clock.now, timedelta(0), "bench")
        if not attempted:
            raise RuntimeError("A due callback was not attempted.")
        done += attempted
    rate = number / (perf_counter() - begun)
    if Callback.objects.exclude(status=Callback.Status.SUCCEEDED).exists():
        raise RuntimeError("A callback to a healthy receiver was not delivered.")
    return rate


class _Receiver:
    """A process that answers every request with 204; it ends when its input is closed."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.callbacks", "--receiver"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None  # noqa: S101 - opened as a pipe above
        self.address = self._process.stdout.readline().strip()

    def end(self) -> None:
        """Let the process end by itself."""
        assert self._process.stdin is not None  # noqa: S101 - opened as a pipe above
        self._process.stdin.close()
        self._process.wait()


class _Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Without it each answer of a kept connection waits for the other side's acknowledgement.
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def _receive() -> int:
    import threading  # noqa: PLC0415 - only the receiver has a thread

    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answer)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{server.server_address[1]}/", flush=True)
    sys.stdin.read()
    server.shutdown()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
