"""The variables of the outside contract: defaults, what each becomes, and what is refused."""

from __future__ import annotations

import stat
from datetime import timedelta

import pytest

from flowadmin import environment
from flowadmin.environment import Mode

VARIABLES = (
    "ALLOWED_HOSTS",
    "CELERY_BROKER_URL",
    "CSRF_TRUSTED_ORIGINS",
    "DATABASE_URL",
    "FLOWADMIN_DEBUG",
    "FLOWADMIN_DEMO",
    "FLOWADMIN_DEMO_PASSWORD",
    "FLOWADMIN_FAILPOINTS",
    "FLOWADMIN_HTTPS",
    "FLOWADMIN_MODE",
    "FLOWADMIN_SQLITE_SYNCHRONOUS",
    "FLOWADMIN_DELIVERY_SCAN_DELAY",
    "HOST",
    "PORT",
    "REDIS_URL",
    "SECRET_KEY",
)


@pytest.fixture
def read(monkeypatch, tmp_path):
    """Reads the environment with only the given variables set."""

    def read_with(**variables):
        for name in VARIABLES:
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("FLOWADMIN_DATA", str(tmp_path / "data"))
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        return environment.read()

    return read_with


def test_nothing_set_is_a_whole_installation(read, tmp_path):
    found = read()

    assert found.problems == ()
    assert (found.mode, found.host, found.port) == (Mode.EMBEDDED, "127.0.0.1", 8000)
    assert found.delivery_scan_delay == timedelta(seconds=10)
    assert found.database["ENGINE"] == "flowadmin.sqlite"
    assert found.database["NAME"] == str(tmp_path / "data" / "flowadmin.sqlite3")
    assert found.database["OPTIONS"] == {"synchronous": "FULL"}
    assert (found.redis_url, found.broker_url) == ("", "")
    assert (found.https, found.debug, found.demo, found.failpoints) == (False, False, True, False)
    assert "*" not in found.allowed_hosts


def test_an_empty_data_folder_means_the_default(read):
    assert read(FLOWADMIN_DATA="", SECRET_KEY="k").data == environment.PROJECT / "var"


def test_the_generated_secret_is_kept_and_private(read, tmp_path):
    first, second = read(), read()

    assert len(first.secret_key) >= 50
    assert first.secret_key == second.secret_key
    path = tmp_path / "data" / "secret_key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert list(path.parent.iterdir()) == [path]


def test_a_given_secret_makes_no_file(read, tmp_path):
    assert read(SECRET_KEY="given").secret_key == "given"
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("variables", "names"),
    [
        ({}, ["DATABASE_URL", "REDIS_URL"]),
        ({"REDIS_URL": "redis://h/0"}, ["DATABASE_URL"]),
        ({"DATABASE_URL": "postgres://u@h/d"}, ["REDIS_URL"]),
        ({"DATABASE_URL": "sqlite:////d/x.db", "REDIS_URL": "redis://h/0"}, ["DATABASE_URL"]),
        ({"DATABASE_URL": "postgres://u@h/d", "REDIS_URL": "h:6379"}, ["REDIS_URL", "REDIS_URL"]),
        ({"DATABASE_URL": "mysql://u@h/d", "REDIS_URL": "redis://h/0"}, []),
    ],
)
def test_cluster_names_what_is_missing(read, variables, names):
    found = read(FLOWADMIN_MODE="cluster", **variables)

    assert len(found.problems) == len(names)
    for problem, name in zip(sorted(found.problems), sorted(names), strict=True):
        assert name in problem
    if "DATABASE_URL" in names:
        assert found.database == environment.REFUSED


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FLOWADMIN_MODE", "clutser"),
        ("PORT", "0"),
        ("PORT", "65536"),
        ("PORT", "-1"),
        ("PORT", "eighty"),
        ("PORT", "٨٠٨٠"),
        ("PORT", ""),
        ("FLOWADMIN_SQLITE_SYNCHRONOUS", "OFF"),
        ("FLOWADMIN_DELIVERY_SCAN_DELAY", "0"),
        ("FLOWADMIN_DELIVERY_SCAN_DELAY", "3600001"),
        ("FLOWADMIN_DELIVERY_SCAN_DELAY", "10s"),
        ("FLOWADMIN_HTTPS", "ture"),
        ("FLOWADMIN_DEBUG", "2"),
        ("FLOWADMIN_DEMO", "never"),
        ("FLOWADMIN_FAILPOINTS", "x"),
        ("REDIS_URL", "redis.example:6379"),
        ("REDIS_URL", "redis://h:6379/first"),
    ],
)
def test_a_wrong_value_is_one_problem_that_names_the_variable(read, name, value):
    found = read(**{name: value})

    assert len(found.problems) == 1
    assert name in found.problems[0]


@pytest.mark.parametrize(
    "url",
    [
        "nonsense",
        "oracle://h/d",
        "file:x",
        "postgres://",
        "postgres://u:hidden@h",
        "postgres://u:hidden@h:port/d",
        "mysql://u:hidden@h/",
        "sqlite://",
        "sqlite:///:memory:",
        "sqlite://:memory:",
        "sqlite:///relative.db",
        "sqlite://var/x.db",
    ],
)
def test_a_wrong_database_is_refused_without_its_password(read, url):
    found = read(DATABASE_URL=url)

    assert len(found.problems) == 1
    assert "DATABASE_URL" in found.problems[0]
    assert "hidden" not in found.problems[0]
    # Not the default file either: nothing may be written in a place that was not meant.
    assert found.database == environment.REFUSED


def test_sqlite_at_a_full_path(read):
    found = read(DATABASE_URL="sqlite:////srv/a%20b.db", FLOWADMIN_SQLITE_SYNCHRONOUS="normal")

    assert found.problems == ()
    assert found.database["NAME"] == "/srv/a b.db"
    assert found.database["OPTIONS"] == {"synchronous": "NORMAL"}


def test_postgresql_binds_on_the_server_and_prepares(read):
    found = read(DATABASE_URL="postgres://u:p%40@h:1234/d?sslmode=require")

    assert found.problems == ()
    database = found.database
    assert (database["USER"], database["PASSWORD"], database["PORT"]) == ("u", "p@", 1234)
    assert database["OPTIONS"]["sslmode"] == "require"
    assert database["OPTIONS"]["server_side_binding"] is True
    assert database["OPTIONS"]["prepare_threshold"] == 5
    assert database["CONN_MAX_AGE"] is None


def test_mariadb_is_strict_utc_and_utf8(read):
    options = read(DATABASE_URL="mysql://u:p@h/d?charset=latin1").database["OPTIONS"]

    assert options["charset"] == "utf8mb4"
    assert options["isolation_level"] == "read committed"
    assert "STRICT_ALL_TABLES" in options["init_command"]
    assert "time_zone = '+00:00'" in options["init_command"]


@pytest.mark.parametrize(
    ("redis_url", "broker_url"),
    [
        ("redis://h:6379/0", "redis://h:6379/2"),
        ("redis://h:6379/5", "redis://h:6379/7"),
        ("redis://h:6379", "redis://h:6379/2"),
        ("rediss://:p@h/", "rediss://:p@h/2"),
    ],
)
def test_the_broker_is_two_indexes_on(read, redis_url, broker_url):
    found = read(REDIS_URL=redis_url)

    assert (found.problems, found.broker_url) == ((), broker_url)


def test_a_broker_of_its_own(read):
    found = read(REDIS_URL="redis://h/0", CELERY_BROKER_URL="amqp://h//")

    assert found.broker_url == "amqp://h//"


@pytest.mark.parametrize("word", ["1", "true", "YES", " on "])
def test_switches(read, word):
    assert read(FLOWADMIN_HTTPS=word).https is True
    assert read(FLOWADMIN_DEMO="0").demo is False
