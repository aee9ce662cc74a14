"""A real beat and a real worker carry automatic steps to their end, once, whatever is lost."""

from __future__ import annotations

import os

import pytest

from tests.cluster.processes import await_that

pytestmark = [pytest.mark.cluster, pytest.mark.slow]

COPIES = {"copy": ["chi", "dan"], "auto": []}


@pytest.fixture(autouse=True)
def _nothing_waits(cluster):
    cluster.empty_queues()


def has_ended(cluster, request):
    """Whether the request was approved and its job done."""
    return cluster.database.rows(
        "SELECT i.state, j.state FROM flow_instance i "
        f"JOIN flow_job j ON j.instance_id = i.id WHERE i.id = {request}"
    ) == [("approved", "done")]


def is_waiting(cluster, request):
    """Whether nobody has touched the request's job."""
    return cluster.database.rows(
        f"SELECT state, attempts FROM flow_job WHERE instance_id = {request}"
    ) == [("pending", 0)]


def assert_carried_out_once(cluster, request, kind, attempts=1):
    """One end, one event for each copy, one copy for each reader, and so many claims."""
    ended, read, jobs = cluster.database.snapshot(
        f"SELECT kind FROM flow_event WHERE instance_id = {request} "
        "AND kind IN ('instance_finished', 'copy_sent') ORDER BY position",
        "SELECT u.login FROM flow_task t JOIN org_user u ON u.id = t.holder_id "
        f"WHERE t.instance_id = {request} AND t.kind = 'copy' ORDER BY u.login",
        f"SELECT state, attempts, token FROM flow_job WHERE instance_id = {request}",
    )
    assert [each for (each,) in read] == COPIES[kind]
    assert [each for (each,) in ended] == ["copy_sent"] * len(read) + ["instance_finished"]
    assert jobs == [("done", attempts, attempts)]


def test_beats_tick_finds_what_nobody_was_told_of(cluster):
    requests = {kind: cluster.act("bring", kind, heard=False) for kind in COPIES}
    assert all(is_waiting(cluster, each) for each in requests.values())
    with cluster.worker() as worker:
        assert cluster.waiting() == []
        assert all(is_waiting(cluster, each) for each in requests.values())
        with cluster.beat() as beat:
            beat.has_said("Sending due task run-steps")
            for kind, each in requests.items():
                await_that(lambda each=each: has_ended(cluster, each), f"{kind} ended")
    for kind, each in requests.items():
        assert_carried_out_once(cluster, each, kind)
    assert "Traceback" not in worker.words + beat.words


def test_the_hint_alone_is_enough(cluster):
    with cluster.worker() as worker:
        for kind in COPIES:
            request = cluster.act("bring", kind)
            await_that(lambda each=request: has_ended(cluster, each), f"{kind} ended")
            assert_carried_out_once(cluster, request, kind)
    assert "Traceback" not in worker.words


@pytest.mark.parametrize("kind", COPIES)
def test_what_a_killed_worker_held_is_carried_out_once_by_another(cluster, kind):
    request = cluster.act("bring", kind, heard=False)
    job = f"FROM flow_job WHERE instance_id = {request}"
    with (
        cluster.worker() as worker,
        cluster.locked(
            # The claim gets through, the command has to wait: the worker dies with the lease.
            f"SELECT id FROM flow_instance WHERE id = {request} FOR UPDATE"
        ),
    ):
        cluster.hint()
        await_that(lambda: cluster.value(f"SELECT state {job}") == "leased", "leased")
        worker.kill()
    assert cluster.database.rows(f"SELECT state, token {job}") == [("leased", 1)]
    with cluster.worker():
        cluster.hint()
        cluster.hint()
        # One is taken at a time: when none waits, the first has found nothing to do.
        await_that(lambda: cluster.waiting() == [], "the hints were taken")
        assert cluster.database.rows(f"SELECT state, token {job}") == [("leased", 1)]
        # What the end of the lease would do, without waiting a minute for it.
        assert (
            cluster.write(
                "UPDATE flow_job SET lease_until = created_at "
                f"WHERE instance_id = {request} AND state = 'leased'"
            )
            == 1
        )
        cluster.hint()
        await_that(lambda: has_ended(cluster, request), "ended")
    assert_carried_out_once(cluster, request, kind, attempts=2)


@pytest.mark.skipif(
    "FLOWADMIN_TEST_AMQP_URL" not in os.environ, reason="needs FLOWADMIN_TEST_AMQP_URL"
)
def test_the_same_on_rabbitmq(cluster):
    broker = os.environ["FLOWADMIN_TEST_AMQP_URL"]
    cluster.empty_queues(broker)
    lost = {kind: cluster.act("bring", kind, heard=False) for kind in COPIES}
    with cluster.worker(CELERY_BROKER_URL=broker) as worker:
        assert all(is_waiting(cluster, each) for each in lost.values())
        with cluster.beat(CELERY_BROKER_URL=broker) as beat:
            for kind, each in lost.items():
                await_that(lambda each=each: has_ended(cluster, each), f"{kind} ended")
        told = {kind: cluster.act("bring", kind, CELERY_BROKER_URL=broker) for kind in COPIES}
        for kind, each in told.items():
            await_that(lambda each=each: has_ended(cluster, each), f"{kind} ended")
    for requests in (lost, told):
        for kind, each in requests.items():
            assert_carried_out_once(cluster, each, kind)
    assert cluster.waiting() == []
    assert "Traceback" not in worker.words + beat.words
