"""Forks delivery workers that die as planned: `python -m tests.chaos.forge`, one order per line.

Theory. Importing the product takes longer than delivering, so one process imports it once and
forks a worker whenever one has died; a child is a whole worker with connections and threads of its
own, and is killed for good by SIGKILL. Waits and leases are shortened (`_shorten`), or left as
they are for the last worker of a long run. Orders and answers are JSON, a line each.
"""

from __future__ import annotations

import json
import mmap
import os
import signal
import struct
import sys
import threading
import time
from dataclasses import replace
from datetime import timedelta
from functools import partial

import django

PACE_SECONDS = 0.01
# Everything that a minute-long wait depends on, in seconds.
LEASE_SECONDS, ROUND_SECONDS, DEADLINE_SECONDS = 1.5, 0.6, 0.5
WAITS = (0.1, 0.2, 0.4, 0.8)
AGE = timedelta(hours=2)


def approval(step, login, **members):
    """An approval by one person."""
    who = {"any_of": [{"by": "user", "ids": [login]}]}
    return {"id": step, "kind": "approve", "name": step.title(), "who": who} | members


def process():
    """A decision tells the receiver, and leads to a task whose reminder is due at once."""
    return {
        "flowdoc": 1,
        "key": "told",
        "name": "Told",
        "form": {"key": "told"},
        "steps": [
            approval("lead", "bao", on_event=[{"on": "approved", "post": {"target": "ledger"}}]),
            approval("close", "admin", deadline={"after": 60}),
        ],
    }


FORM = {
    "formdoc": 1,
    "fields": [{"id": "amount", "type": "amount", "label": "Amount", "required": True}],
}


class Forge:
    """The children and their clock, which lies in memory that all of them share."""

    def __init__(self):
        self._skew = mmap.mmap(-1, 8)
        self._children = set()

    def publish(self, url):
        """The process and the target that it posts to."""
        from flowadmin import clock  # noqa: PLC0415 - after Django's set-up
        from flowadmin.directory.models import User  # noqa: PLC0415 - after Django's set-up
        from workflow.actions import publishing  # noqa: PLC0415 - after Django's set-up
        from workflow.models import Target  # noqa: PLC0415 - after Django's set-up

        admin, now = User.objects.get(login="admin"), clock.now()
        Target.objects.create(
            tenant=admin.tenant, key="ledger", url=url, https_only=False, changed_at=now
        )
        publishing.publish(user=admin, document=process(), form=FORM, note="", now=now)
        return {}

    def bring(self, number):
        """File requests of two hours ago and approve them, a third to their ends; their ids."""
        from flowadmin import clock  # noqa: PLC0415 - after Django's set-up
        from flowadmin.directory.models import User  # noqa: PLC0415 - after Django's set-up
        from workflow.actions import approvals, requests  # noqa: PLC0415 - after Django's set-up
        from workflow.models import Task  # noqa: PLC0415 - after Django's set-up

        ann, bao, admin = (User.objects.get(login=one) for one in ("ann", "bao", "admin"))
        made = []
        for _ in range(number):
            now = clock.now() - AGE
            started = requests.start_request(
                user=ann, flow="told", values={"amount": "12"}, now=now
            )
            made.append(started.outcome.instance_id)
            for person in (bao, admin)[: 2 if made[-1] % 3 == 0 else 1]:
                task = Task.objects.get(instance=made[-1], state="open", holder=person)
                approvals.approve(task=task, user=person, version=task.version, now=now)
        return {"requests": made}

    def retry(self):
        """What the initiator can do for each event that failed; how many he did it for."""
        from flowadmin import clock  # noqa: PLC0415 - after Django's set-up
        from notifications.actions import callbacks  # noqa: PLC0415 - after Django's set-up
        from notifications.models import Callback  # noqa: PLC0415 - after Django's set-up

        failed = list(Callback.objects.filter(status="FAILED").select_related("initiator"))
        for one in failed:
            assert one.initiator is not None
            callbacks.retry_manually(callback=one, user=one.initiator, now=clock.now())
        return {"retried": len(failed)}

    def set_clock(self, seconds):
        """Every worker's clock (SQLite's is the machine's) is so far from the true one."""
        struct.pack_into("d", self._skew, 0, seconds)
        return {}

    def work(self, plan, *, short=True, delay=None):
        """Fork a worker; its pid. ``plan`` says when it kills itself; see `_plan`.

        ``short`` is "waits" when leases and deadlines are to be the product's own; ``delay`` is
        the scan delay in milliseconds, if not the environment's.
        """
        pid = os.fork()
        if pid == 0:
            try:
                _work(plan, self._skew, short=short, delay=delay)
            finally:
                os._exit(1)
        self._children.add(pid)
        return {"pid": pid}

    def await_death(self, seconds, victim):
        """Wait for the first worker that dies; kill ``victim`` when none does. Its pid and how."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for pid in list(self._children):
                ended, status = os.waitpid(pid, os.WNOHANG)
                if ended:
                    self._children.discard(pid)
                    if not os.WIFSIGNALED(status):
                        raise RuntimeError(f"a worker ended by itself: {status}")
                    return {"pid": pid, "planned": True}
            time.sleep(PACE_SECONDS / 5)
        return self.kill(victim)

    def kill(self, pid):
        """Kill -9 one of the workers."""
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        self._children.discard(pid)
        return {"pid": pid, "planned": False}

    def kill_all(self):
        """Nobody works any more."""
        for pid in list(self._children):
            self.kill(pid)
        return {}


def _work(plan, skew, *, short, delay):
    from django.conf import settings  # noqa: PLC0415 - after Django's set-up

    from flowadmin import clock  # noqa: PLC0415 - after Django's set-up
    from notifications import jobs  # noqa: PLC0415 - after Django's set-up

    _shorten(only_waits=short == "waits")
    if delay is not None:
        pause = timedelta(milliseconds=delay)
        settings.ENVIRONMENT = replace(settings.ENVIRONMENT, delivery_scan_delay=pause)
    true_now = clock.now
    if settings.DATABASES["default"]["ENGINE"] == "flowadmin.sqlite":

        def skewed(_using="default"):
            return true_now() + timedelta(seconds=struct.unpack_from("d", skew)[0])

        setattr(clock, "now", skewed)  # noqa: B010 - a clock of another signature, on purpose
    _plan(plan)
    while True:
        jobs.scan_reminders()
        jobs.scan_callbacks()
        time.sleep(PACE_SECONDS)


def _shorten(*, only_waits):
    from flowadmin import outbound  # noqa: PLC0415 - after Django's set-up
    from flowadmin.coordination import rounds  # noqa: PLC0415 - after Django's set-up
    from notifications import backoff  # noqa: PLC0415 - after Django's set-up
    from notifications.actions import callbacks, delivering  # noqa: PLC0415 - the same

    setattr(backoff, "PROFILES", {"seed": WAITS})  # noqa: B010 - final, but for a test
    if only_waits:
        return
    callbacks.LEASE = timedelta(seconds=LEASE_SECONDS)
    rounds.LEASE = timedelta(seconds=ROUND_SECONDS)
    delivering.KEPT_FOR = rounds.LEASE / 6
    outbound.send = partial(outbound.send, deadline_seconds=DEADLINE_SECONDS)


def _plan(plan):
    """Die after so many seconds, so long behind the n-th request, or at a point's n-th time."""
    from flowadmin import failpoints, outbound  # noqa: PLC0415 - after Django's set-up

    left = [plan.get("times", 1)]

    def die():
        os.kill(os.getpid(), signal.SIGKILL)

    def count():
        left[0] -= 1
        return left[0] == 0

    if "after" in plan:
        threading.Timer(plan["after"], die).start()
    if "point" in plan:
        failpoints.arm(plan["point"], lambda: die() if count() else None)
    if "during" in plan:
        send = outbound.send

        def send_and_die(*arguments, **options):
            if count():
                threading.Timer(plan["during"], die).start()
            return send(*arguments, **options)

        outbound.send = send_and_die


def main():
    """Carry out orders until there are no more."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "flowadmin.settings")
    django.setup()
    from django.db import connections  # noqa: PLC0415 - after Django's set-up

    forge = Forge()
    try:
        for line in sys.stdin:
            order = json.loads(line)
            done = getattr(forge, order.pop("do"))(**order)
            # A connection that is open now would be shared by the workers that are forked.
            connections.close_all()
            sys.stdout.write(json.dumps(done) + "\n")
            sys.stdout.flush()
    finally:
        forge.kill_all()


if __name__ == "__main__":
    main()
