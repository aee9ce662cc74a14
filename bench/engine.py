"""`script/bench engine`: workload A and the inbox on SQLite beside the raw floor, interleaved.

Each round times the floor and then the product, so both see the same machine; a figure is the
median of the rounds' ratios. Statements, transactions and bytes are counted, not timed.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import statistics
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

FLOW = "expense"


def main() -> int:
    """Run one database setting and print, or store, its figures."""
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder)
        os.environ |= {
            "DJANGO_SETTINGS_MODULE": "flowadmin.settings",
            "FLOWADMIN_DATA": folder,
            "FLOWADMIN_SQLITE_SYNCHRONOUS": options.synchronous,
            "DATABASE_URL": "",
        }
        import django  # noqa: PLC0415 - the environment above decides the settings

        django.setup()
        figures = _measure(data, options)
    _print(figures)
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--synchronous", choices=["NORMAL", "FULL"], default="FULL")
    parser.add_argument("--instances", type=int, default=300, help="instances a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--open-tasks", type=int, default=10_000, help="size of the inbox table")
    parser.add_argument("--json", help="also write the figures to this file")
    return parser.parse_args()


def _measure(data: Path, options: argparse.Namespace) -> dict[str, Any]:
    from bench import floor, product  # noqa: PLC0415 - after django.setup

    raw = floor.prepare(data / "floor.sqlite3", options.synchronous)
    ours = product.prepare()
    for _ in range(20):
        floor.one_life(raw, 12000)
        ours.one_life()
    rounds = []
    for _ in range(options.rounds):
        bare = _rate(lambda: floor.one_life(raw, 12000), options.instances)
        product_rate = _rate(ours.one_life, options.instances)
        rounds.append((bare, product_rate))
    counted = ours.count_one_life()
    stored = ours.bytes_of_lives(options.instances)
    inbox = _measure_inbox(raw, ours, options)
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "synchronous": options.synchronous,
        "instances_a_round": options.instances,
        "approve": {
            "floor_per_second": round(statistics.median(each[0] for each in rounds)),
            "product_per_second": round(statistics.median(each[1] for each in rounds)),
            "ratio": round(statistics.median(ours_ / bare for bare, ours_ in rounds), 3),
            "decisions_per_second": round(2 * statistics.median(each[1] for each in rounds)),
        },
        "counted": counted | {"bytes_per_finished_instance": stored},
        "inbox": inbox,
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def _rate(work: Any, times: int) -> float:
    gc.collect()
    began = perf_counter()
    for _ in range(times):
        work()
    return times / (perf_counter() - began)


def _measure_inbox(raw: Any, ours: Any, options: argparse.Namespace) -> dict[str, Any]:
    from bench import floor  # noqa: PLC0415 - after django.setup

    people = ours.fill_inboxes(options.open_tasks)
    ours.fill_floor(raw, options.open_tasks, len(people))
    bare, product = [], []
    for turn in range(600):
        began = perf_counter()
        floor.inbox(raw, 1000 + turn % len(people))
        bare.append(perf_counter() - began)
        began = perf_counter()
        ours.inbox(people[turn % len(people)])
        product.append(perf_counter() - began)
    floor_ms, ours_ms = (statistics.median(each) * 1000 for each in (bare, product))
    return {
        "open_tasks": options.open_tasks,
        "floor_p50_ms": round(floor_ms, 3),
        "product_p50_ms": round(ours_ms, 3),
        "times_the_floor": round(ours_ms / floor_ms, 2),
    }


def _print(figures: dict[str, Any]) -> None:
    approve, counted, inbox = figures["approve"], figures["counted"], figures["inbox"]
    print(f"SQLite, synchronous={figures['synchronous']}, one thread")
    print(f"  raw floor            {approve['floor_per_second']:>8} requests/s")
    print(
        f"  FlowAdmin            {approve['product_per_second']:>8} requests/s"
        f"  ({approve['decisions_per_second']} decisions/s)"
    )
    print(f"  of the floor         {approve['ratio']:>8}")
    print(
        f"  one life             {counted['statements']:>8} statements,"
        f" {counted['transactions']} transactions,"
        f" {counted['bytes_per_finished_instance']} bytes stored"
    )
    print(
        f"  inbox, {inbox['open_tasks']} open {inbox['product_p50_ms']:>8} ms"
        f" p50, {inbox['times_the_floor']} times the floor"
    )
    print(f"  peak memory          {figures['peak_rss_mb']:>8} MB")


if __name__ == "__main__":
    sys.exit(main())
