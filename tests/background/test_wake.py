"""Hints: sent after the commit, heard at once, and harmless when nobody hears them."""

from __future__ import annotations

import json
import os
import socket
from dataclasses import replace

import pytest
import redis
from django.db import transaction

from flowadmin.coordination import wake as hints
from flowadmin.coordination.wake import LONGEST_ADDRESS, Listener, address, send_by_name, wake
from flowadmin.periodic import PERIODIC

LONG_ENOUGH = 20.0  # seconds; a wait ends much earlier when it works


@pytest.fixture(autouse=True)
def place(settings, tmp_path):
    settings.ENVIRONMENT = replace(settings.ENVIRONMENT, data=tmp_path)
    settings.CLUSTER = False
    hints._sender.cache_clear()
    hints._broker["try_again_at"] = 0.0
    yield tmp_path
    hints._sender.cache_clear()
    hints._broker["try_again_at"] = 0.0


@pytest.mark.django_db(transaction=True)
def test_a_hint_goes_out_after_the_commit_and_not_before():
    with Listener() as ear:
        with transaction.atomic():
            wake("steps")
            assert ear.wait(0) == frozenset()
        assert ear.wait(LONG_ENOUGH) == {"steps"}


@pytest.mark.django_db(transaction=True)
def test_what_is_rolled_back_wakes_nobody():
    with Listener() as ear:
        with transaction.atomic():
            wake("steps")
            transaction.set_rollback(True)
        assert ear.wait(0.05) == frozenset()


@pytest.mark.django_db(transaction=True)
def test_outside_a_transaction_it_goes_out_at_once():
    with Listener() as ear:
        wake("steps")
        wake("steps")
        wake("callbacks")
        assert ear.wait(LONG_ENOUGH) == {"steps", "callbacks"}
        assert ear.wait(0) == frozenset()


@pytest.mark.django_db(transaction=True)
def test_nobody_listens():
    wake("steps")
    with Listener():
        pass
    wake("steps")
    assert not address().exists()


@pytest.mark.django_db(transaction=True)
def test_a_listener_that_does_not_read_blocks_nobody():
    with Listener() as ear:
        for _ in range(5000):
            wake("steps")
        assert ear.wait(LONG_ENOUGH) == {"steps"}


@pytest.mark.django_db(transaction=True)
def test_what_a_killed_listener_left_is_taken_over(place):
    left = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    left.bind(str(address()))
    left.close()
    assert address().is_socket()
    wake("steps")
    with Listener() as ear:
        wake("steps")
        assert ear.wait(LONG_ENOUGH) == {"steps"}


@pytest.mark.django_db(transaction=True)
def test_a_data_folder_with_a_long_name(settings, tmp_path):
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    settings.ENVIRONMENT = replace(settings.ENVIRONMENT, data=deep)
    assert len(os.fsencode(address())) <= LONGEST_ADDRESS
    with Listener() as ear:
        wake("steps")
        assert ear.wait(LONG_ENOUGH) == {"steps"}


@pytest.mark.django_db(transaction=True)
def test_without_a_place_for_the_socket_there_are_no_hints_and_no_errors(settings, tmp_path):
    settings.ENVIRONMENT = replace(settings.ENVIRONMENT, data=tmp_path / "absent")
    with Listener() as ear:
        wake("steps")
        assert ear.wait(0.01) == frozenset()


def test_noise_on_the_socket_is_only_an_unknown_topic():
    with Listener() as ear, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as other:
        other.sendto(b"", str(address()))
        other.sendto(b"\xff\x00", str(address()))
        other.sendto(b"x" * 4000, str(address()))
        assert "steps" not in ear.wait(LONG_ENOUGH)


def test_a_nudge_ends_the_next_wait_and_only_that():
    with Listener() as ear:
        ear.nudge()
        ear.nudge()
        assert ear.wait(LONG_ENOUGH) == frozenset()
        assert ear.wait(0.01) == frozenset()


@pytest.mark.django_db(transaction=True)
def test_a_broker_that_is_away_is_asked_once_and_then_left_alone(settings, caplog):
    settings.CLUSTER = True
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, not listening: connections are refused
        settings.CELERY_BROKER_URL = f"redis://127.0.0.1:{taken.getsockname()[1]}/0"
        wake("steps")
        wake("steps")
    assert caplog.text.count("broker did not take the hint") == 1


@pytest.mark.cluster
@pytest.mark.skipif("FLOWADMIN_TEST_REDIS_URL" not in os.environ, reason="needs Redis")
@pytest.mark.django_db(transaction=True)
def test_in_a_cluster_the_job_is_sent_by_its_name(settings):
    base = os.environ["FLOWADMIN_TEST_REDIS_URL"].rstrip("/").rpartition("/")
    url = f"{base[0]}/9" if base[2].isdecimal() else f"{''.join(base)}/9"
    settings.CLUSTER = True
    settings.CELERY_BROKER_URL = url
    job = next(one for one in PERIODIC if one.topic == "steps")
    with redis.Redis.from_url(url) as store:
        store.delete(job.queue)
        try:
            with transaction.atomic():
                wake("steps")
                assert store.llen(job.queue) == 0
            assert store.llen(job.queue) == 1
            message = json.loads(store.lindex(job.queue, 0))
            assert message["headers"]["task"] == job.task
            assert message["headers"]["expires"]
            assert send_by_name(job)
            assert store.llen(job.queue) == 2
        finally:
            store.delete(job.queue)
