"""`manage.py work` killed with -9 while it sends: called again, and the answer taken once."""

from __future__ import annotations

import threading

import pytest
from django.conf import settings

from tests.background.test_copy_step import Machine
from tests.cluster.processes import await_that, run_python
from tests.outbound.receivers import Receiver
from tests.workflow.outside import answer, heard

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        settings.DATABASES["default"]["ENGINE"] != "flowadmin.sqlite",
        reason="runs once, on SQLite",
    ),
]

CALLS = "SELECT instance_id, state, attempts FROM flow_call"
CHANGES = "SELECT instance_id, kind FROM flow_event WHERE kind = 'form_changed'"
CHILDREN = "SELECT parent_id, state FROM flow_child"
END_LEASES = (
    "import django; django.setup()\n"
    "from django.db.models import F\n"
    "from workflow.models import Call, Job\n"
    "for each in (Call, Job):\n"
    "    each.objects.filter(state='leased').update(lease_until=F('created_at'))\n"
)


def test_killed_while_it_sends_and_started_again(tmp_path):
    hold = threading.Event()

    def script(receiver, opened):
        first = not receiver.heard
        receiver.read(opened)
        if first:
            hold.wait(60)
        opened.sendall(answer(200, {"note": "taken"}))

    machine = Machine(tmp_path)
    with Receiver(script) as receiver:
        machine.environment["FLOWADMIN_CALLBACK_ALLOW"] = f"{receiver.host}:{receiver.port}"
        done = run_python(machine.environment, "-m", "tests.cluster.acting", "furnish")
        assert done.returncode == 0, done.stderr
        done = run_python(machine.environment, "-m", "tests.background.calling", receiver.url)
        assert done.returncode == 0, done.stderr
        calls, starts = map(int, done.stdout.split())
        with machine.work() as work:
            await_that(lambda: receiver.heard, "the call is on its way")
            work.kill()
        assert machine.of(calls, CALLS) == [("leased", 1)]
        hold.set()
        done = run_python(machine.environment, "-c", END_LEASES)
        assert done.returncode == 0, done.stderr
        with machine.work() as work:
            machine.await_end(calls)
            machine.await_end(starts)
        assert "Traceback" not in work.words
        assert len({heard(receiver, n)[1]["idempotency-key"] for n in (0, 1)}) == 1
        assert {heard(receiver, n)[2] for n in (0, 1)} == {'{"number": "000001"}'}
    assert machine.of(calls, CALLS) == [("done", 2)]
    assert machine.of(calls, CHANGES) == [("form_changed",)]
    assert machine.of(starts, CHILDREN) == [("ended",)]
    for command in (("doctor",), ("flow_replay", "--all")):
        done = run_python(machine.environment, "manage.py", *command)
        assert done.returncode == 0, done.stdout + done.stderr
