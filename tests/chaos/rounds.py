"""Kill rounds: load, kill -9 at a random moment, start again, compare; the seed replays the plan.

Theory of operation. A series is one installation that lives through up to `SERIES` rounds. A round
begins eight clients, kills 20 to 400 ms after their first answer while a request is under way,
starts what was killed, lets each client ask until it is answered, and judges everything so far.
Background work is killed in the first rounds of a series only, so that the leases it died with
(60 s) run out while later rounds kill the web server. At the end of a series all work must come to
rest by itself, and `doctor` and `flow_replay --all` must find nothing.
"""

from __future__ import annotations

import os
import secrets
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random

from tests.chaos import judging
from tests.chaos.action_log import ActionLog
from tests.chaos.clients import Crowd
from tests.chaos.installation import Installation

SERIES = 20
EARLIEST_SECONDS, LATEST_SECONDS = 0.020, 0.400
STOCK_SECONDS = 1.5
# Then the next request or job is awaited, and the kill meets it somewhere within this time.
WITHIN_SECONDS = 0.015
LINE_SECONDS = 10
JOB_SECONDS = 3
LEASED = "SELECT id, token FROM flow_job WHERE state = 'leased'"
# A lease of 60 s, a scan of 5 s, and what a busy machine adds.
REST_SECONDS = 150
WEB, WORKER, WORK, BOTH = "web", "one web worker", "background work", "web and background work"
EARLY = (WEB, WORKER, WORK, WORK, BOTH)
LATE = (WEB, WEB, WORKER)


class Violated(AssertionError):
    """A promise was broken; the text has the seed, the round and the rows that disagree."""


@dataclass
class Tally:
    """The counts of a run, for the page at its end."""

    database: str
    seed: str
    rounds: int = 0
    series: int = 0
    kills: Counter = field(default_factory=Counter)
    phases: Counter = field(default_factory=Counter)
    what: Counter = field(default_factory=Counter)
    retried: int = 0
    kept: int = 0
    refused_later: int = 0
    reads: int = 0
    leased: set = field(default_factory=set)
    restarts: list[float] = field(default_factory=list)
    rests: list[float] = field(default_factory=list)
    lost: int = 0
    doubled: int = 0
    requests: int = 0
    seconds: float = 0.0

    def page(self):
        """The counts in words, a line each."""
        kills = ", ".join(f"{count} {what}" for what, count in sorted(self.kills.items()))
        longest = max(self.restarts, default=0.0)
        middle = sorted(self.restarts)[len(self.restarts) // 2] if self.restarts else 0.0
        lines = (
            ("database", self.database),
            ("seed", self.seed),
            ("rounds", f"{self.rounds} in {self.series} installations, {self.seconds:.0f} s"),
            ("kills", f"{sum(self.kills.values())} ({kills})"),
            ("actions acknowledged", f"{self.phases['ok']} ({_counts(self.what)})"),
            ("refused, another was first", self.phases["fail"]),
            ("requests without an answer", self.phases["unknown"]),
            ("retried with the same key", self.retried),
            ("  had taken effect before", f"{self.kept} (given the first answer)"),
            ("  had not, and another was first", self.refused_later),
            ("repeated after an answer", self.phases["repeat"]),
            ("reads answered", self.reads),
            ("jobs leased by a killed worker", len(self.leased)),
            ("requests compared with history", self.requests),
            ("acknowledged and lost", self.lost),
            ("done twice", self.doubled),
            ("restart to first 200", f"middle {middle:.1f} s, longest {longest:.1f} s"),
            ("at rest after the last kill", f"longest {max(self.rests, default=0.0):.0f} s"),
        )
        return "\n".join(f"{name:34}{value}" for name, value in lines)


def _is_answer(line):
    return line.phase == "ok"


def _is_sent(line):
    return line.phase == "invoke"


def _counts(counter):
    return ", ".join(f"{count} {what}" for what, count in sorted(counter.items()))


def chosen_seed():
    """FLOWADMIN_CHAOS_SEED, or a new one."""
    return os.environ.get("FLOWADMIN_CHAOS_SEED") or secrets.token_hex(4)


def run(kind, server, *, rounds, seed, say, until=None, at_end=None):
    """Run this many rounds, or as many as begin before ``until`` (monotonic); the `Tally`.

    ``at_end(installation)`` is done in the last one, at rest, before the product's own checks.
    Raises Violated at the first broken promise; the folder of that installation is kept.
    """
    began = time.monotonic()
    tally = Tally(kind, seed)
    first = 0
    while first < rounds and (until is None or time.monotonic() < until):
        numbers = range(first, min(first + SERIES, rounds))
        last = at_end if numbers.stop == rounds else None
        _series(kind, server, numbers, tally, say, until, last)
        first = numbers.stop
    tally.seconds = time.monotonic() - began
    return tally


def _series(kind, server, numbers, tally, say, until, at_end):
    victims = chosen_victims(len(numbers), Random(f"{tally.seed}:{numbers[0]}:victims"))
    with Installation(kind, server) as installation:
        log = ActionLog(installation.folder / "actions.jsonl")
        series = _Series(installation, log, tally, say)
        try:
            series.begin(numbers[0])
            for number in numbers:
                if until is not None and time.monotonic() > until:
                    break
                series.round(number, victims[number - numbers[0]])
            series.end()
            if at_end is not None:
                at_end(installation)
            series.ask_the_product()
        except BaseException:
            installation.keep = True
            say(f"everything of this installation is kept in {installation.folder}")
            raise
        finally:
            log.close()


def chosen_victims(rounds, chance):
    """Whom to kill in each round of a series: cards of `EARLY` for half of it, then of `LATE`.

    A deck is used up before the next is shuffled, so that even few rounds kill everything.
    """
    half = (rounds + 1) // 2
    return _cards(EARLY, half, chance) + _cards(LATE, rounds - half, chance)


def _cards(deck, number, chance):
    drawn: list[str] = []
    while len(drawn) < number:
        drawn += chance.sample(deck, len(deck))
    return drawn[:number]


class _Series:
    """One installation and what has happened to it."""

    def __init__(self, installation, log, tally, say):
        self._at = installation
        self._log = log
        self._tally = tally
        self._say = say
        self._last_kill = 0.0
        self._counted = 0
        self._number = 0

    def begin(self, number):
        """Start everything, and file and decide for a moment, so that inboxes have something."""
        self._number = number
        self._tally.series += 1
        self._at.start_web()
        self._at.start_work()
        with self._crowd(f"{number} stock") as crowd:
            time.sleep(STOCK_SECONDS)
        self._after(crowd)

    def round(self, number, victim):
        """One kill, and everything that must hold after it."""
        self._number = number
        plan = Random(f"{self._tally.seed}:{number}")
        delay = plan.uniform(EARLIEST_SECONDS, LATEST_SECONDS)
        with self._crowd(number) as crowd:
            self._log.await_line(_is_answer, LINE_SECONDS)
            time.sleep(delay)
            self._kill(victim, plan)
            restarted = self._start_again(victim)
        self._tally.rounds += 1
        self._tally.kills[victim] += 1
        self._after(crowd)
        shown = f", first 200 after {restarted:.1f} s" if restarted else ""
        self._say(f"round {number + 1}: {victim} after {delay * 1000:.0f} ms{shown}")

    def end(self):
        """Come to rest: requests run only if they wait for somebody."""
        found = self._rest()
        self._hold(judging.at_rest(found), found)
        self._tally.requests += len(found.instances)

    def ask_the_product(self):
        """Let the product's own checks look at everything."""
        for command in (("doctor",), ("flow_replay", "--all")):
            done = self._at.manage(*command)
            if done.returncode:
                self._violated(f"{command[0]}: exit {done.returncode}", done.stdout + done.stderr)

    def _crowd(self, number):
        return Crowd(self._at, self._log, number=number, seed=self._tally.seed)

    def _kill(self, victim, plan):
        if victim in {WORK, BOTH}:
            # A job is in work for milliseconds; met by chance it would rarely be.
            self._at.database.await_row(LEASED, JOB_SECONDS)
            time.sleep(plan.uniform(0, WITHIN_SECONDS / 5))
            self._at.kill("work")
            self._tally.leased |= {
                (self._tally.series, *lease) for lease in self._at.database.rows(LEASED)
            }
        else:
            self._log.await_line(_is_sent, LINE_SECONDS)
            time.sleep(plan.uniform(0, WITHIN_SECONDS))
        if victim in {WEB, BOTH}:
            self._at.kill("web")
        if victim == WORKER:
            self._at.kill_one_web_worker(plan.choice)
        self._last_kill = time.monotonic()

    def _start_again(self, victim):
        """Start what was killed; the seconds until the web server's first 200, or None."""
        restarted = None
        if victim in {WEB, BOTH}:
            restarted = self._at.start_web()
            self._tally.restarts.append(restarted)
        if victim in {WORK, BOTH}:
            self._at.start_work()
        return restarted

    def _after(self, crowd):
        """Count and judge what has happened up to now."""
        found = judging.look(self._at.database)
        self._count(crowd)
        faults = [judging.Fault("client", fault) for fault in crowd.faults]
        faults += judging.judge(self._log.lines, found)
        if self._at.tracebacks():
            faults.append(judging.Fault("traceback", "a log of the server has a traceback"))
        self._hold(faults, found)

    def _count(self, crowd):
        tally, fresh = self._tally, self._log.lines[self._counted :]
        self._counted = len(self._log.lines)
        tally.reads += crowd.reads
        unknown = set()
        for line in fresh:
            tally.phases[line.phase] += 1
            if line.phase == "unknown":
                unknown.add(line.key)
            elif line.phase == "invoke":
                tally.retried += line.key in unknown
            elif line.phase == "ok":
                tally.what[line.what] += 1
                tally.kept += line.replayed
            elif line.phase == "fail":
                tally.refused_later += line.key in unknown

    def _rest(self):
        """Wait until no job is left. What does not end by itself is found by `at_rest`."""
        began = time.monotonic()
        while True:
            found = judging.look(self._at.database)
            jobs = any(kind == "job" for kind, _instance in found.waiting)
            if not jobs or time.monotonic() - began > REST_SECONDS:
                self._tally.rests.append(time.monotonic() - (self._last_kill or began))
                return found
            time.sleep(0.5)

    def _hold(self, faults, found):
        if not faults:
            return
        self._tally.lost += sum(fault.code in judging.LOST for fault in faults)
        self._tally.doubled += sum(fault.code in judging.DOUBLED for fault in faults)
        words = "\n".join(f"- {fault.code}: {fault.words}" for fault in faults[:20])
        logs = "".join(
            f"\n--- {name}.log\n{self._at.log(name)[-4000:]}" for name in ("web", "work")
        )
        self._violated(f"{len(faults)} faults among {len(found.instances)} requests", words + logs)

    def _violated(self, what, words):
        raise Violated(
            f"round {self._number + 1}, FLOWADMIN_CHAOS_SEED={self._tally.seed},"
            f" {self._tally.database}: {what}\n{words}"
        )
