"""The start-up checks refuse what would lose work, and each names its cause."""

from __future__ import annotations

import os
import socket
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import connection, router

from flowadmin import checks
from flowadmin.environment import REFUSED, Mode
from flowadmin.sqlite import host
from flowadmin.sqlite.base import DatabaseWrapper
from workflow.runtime import subscribers

PROJECT = Path(__file__).resolve().parents[1]
only_sqlite = pytest.mark.skipif(connection.vendor != "sqlite", reason="asks the SQLite file")


@pytest.fixture
def cluster(settings):
    """Puts the installation into cluster mode with the given addresses."""

    def put(**addresses):
        settings.ENVIRONMENT = replace(settings.ENVIRONMENT, mode=Mode.CLUSTER, **addresses)

    return put


@pytest.fixture
def closed_port():
    """A port at which nothing listens while the test holds it."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


def _ids(found):
    return [message.id for message in found]


def test_the_installation_as_it_is_has_no_problem():
    call_command("check", fail_level="WARNING" if connection.vendor != "mysql" else "ERROR")


def test_decisions_that_nobody_follows_are_an_error(monkeypatch):
    monkeypatch.setattr(subscribers, "_subscribers", [])
    assert _ids(checks.check_subscribed()) == ["flowadmin.E015"]


@pytest.mark.django_db
def test_the_live_database_as_it_is_has_no_problem():
    assert checks.check_live_database(databases=["default"]) == []


def test_every_problem_of_the_environment_is_an_error(settings):
    settings.ENVIRONMENT = replace(settings.ENVIRONMENT, problems=("PORT is odd.", "HOST too."))

    found = checks.check_environment()

    assert [(message.msg, message.is_serious()) for message in found] == [
        ("PORT is odd.", True),
        ("HOST too.", True),
    ]


@only_sqlite
def test_an_old_sqlite_library_is_named(monkeypatch):
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 36, 0))
    monkeypatch.setattr(sqlite3, "sqlite_version", "3.36.0")

    (found,) = checks.check_sqlite_library()

    assert "3.36.0" in found.msg
    assert "3.37.0" in found.msg
    assert found.is_serious()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"ENGINE": "django.db.backends.sqlite3"}, "flowadmin.E003"),
        ({"ATOMIC_REQUESTS": True}, "flowadmin.E004"),
    ],
)
def test_a_changed_database_setting_is_found(monkeypatch, change, expected):
    for name, value in change.items():
        monkeypatch.setitem(settings.DATABASES["default"], name, value)

    assert _ids(checks.check_settings()) == [expected]


def test_workflow_and_notifications_share_one_database(monkeypatch):
    class Elsewhere:
        def db_for_write(self, model, **hints):
            return "elsewhere" if model._meta.label_lower == "directory.user" else None

    monkeypatch.setattr(router, "routers", [Elsewhere()])

    (found,) = checks.check_one_database()

    assert found.id == "flowadmin.E006"
    assert "directory.User" in found.msg
    assert "elsewhere" in found.msg


def test_failpoints_need_debug_and_are_never_deployed(settings):
    settings.ENVIRONMENT = replace(settings.ENVIRONMENT, failpoints=True)
    settings.DEBUG = False
    assert _ids(checks.check_failpoints()) == ["flowadmin.E007"]

    settings.DEBUG = True
    assert _ids(checks.check_failpoints()) == []
    assert _ids(checks.check_no_failpoints_deployed()) == ["flowadmin.E008"]


@pytest.mark.django_db
def test_cluster_names_redis_when_it_is_away(cluster, closed_port):
    address = f"redis://:hidden@127.0.0.1:{closed_port}/0"
    cluster(redis_url=address, broker_url=address)

    with pytest.raises(checks.UnsafeStart) as refused:
        checks.refuse_unsafe_start()

    text = str(refused.value)
    assert "REDIS_URL" in text
    assert "CELERY_BROKER_URL" in text
    assert f"127.0.0.1:{closed_port}" in text
    assert "hidden" not in text


@pytest.mark.django_db
def test_cluster_names_a_broker_that_is_away(cluster, closed_port, monkeypatch):
    monkeypatch.setattr(checks, "_redis_answers", lambda url: True)
    cluster(redis_url="redis://h/0", broker_url=f"amqp://u:hidden@127.0.0.1:{closed_port}//")

    with pytest.raises(checks.UnsafeStart) as refused:
        checks.refuse_unsafe_start()

    assert len(refused.value.reasons) == 1
    assert "CELERY_BROKER_URL" in refused.value.reasons[0]
    assert "hidden" not in str(refused.value)


@pytest.mark.skipif(not os.environ.get("FLOWADMIN_TEST_REDIS_URL"), reason="needs a Redis server")
def test_cluster_accepts_a_redis_that_answers(cluster):
    address = os.environ["FLOWADMIN_TEST_REDIS_URL"]
    cluster(redis_url=address, broker_url=address)

    assert list(checks._unreachable(settings.ENVIRONMENT)) == []


@only_sqlite
@pytest.mark.django_db
def test_a_second_machine_is_refused_at_start():
    file = Path(connection.settings_dict["NAME"])
    # A test before this one may have started something that holds the file for this machine.
    host.marker_of(file).unlink(missing_ok=True)
    host.hold(file, host.Host(boot="another", machine="another", name="far-away"))
    try:
        with pytest.raises(checks.UnsafeStart, match="far-away"):
            checks.refuse_unsafe_start()
        assert "far-away" in host.marker_of(file).read_text()
    finally:
        host.marker_of(file).unlink()

    checks.refuse_unsafe_start()
    checks.hold_sqlite_file()
    assert host.marker_of(file).exists()
    checks.release_sqlite_file()
    assert not host.marker_of(file).exists()


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"FLOWADMIN_MODE": "cluster"}, ["DATABASE_URL", "REDIS_URL"]),
        ({"PORT": "no"}, ["PORT"]),
        ({"DATABASE_URL": "postgres://u:hidden@127.0.0.1:1/d"}, ["DATABASE_URL", "127.0.0.1:1"]),
        ({"DATABASE_URL": "mysql://u:hidden@127.0.0.1:1/d"}, ["DATABASE_URL", "127.0.0.1:1"]),
    ],
)
def test_a_process_that_may_not_start_ends_and_says_why(tmp_path, variables, words):
    kept = {"PATH": os.environ["PATH"], "FLOWADMIN_DATA": str(tmp_path), "SECRET_KEY": "k" * 50}
    start = (
        "import django; django.setup(); from flowadmin.checks import refuse_unsafe_start as r; r()"
    )

    done = subprocess.run(
        [sys.executable, "-c", start],
        cwd=PROJECT,
        env={**kept, **variables, "DJANGO_SETTINGS_MODULE": "flowadmin.settings"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    said = done.stderr.partition("FlowAdmin does not start")[2]
    for word in words:
        assert word in said
    assert "hidden" not in said
    assert list(tmp_path.iterdir()) == []


def test_nothing_can_be_written_into_a_refused_database():
    wrapper = DatabaseWrapper({**connection.settings_dict, **REFUSED}, "refused")

    with pytest.raises(ImproperlyConfigured):
        wrapper.get_connection_params()
