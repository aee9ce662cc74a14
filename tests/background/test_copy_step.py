"""`manage.py work` on one SQLite file carries a copy step to its end, once, whatever happens."""

from __future__ import annotations

import pytest
from django.conf import settings

from tests.background.unusual_work import STOPPED
from tests.chaos.databases import Database
from tests.cluster.processes import (
    about,
    await_that,
    brought,
    clean_environment,
    run_python,
    running,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        settings.DATABASES["default"]["ENGINE"] != "flowadmin.sqlite",
        reason="runs once, on SQLite",
    ),
]

STARTED = "background work started"
UNUSUAL = "tests.background.unusual_work"
STATES = "SELECT id, state FROM flow_instance"
JOBS = "SELECT instance_id, state, attempts FROM flow_job"
ENDS = (
    "SELECT instance_id, kind FROM flow_event "
    "WHERE kind IN ('instance_finished', 'copy_sent') ORDER BY position"
)
COPIES = (
    "SELECT t.instance_id, u.login FROM flow_task t JOIN org_user u ON u.id = t.holder_id "
    "WHERE t.kind = 'copy' ORDER BY u.login"
)


class Machine:
    """An installation of one machine."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = clean_environment(FLOWADMIN_DATA=str(folder))
        self._database = Database("sqlite", folder)

    def bring(self):
        """File and approve a request whose copy step is then due, elsewhere; its id."""
        (request,) = brought(self.environment, "copy", lost=False)
        return request

    def work(self):
        """A `manage.py work` that has begun."""
        return running(self.environment, STARTED, "manage.py", "work")

    def unusual_work(self, how, until=STARTED):
        """The same, with one thing made unusual."""
        return running(self.environment, until, "-m", UNUSUAL, how)

    def of(self, request, select):
        """What the rows of a SELECT say of a request."""
        return about(request, self._database.rows(select))

    def await_end(self, request):
        """Wait until a request is approved."""
        await_that(lambda: self.of(request, STATES) == [("approved",)], "the request has ended")

    def end_leases(self):
        """What their end would do, without waiting a minute for it; how many were held."""
        done = run_python(
            self.environment,
            "-c",
            "import django; django.setup()\n"
            "from django.db.models import F\n"
            "from workflow.models import Job\n"
            "held = Job.objects.filter(state=Job.State.LEASED)\n"
            "print(held.update(lease_until=F('created_at')))",
        )
        assert done.returncode == 0, done.stderr
        return int(done.stdout)


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    made = Machine(tmp_path_factory.mktemp("machine"))
    done = run_python(made.environment, "-m", "tests.cluster.acting", "furnish")
    assert done.returncode == 0, done.stderr
    return made


def assert_copied_once(machine, request, attempts=1):
    """One end, one event for each copy, one copy for each reader, and so many claims."""
    assert machine.of(request, COPIES) == [("chi",), ("dan",)]
    assert machine.of(request, ENDS) == [("copy_sent",), ("copy_sent",), ("instance_finished",)]
    assert machine.of(request, JOBS) == [("done", attempts)]


def test_the_datagram_alone_wakes_it(machine):
    with machine.unusual_work("rare") as work:
        request = machine.bring()
        machine.await_end(request)
    assert_copied_once(machine, request)
    assert "Traceback" not in work.words


def test_without_a_hint_the_scan_finds_it(machine):
    with machine.work() as work:
        # Whoever sends a hint finds nobody listening; the scans go on.
        (machine.folder / "work.sock").unlink()
        request = machine.bring()
        machine.await_end(request)
    assert_copied_once(machine, request)
    assert "Traceback" not in work.words


@pytest.mark.parametrize(
    ("moment", "left", "attempts"),
    [
        ("before", [("leased", 1)], 2),
        ("inside", [("leased", 1)], 2),
        ("after", [("done", 1)], 1),
    ],
)
def test_killed_in_between_and_started_again_it_copies_once(machine, moment, left, attempts):
    request = machine.bring()
    with machine.unusual_work(moment, until=STOPPED) as work:
        work.kill()
    assert machine.of(request, JOBS) == left
    if moment != "after":
        assert machine.of(request, COPIES) == []
        assert machine.of(request, STATES) == [("running",)]
        assert machine.end_leases() == 1
        with machine.work() as work:
            machine.await_end(request)
        assert "Traceback" not in work.words
    done = run_python(machine.environment, "manage.py", "work", "--once")
    assert (done.returncode, done.stderr) == (0, "")
    assert_copied_once(machine, request, attempts)
