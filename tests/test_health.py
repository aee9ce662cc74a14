"""The probes: live needs nothing, ready needs every part, and neither says what is behind."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from flowadmin.environment import Mode

pytestmark = pytest.mark.urls("flowadmin.health")


def test_live_asks_no_database():
    """Without the mark that allows it, a query would fail the test."""
    answer = Client().get("/health/live")

    assert (answer.status_code, answer.content) == (200, b"ok")
    assert "no-cache" in answer["Cache-Control"]
    assert not answer.cookies


@pytest.mark.django_db
def test_ready_when_every_part_is_there():
    answer = Client().get("/health/ready")

    assert answer.status_code == 200
    assert answer.json() == {"ready": True, "database": "ok", "migrations": "ok"}
    assert "no-cache" in answer["Cache-Control"]
    assert not answer.cookies


@pytest.mark.django_db
def test_not_ready_while_a_migration_is_missing():
    MigrationRecorder(connection).record_unapplied("sessions", "0001_initial")

    answer = Client().get("/health/ready")

    assert answer.status_code == 503
    assert answer.json() == {"ready": False, "database": "ok", "migrations": "pending"}


@pytest.mark.django_db
def test_not_ready_without_the_database_and_no_word_of_where_it_is(monkeypatch):
    def away(self):
        raise OperationalError("cannot reach secret-host with password hidden")

    monkeypatch.setattr(MigrationRecorder, "applied_migrations", away)
    monkeypatch.setattr(connection, "close", lambda: None)

    answer = Client().get("/health/ready")

    assert answer.status_code == 503
    assert answer.json() == {"ready": False, "database": "unreachable", "migrations": "unknown"}
    assert b"hidden" not in answer.content


@pytest.mark.django_db
def test_in_a_cluster_redis_is_a_part(settings):
    settings.CLUSTER = True
    settings.ENVIRONMENT = replace(
        settings.ENVIRONMENT, mode=Mode.CLUSTER, redis_url="redis://127.0.0.1:1/0"
    )

    answer = Client().get("/health/ready")

    assert answer.status_code == 503
    assert answer.json()["redis"] == "unreachable"


@pytest.mark.django_db
@pytest.mark.skipif(not os.environ.get("FLOWADMIN_TEST_REDIS_URL"), reason="needs a Redis server")
def test_in_a_cluster_with_redis(settings):
    settings.CLUSTER = True
    settings.ENVIRONMENT = replace(
        settings.ENVIRONMENT,
        mode=Mode.CLUSTER,
        redis_url=os.environ["FLOWADMIN_TEST_REDIS_URL"],
    )

    assert Client().get("/health/ready").json()["redis"] == "ok"


@pytest.mark.parametrize("path", ["/health/live", "/health/ready"])
def test_probes_only_read(path):
    assert Client().post(path).status_code == 405
