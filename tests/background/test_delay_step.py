"""`manage.py work` ends a delay by itself: its moment passes without anybody's hint."""

from __future__ import annotations

import pytest
from django.conf import settings

from tests.background.test_copy_step import JOBS, STATES, Machine
from tests.cluster.processes import run_python

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        settings.DATABASES["default"]["ENGINE"] != "flowadmin.sqlite",
        reason="runs once, on SQLite",
    ),
]

MOMENTS = (
    "SELECT e.instance_id, e.at >= j.due_at FROM flow_event e JOIN flow_job j "
    "ON j.instance_id = e.instance_id WHERE e.kind = 'instance_finished'"
)


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    made = Machine(tmp_path_factory.mktemp("delays"))
    done = run_python(made.environment, "-m", "tests.cluster.acting", "furnish")
    assert done.returncode == 0, done.stderr
    return made


def test_a_delay_ends_by_the_scan_and_never_before_its_moment(machine):
    with machine.work() as work:
        done = run_python(machine.environment, "-m", "tests.background.delaying")
        assert done.returncode == 0, done.stderr
        request = int(done.stdout)
        machine.await_end(request)
    assert machine.of(request, STATES) == [("approved",)]
    assert machine.of(request, JOBS) == [("done", 1)]
    assert machine.of(request, MOMENTS) == [(1,)]
    assert "Traceback" not in work.words
