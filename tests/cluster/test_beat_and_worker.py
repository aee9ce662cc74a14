"""A real beat and a real worker carry automatic steps to their end, once, whatever is lost."""

from __future__ import annotations

import os

import pytest

from tests.cluster.processes import about, await_that

pytestmark = [pytest.mark.cluster, pytest.mark.slow]

KINDS = ("copy", "auto")
READERS = {"copy": ["chi", "dan"], "auto": []}
STATES = (
    "SELECT i.id, i.state, j.state FROM flow_instance i JOIN flow_job j ON j.instance_id = i.id"
)
JOBS = "SELECT instance_id, state, attempts, token FROM flow_job"
ENDS = (
    "SELECT instance_id, kind FROM flow_event "
    "WHERE kind IN ('instance_finished', 'copy_sent') ORDER BY position"
)
COPIES = (
    "SELECT t.instance_id, u.login FROM flow_task t JOIN org_user u ON u.id = t.holder_id "
    "WHERE t.kind = 'copy' ORDER BY u.login"
)


@pytest.fixture(autouse=True)
def _nothing_waits(cluster):
    cluster.empty_queues()


def job_of(cluster, request):
    """State, attempts and token of a request's only job."""
    (job,) = about(request, cluster.database.rows(JOBS))
    return job


def await_end(cluster, request):
    """Wait until a request is approved and its job done."""
    await_that(
        lambda: about(request, cluster.database.rows(STATES)) == [("approved", "done")],
        f"request {request} has ended",
    )


def assert_carried_out_once(cluster, request, kind, attempts=1):
    """One end, one event for each copy, one copy for each reader, and so many claims."""
    ends, copies = cluster.database.snapshot(ENDS, COPIES)
    readers = READERS[kind]
    assert [reader for (reader,) in about(request, copies)] == readers
    expected = ["copy_sent"] * len(readers) + ["instance_finished"]
    assert [event for (event,) in about(request, ends)] == expected
    assert job_of(cluster, request) == ("done", attempts, attempts)


def test_beats_tick_finds_what_nobody_was_told_of(cluster):
    requests = cluster.bring(*KINDS, heard=False)
    with cluster.worker() as worker:
        assert cluster.waiting() == []
        assert [job_of(cluster, each) for each in requests] == [("pending", 0, 0)] * 2
        with cluster.beat() as beat:
            for each in requests:
                await_end(cluster, each)
    for kind, each in zip(KINDS, requests, strict=True):
        assert_carried_out_once(cluster, each, kind)
    assert list(cluster.folder.glob("beat-schedule*"))
    assert "Sending due task run-steps" in beat.words
    assert "Traceback" not in worker.words + beat.words


def test_the_hint_alone_is_enough(cluster):
    with cluster.worker() as worker:
        requests = cluster.bring(*KINDS)
        for each in requests:
            await_end(cluster, each)
    for kind, each in zip(KINDS, requests, strict=True):
        assert_carried_out_once(cluster, each, kind)
    assert "Traceback" not in worker.words


def test_what_a_killed_worker_held_is_carried_out_once_by_another(cluster):
    (request,) = cluster.bring("copy", heard=False)
    # The claim gets through, the command has to wait: the worker dies with the lease.
    with cluster.locked("SELECT id FROM flow_instance FOR UPDATE"), cluster.worker() as worker:
        cluster.hint()
        await_that(lambda: job_of(cluster, request)[0] == "leased", "leased")
        worker.kill()
    assert job_of(cluster, request) == ("leased", 1, 1)
    with cluster.worker():
        cluster.hint()
        cluster.hint()
        # One is taken at a time: when none waits, the first has found nothing to do.
        await_that(lambda: cluster.waiting() == [], "the hints were taken")
        assert job_of(cluster, request) == ("leased", 1, 1)
        # What the end of the lease would do, without waiting a minute for it.
        ended = "UPDATE flow_job SET lease_until = created_at WHERE state = 'leased'"
        assert cluster.write(ended) == 1
        cluster.hint()
        await_end(cluster, request)
    assert_carried_out_once(cluster, request, "copy", attempts=2)


@pytest.mark.skipif(
    "FLOWADMIN_TEST_AMQP_URL" not in os.environ, reason="needs FLOWADMIN_TEST_AMQP_URL"
)
def test_the_same_on_rabbitmq(postgresql_cluster):
    cluster = postgresql_cluster
    broker = os.environ["FLOWADMIN_TEST_AMQP_URL"]
    cluster.empty_queues(broker)
    with cluster.worker(CELERY_BROKER_URL=broker) as worker:
        told = cluster.bring(*KINDS, CELERY_BROKER_URL=broker)
        for each in told:
            await_end(cluster, each)
        lost = cluster.bring(*KINDS, heard=False)
        with cluster.beat(CELERY_BROKER_URL=broker) as beat:
            for each in lost:
                await_end(cluster, each)
    for kind, each in zip(KINDS * 2, [*told, *lost], strict=True):
        assert_carried_out_once(cluster, each, kind)
    assert cluster.waiting() == []
    assert "Sending due task run-steps" in beat.words
    assert "Traceback" not in worker.words + beat.words
