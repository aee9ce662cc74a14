"""Kill -9 of delivery workers: at random moments, while a request is out, at each failpoint.

Theory of operation. Two workers deliver callbacks and reminders of decisions that go on being
made; each is born with a plan of its death (`forge`). A round ends with a death: a new worker is
forked, and from time to time everything is judged. On SQLite, whose clock is the machine's, the
clock is set an hour forward and back, and a day back, meanwhile. After the last kill all rows must
come to an end by themselves; then the initiator retries what has failed, at a receiver that is
well.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random

from tests.chaos import delivery_judging as judging
from tests.chaos.installation import LONG_ENOUGH, ROOT, Installation
from tests.chaos.judging import Fault
from tests.chaos.ledger import Ledger
from tests.chaos.rounds import Violated

SCAN_MILLISECONDS = 30
STOCK, AT_A_TIME = 12, 10
DEATH_SECONDS = 1.5
JUDGED_EVERY = 20
# Lease, scan and what lies between (reliability.md 0.19); and what a machine may need at most.
PROMISED_SECONDS, REST_SECONDS = 75, 180
REAL_SCAN_MILLISECONDS = 10_000
POINTS = (
    "callback.before_claim", "callback.after_claim", "callback.after_started",
    "callback.after_response", "callback.before_result_commit", "callback.after_result",
    "reminder.after_found", "reminder.after_sent",
)  # fmt: skip
KINDS = ("random moment", "request is out", *POINTS)
JUMPS = (3600.0, 0.0, -3600.0, -86400.0, 0.0)
OPEN = "SELECT COUNT(*) FROM flow_callback WHERE status IN ('PENDING', 'LEASED')"
WAITING = "SELECT COUNT(*) FROM flow_notice WHERE status = 'PENDING'"
LEASED = "SELECT COUNT(*) FROM flow_callback WHERE status = 'LEASED'"


@dataclass
class Tally:
    """The counts of a run, for the page at its end."""

    database: str
    seed: str
    kills: Counter = field(default_factory=Counter)
    jumps: int = 0
    decisions: int = 0
    attempts: int = 0
    unknown: int = 0
    late: int = 0
    unanswered: int = 0
    requests: int = 0
    doubles: int = 0
    failed: int = 0
    retried: int = 0
    reminders: Counter = field(default_factory=Counter)
    leased: int = 0
    rest: float = 0.0
    seconds: float = 0.0
    broken: Counter = field(default_factory=Counter)

    def page(self):
        """The counts in words, a line each."""
        kills = "".join(f"\n{'  ' + what:34}{self.kills[what]}" for what in sorted(self.kills))
        sent, cancelled = self.reminders["SENT"], self.reminders["CANCELLED"]
        lines = (
            ("database", self.database),
            ("seed", self.seed),
            ("kills of a delivery worker", f"{sum(self.kills.values())}{kills}"),
            ("clock set", f"{self.jumps} times"),
            ("decisions, each with a callback", self.decisions),
            ("attempts noted", self.attempts),
            ("  of these without a result", f"{self.unknown}, and {self.late} noted as late"),
            ("requests that the receiver heard", self.requests),
            ("no answer in time, or broken off", self.unanswered),
            ("accepted once more (duplicates)", self.doubles),
            ("  in flight at kills, unanswered", f"{self.unknown} + {self.unanswered}"),
            ("ended FAILED, retried by hand", f"{self.failed}, all delivered then"),
            ("reminders", f"{sent} sent once, {cancelled} cancelled"),
            ("leased at the last kill", self.leased),
            ("all rows at their end after", f"{self.rest:.1f} s"),
            *((f"violations of {name}", self.broken[name]) for name in INVARIANTS),
            ("callbacks lost", self.broken["lost"]),
            ("seconds", f"{self.seconds:.0f}"),
        )
        return "\n".join(f"{name:34}{value}" for name, value in lines)


INVARIANTS = ("I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8", "I9")


def run(kind, server, *, say, **options):
    """`kill_in` an installation of its own; the product's own checks look at it at the end.

    Raises Violated at the first broken promise; the folder is kept then.
    """
    with Installation(kind, server) as installation:
        try:
            tally = kill_in(installation, say=say, **options)
            ask_the_product(installation, tally.seed)
        except BaseException:
            installation.keep = True
            say(f"everything of this installation is kept in {installation.folder}")
            raise
    return tally


def kill_in(installation, *, kills, seed, say, minutes=None, real_end=False):
    """Kill so many workers, or as many as die within ``minutes`` from now; the `Tally`.

    Web server and background work of the installation are ended first. With ``real_end`` the last
    worker dies with, and the rest is done under, the product's own lease and scan delay.
    """
    began = time.monotonic()
    tally, ledger = Tally(installation.database.kind, seed), Ledger()
    for name in ("web", "work"):
        installation.kill(name)
    with ledger.listening() as receiver, _forge(installation, receiver) as tell:
        series = _Series(installation, ledger, tell, tally)
        tell("publish", url=receiver.url)
        until = None if minutes is None else began + 60 * minutes
        series.kill_for(kills, say, until)
        series.come_to_rest(real=real_end)
        series.retry_what_failed()
    tally.seconds = time.monotonic() - began
    return tally


def ask_the_product(installation, seed):
    """`doctor`, `flow_replay` and the logs say nothing against it (I2, I4); raises Violated."""
    faults = _what_the_product_says(installation)
    if faults:
        kind = installation.database.kind
        raise Violated(f"delivery, FLOWADMIN_CHAOS_SEED={seed}, {kind}: {faults}")


def _what_the_product_says(installation):
    for command in (("doctor",), ("flow_replay", "--all")):
        done = installation.manage(*command)
        if done.returncode:
            return f"{command[0]}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    if installation.tracebacks():
        return f"a traceback in a log\n{installation.log('work')[-4000:]}"
    return ""


@contextmanager
def _forge(installation, receiver):
    """`tell(do, **more)` gives an order and returns the answer."""
    own = {
        "FLOWADMIN_FAILPOINTS": "1",
        "FLOWADMIN_DEBUG": "1",
        "FLOWADMIN_CALLBACK_ALLOW": f"{receiver.host}:{receiver.port}",
        "FLOWADMIN_DELIVERY_SCAN_DELAY": str(SCAN_MILLISECONDS),
    }
    with (installation.folder / "work.log").open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.forge"],
            cwd=ROOT,
            env=installation.environment() | own,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=output,
            text=True,
        )

    def tell(do, **more):
        process.stdin.write(json.dumps({"do": do} | more) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        assert answer, f"{do} {more}: {installation.log('work')[-4000:]}"
        return json.loads(answer)

    try:
        yield tell
    finally:
        process.stdin.close()
        try:
            process.wait(LONG_ENOUGH)
        finally:
            process.kill()
            process.stdout.close()


def planned(chance, kind):
    """When a worker kills itself."""
    if kind == "random moment":
        return {"after": chance.uniform(0.02, 0.4)}
    if kind == "request is out":
        return {"during": chance.uniform(0.0, 0.03), "times": chance.randint(1, 4)}
    return {"point": kind, "times": chance.randint(1, 2 if kind.startswith("reminder") else 4)}


class _Series:
    """One installation and what has happened to it."""

    def __init__(self, installation, ledger, tell, tally):
        self._at, self._ledger, self._tell, self._tally = installation, ledger, tell, tally
        self._chance = Random(f"{tally.seed}:deliveries")
        self._brought, self._lengths, self._deck = [], {}, []
        self._workers = {}
        self._last_kill = 0.0

    def kill_for(self, kills, say, until):
        """So many rounds."""
        for number in range(kills):
            if until is not None and time.monotonic() > until:
                break
            self._stock()
            self._set_clock(number)
            while len(self._workers) < 2:
                self._fork()
            victim = self._chance.choice(sorted(self._workers))
            death = self._tell("await_death", seconds=DEATH_SECONDS, victim=victim)
            self._last_kill = time.monotonic()
            kind = self._workers.pop(death["pid"])
            self._tally.kills[kind if death["planned"] else "random moment"] += 1
            if (number + 1) % JUDGED_EVERY == 0:
                found = self._judge()
                say(
                    f"kill {number + 1} of a delivery worker: {len(found.rows)} callbacks,"
                    f" {len(self._ledger.heard)} requests"
                )
        self._tell("kill_all")
        self._tally.kills["random moment"] += len(self._workers)
        self._last_kill = time.monotonic()
        self._workers.clear()
        self._tell("set_clock", seconds=0.0)

    def come_to_rest(self, *, real):
        """All rows end by themselves; ``real``: with the product's own lease and scan delay."""
        if real:
            # What is promised is the next attempt; a receiver that is away would need several.
            self._ledger.heal()
            self._die_for_real()
        self._tally.leased = self._count(LEASED)
        delay = REAL_SCAN_MILLISECONDS if real else SCAN_MILLISECONDS
        pid = self._tell("work", plan={}, short="waits" if real else True, delay=delay)["pid"]
        while self._count(OPEN) + self._count(WAITING):
            if time.monotonic() - self._last_kill > REST_SECONDS:
                break
            time.sleep(0.05)
        self._tally.rest = time.monotonic() - self._last_kill
        self._tell("kill", pid=pid)
        found = self._judge(judging.at_rest)
        if self._tally.rest > PROMISED_SECONDS:
            self._violated("too late", f"all at their end after {self._tally.rest:.1f} s")
        self._tally.failed = sum(row.status == "FAILED" for row in found.rows)

    def retry_what_failed(self):
        """The initiator asks for another round of each; the receiver is well now."""
        self._ledger.heal()
        self._tally.retried = self._tell("retry")["retried"]
        pid = self._tell("work", plan={})["pid"]
        until = time.monotonic() + REST_SECONDS
        while self._count(OPEN) and time.monotonic() < until:
            time.sleep(0.05)
        self._tell("kill", pid=pid)
        self._sum_up(self._judge(judging.delivered))

    def _fork(self):
        if not self._deck:
            self._deck = self._chance.sample(KINDS, len(KINDS))
        kind = self._deck.pop()
        pid = self._tell("work", plan=planned(self._chance, kind))["pid"]
        self._workers[pid] = kind

    def _die_for_real(self):
        """A worker with the product's own lease dies with a request out."""
        self._brought += self._tell("bring", number=AT_A_TIME)["requests"]
        plan = {"during": 0.0, "times": 2}
        pid = self._tell("work", plan=plan, short="waits")["pid"]
        death = self._tell("await_death", seconds=60, victim=pid)
        self._tally.kills["request is out" if death["planned"] else "random moment"] += 1
        self._last_kill = time.monotonic()

    def _stock(self):
        if self._count(OPEN) < STOCK:
            self._brought += self._tell("bring", number=AT_A_TIME)["requests"]

    def _set_clock(self, number):
        if self._at.database.kind == "sqlite" and number % 8 == 7:
            self._tell("set_clock", seconds=JUMPS[number // 8 % len(JUMPS)])
            self._tally.jumps += 1

    def _count(self, sql):
        return self._at.database.rows(sql)[0][0]

    def _judge(self, *more):
        # A worker goes on meanwhile.
        heard = list(self._ledger.heard)
        found = judging.look(self._at.database)
        later = list(self._ledger.heard)
        faults = judging.judge(self._brought, found, heard, self._lengths, later)
        for each in more:
            faults += each(found)
        unknown = sum("late" not in each for row in found.rows for each in row.unknown)
        in_flight = 2 * (sum(self._tally.kills.values()) + len(self._workers))
        if unknown > in_flight:
            words = f"{unknown} without a result, at most {in_flight} in flight"
            faults.append(Fault("I7", words))
        if faults:
            self._tally.broken.update(fault.code for fault in faults)
            words = "\n".join(f"- {fault.code}: {fault.words}" for fault in faults[:10])
            self._violated(f"{len(faults)} faults among {len(found.rows)} callbacks", words)
        return found

    def _sum_up(self, found):
        tally, heard = self._tally, self._ledger.heard
        unknown = [each for row in found.rows for each in row.unknown]
        tally.decisions = len(found.rows)
        tally.attempts = sum(row.attempts for row in found.rows)
        tally.unknown, tally.late = len(unknown), sum("late" in each for each in unknown)
        tally.unanswered = sum(row.unsure for row in found.rows) - tally.unknown
        tally.requests, tally.doubles = len(heard), judging.doubles(heard)
        tally.reminders.update(status for _key, status, _task, _instance in found.reminders)

    def _violated(self, what, words):
        kills = sum(self._tally.kills.values())
        raise Violated(
            f"delivery, after {kills} kills, FLOWADMIN_CHAOS_SEED={self._tally.seed},"
            f" {self._tally.database}: {what}\n{words}\n"
            f"--- work.log\n{self._at.log('work')[-3000:]}"
        )
