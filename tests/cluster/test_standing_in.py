"""`work --scan` is quiet while beat ticks, and hands the jobs to the workers while it does not."""

from __future__ import annotations

import pytest

from tests.cluster.processes import await_that, running, sent_by

pytestmark = [pytest.mark.cluster, pytest.mark.slow]

STEPS = "workflow.jobs.run_due_steps"


def scanning(cluster):
    """A `manage.py work --scan` that has begun."""
    command = ("manage.py", "work", "--scan")
    return running(cluster.environment(), "background work started", *command)


def test_it_stands_in_for_a_beat_that_was_killed(postgresql_cluster):
    cluster = postgresql_cluster
    cluster.empty_queues()
    with cluster.beat() as beat:
        await_that(lambda: sent_by(beat, cluster.waiting()), "beat ticks")
        with scanning(cluster) as scan:
            # It looks when it begins, and at every period.
            already = len(sent_by(beat, cluster.waiting()))
            await_that(lambda: len(sent_by(beat, cluster.waiting())) > already, "beat ticks")
            assert sent_by(scan, cluster.waiting()) == []
            beat.kill()
            # What three silent periods would do, without waiting for them.
            assert cluster.write("UPDATE coord_beat SET ticked_at = '2020-01-01 00:00:00'") == 1
            await_that(lambda: sent_by(scan, cluster.waiting()), "it stands in")
            assert {each["task"] for each in sent_by(scan, cluster.waiting())} == {STEPS}
            assert all(each["expires"] for each in cluster.waiting())
            # And what another beat's tick would.
            assert cluster.write("UPDATE coord_beat SET ticked_at = clock_timestamp()") == 1
            scan.has_said("beat ticks again")
    assert scan.words.count("beat is silent: standing in") == 1
    assert "Traceback" not in scan.words + beat.words


def test_with_a_worker_it_carries_a_step_to_its_end_without_any_beat(postgresql_cluster):
    cluster = postgresql_cluster
    cluster.empty_queues()
    cluster.write("DELETE FROM coord_beat")
    (request,) = cluster.bring("copy", heard=False)
    with cluster.worker(), scanning(cluster) as scan:
        await_that(
            lambda: (
                (request, "approved")
                in cluster.database.rows("SELECT id, state FROM flow_instance")
            ),
            "ended",
        )
    assert "beat is silent: standing in" in scan.words
