"""`python -m tests.chaos`: the kill rounds of a tier, and pages of counts (script/chaos)."""

from __future__ import annotations

import argparse
import os
import sys
import time

from tests.chaos import delivery_rounds, rounds
from tests.chaos.databases import KINDS, SERVERS

# Rounds of each tier, and the minutes after which no round begins any more (None: all are run).
TIERS: dict[str, dict[str, tuple[int, int | None]]] = {
    "submission": {"sqlite": (20, None), "postgresql": (10, None)},
    "release": {"sqlite": (500, 35), "postgresql": (300, 25), "mariadb": (100, 10)},
}
# The same of deaths of delivery workers, which come after, or alone with --only delivery.
KILLS: dict[str, dict[str, tuple[int, int | None]]] = {
    "submission": {"sqlite": (40, None), "postgresql": (20, None)},
    "release": {"sqlite": (500, 20), "postgresql": (200, 10), "mariadb": (100, 8)},
}
FEW = (10, None)
ENOUGH = 20
WEB, DELIVERY = "web", "delivery"


def chosen_tier():
    """FLOWADMIN_TIER, or what every submission runs."""
    tier = os.environ.get("FLOWADMIN_TIER", "submission")
    return tier if tier in TIERS else "submission"


def deadline(minutes):
    """The monotonic moment after which no round begins any more; None without a bound."""
    return None if minutes is None else time.monotonic() + 60 * minutes


def main(arguments=None):
    """Exit 0: every promise held; 1: one was broken, or a named database is not there."""
    asked = _parser().parse_args(arguments)
    seed = rounds.chosen_seed()
    say(f"FLOWADMIN_CHAOS_SEED={seed} replays this plan")
    code = 0
    for kind in [asked.database] if asked.database else TIERS[asked.tier]:
        server = os.environ.get(SERVERS.get(kind, ""), "")
        if kind in SERVERS and not server:
            say(f"\n{kind}: not run, {SERVERS[kind]} is not set (script/services start prints it)")
            code = code or int(asked.database == kind)
            continue
        if asked.only != DELIVERY:
            number, minutes = TIERS[asked.tier].get(kind, FEW)
            code = _run(kind, server, asked.rounds or number, seed, minutes) or code
        if asked.only != WEB:
            number, minutes = KILLS[asked.tier].get(kind, FEW)
            real = asked.tier == "release"
            code = _deliver(kind, server, asked.rounds or number, seed, minutes, real) or code
    return code


def _run(kind, server, number, seed, minutes):
    bound = "" if minutes is None else f", none begun after {minutes} minutes"
    say(f"\n== {kind}: {number} rounds{bound}")
    until = deadline(minutes)
    try:
        tally = rounds.run(kind, server, rounds=number, seed=seed, say=say, until=until)
    except rounds.Violated as broken:
        say(f"\nBROKEN: {broken}")
        return 1
    say(f"\n{tally.page()}")
    return 0


def _deliver(kind, server, number, seed, minutes, real):
    bound = "" if minutes is None else f", none after {minutes} minutes"
    say(f"\n== {kind}: {number} deaths of delivery workers{bound}")
    try:
        tally = delivery_rounds.run(
            kind, server, kills=number, seed=seed, say=say, minutes=minutes, real_end=real
        )
    except rounds.Violated as broken:
        say(f"\nBROKEN: {broken}")
        return 1
    say(f"\n{tally.page()}")
    died = sum(tally.kills.values())
    if died < min(number, ENOUGH):
        say(f"\nTOO FEW: {died} deaths in {minutes} minutes prove nothing")
        return 1
    return 0


def _parser():
    parser = argparse.ArgumentParser(
        prog="script/chaos",
        description="Kill -9 of web, background work and delivery: nothing lost or doubled.",
        epilog="FLOWADMIN_CHAOS_SEED replays a plan; FLOWADMIN_TIER is the tier if none is given.",
    )
    parser.add_argument("--tier", choices=TIERS, default=chosen_tier())
    parser.add_argument("--database", choices=KINDS, help="this one only")
    parser.add_argument("--only", choices=(WEB, DELIVERY), help="half of it")
    parser.add_argument("--rounds", type=int, help="instead of the tier's number")
    return parser


def say(text):
    """A line of progress, at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
