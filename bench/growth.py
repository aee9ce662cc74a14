"""`script/bench growth`: one decision with a full database beside one with a nearly empty one.

Two installations, each in a process of its own, take turns in the same run: one with a thousand
stored requests, one with a hundred thousand finished and twenty thousand running ones. Stored
requests are copies of real ones with all their rows. A round times decisions alone; the figure is
the median of the rounds' ratios, and the plans of the hot statements are looked at for a scan.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any


def main() -> int:
    """Run both installations in turns and print, or store, the ratio."""
    options = _options()
    if options.child:
        return _child(options)
    with tempfile.TemporaryDirectory() as folder:
        small = _Installation(Path(folder) / "small", options, finished=800, running=200)
        large = _Installation(
            Path(folder) / "large", options, finished=options.finished, running=options.running
        )
        rounds = []
        for turn in range(options.rounds + 1):
            pair = (small.round(), large.round())
            if turn:  # the first one only warms up
                rounds.append(pair)
        figures = {
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "synchronous": options.synchronous,
            "stored_small": small.stored,
            "stored_large": large.stored,
            "decisions_a_round": options.instances,
            "small_ms": round(statistics.median(each[0] for each in rounds), 3),
            "large_ms": round(statistics.median(each[1] for each in rounds), 3),
            "ratio": round(statistics.median(high / low for low, high in rounds), 3),
        }
        small.end()
        large.end()
    print(f"SQLite, synchronous={figures['synchronous']}, one decision")
    print(f"  with {figures['stored_small']:>7} stored {figures['small_ms']:>8} ms")
    print(f"  with {figures['stored_large']:>7} stored {figures['large_ms']:>8} ms")
    print(f"  ratio               {figures['ratio']:>8}  (at most 1.3)")
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--synchronous", choices=["NORMAL", "FULL"], default="NORMAL")
    parser.add_argument("--instances", type=int, default=200, help="decisions a round")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--finished", type=int, default=100_000)
    parser.add_argument("--running", type=int, default=20_000)
    parser.add_argument("--json", help="also write the figures to this file")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    return parser.parse_args()


class _Installation:
    """One database in a process of its own, which does a round whenever it is told to."""

    def __init__(
        self, folder: Path, options: argparse.Namespace, *, finished: int, running: int
    ) -> None:
        folder.mkdir()
        self.stored = finished + running
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "bench.growth",
                "--child",
                str(folder),
                "--synchronous",
                options.synchronous,
                "--instances",
                str(options.instances),
                "--finished",
                str(finished),
                "--running",
                str(running),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._answer()

    def round(self) -> float:
        """Milliseconds of one decision, over one round."""
        assert self._process.stdin is not None  # noqa: S101 - opened as a pipe above
        self._process.stdin.write("go\n")
        self._process.stdin.flush()
        return float(self._answer())

    def end(self) -> None:
        """Let the process end by itself."""
        assert self._process.stdin is not None  # noqa: S101 - opened as a pipe above
        self._process.stdin.close()
        self._process.wait()

    def _answer(self) -> str:
        assert self._process.stdout is not None  # noqa: S101 - opened as a pipe above
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("The measured installation stopped.")
        return line


def _child(options: argparse.Namespace) -> int:
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "flowadmin.settings",
        "FLOWADMIN_DATA": options.child,
        "FLOWADMIN_SQLITE_SYNCHRONOUS": options.synchronous,
        "DATABASE_URL": "",
    }
    import django  # noqa: PLC0415 - the environment above decides the settings

    django.setup()
    from bench import product  # noqa: PLC0415 - after django.setup

    ours = product.prepare()
    _fill(ours, options.finished, options.running)
    _refuse_scans()
    print("ready", flush=True)
    for _ in sys.stdin:
        started = [ours.begin() for _ in range(options.instances)]
        began = perf_counter()
        for instance in started:
            ours.decide_first(instance)
        spent = perf_counter() - began
        print(spent * 1000 / options.instances, flush=True)
    return 0


def _fill(ours: Any, finished: int, running: int) -> None:
    """Copies of one finished and of one running request, with all their rows."""
    _copy(ours.one_life(), finished)
    _copy(ours.begin(), running)


def _copy(template: int, copies: int) -> None:
    from django.db import connection, transaction  # noqa: PLC0415 - after django.setup

    from workflow.models import SPAN, Event, Instance, Step, Task  # noqa: PLC0415

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT MAX(id) FROM flow_instance")
        first = cursor.fetchone()[0] + 1
        numbers = (
            "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n"  # noqa: S608 - a number of ours
            f" WHERE i + 1 < {copies})"
        )
        models: tuple[Any, ...] = (Instance, Event, Step, Task)
        for model in models:
            made = {
                "id": f"{first} + n.i"
                if model is Instance
                else f"({first} + n.i) * {SPAN} + t.id % {SPAN}",
                "instance_id": f"{first} + n.i",
            }
            columns = [
                field.column
                for field in model._meta.concrete_fields  # noqa: SLF001 - public API
                if not field.generated
            ]
            wanted = ", ".join(made.get(name, f't."{name}"') for name in columns)
            names = ", ".join(f'"{name}"' for name in columns)
            key = "id" if model is Instance else "instance_id"
            cursor.execute(
                f"{numbers} INSERT INTO {model._meta.db_table} ({names})"  # noqa: S608, SLF001
                f" SELECT {wanted} FROM n, {model._meta.db_table} t"  # noqa: SLF001
                f" WHERE t.{key} = {template}"
            )


def _refuse_scans() -> None:
    """No hot statement may walk through a table that grows."""
    from django.db import connection  # noqa: PLC0415 - after django.setup

    from workflow import statements  # noqa: PLC0415

    statement = statements._load_instance_sql().replace("%s", "1")  # noqa: SLF001 - the very text
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN QUERY PLAN " + statement)
        plan = " / ".join(str(row[-1]) for row in cursor.fetchall())
    if "SCAN" in plan:
        raise RuntimeError(f"A hot statement scans: {plan}")


if __name__ == "__main__":
    sys.exit(main())
