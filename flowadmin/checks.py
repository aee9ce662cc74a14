"""Refuse to start in a state that would lose work; each message names its cause and its cure.

Two moments. ``manage.py check`` (and every command) judges what the settings say, and with
``--database default`` (``migrate`` does so by itself) what the live database says. Whoever starts
to serve or to work (``wsgi``, ``manage.py work``) calls ``refuse_unsafe_start``. It judges both,
and that the services of the cluster answer and that no second machine has the SQLite file.
"""

from __future__ import annotations

import socket
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import redis
from django.apps import apps
from django.conf import settings
from django.core import checks
from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections, router
from django.utils.module_loading import import_string
from redis.backoff import NoBackoff
from redis.retry import Retry

from flowadmin.environment import CONNECT_TIMEOUT_SECONDS, SQLITE, Environment, Mode
from flowadmin.sqlite import host, inspection

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from django.db.backends.base.base import BaseDatabaseWrapper

OLDEST_SQLITE = (3, 37, 0)
ENGINES = {SQLITE, "django.db.backends.postgresql", "django.db.backends.mysql"}
SERVERS = {"postgresql": "PostgreSQL", "mysql": "MySQL/MariaDB"}
ONE_DATABASE = ("directory", "workflow", "notifications")


class UnsafeStart(ImproperlyConfigured):
    """Starting now could lose work or write it in the wrong place."""

    code = "start.unsafe"

    def __init__(self, reasons: Sequence[str]) -> None:
        self.reasons = tuple(reasons)
        super().__init__("FlowAdmin does not start:\n" + "\n".join(f"- {r}" for r in reasons))


def register() -> None:
    """Give Django the checks; called once, when the application registry is ready."""
    checks.register(check_environment)
    checks.register(check_sqlite_library)
    checks.register(check_settings)
    checks.register(check_one_database)
    checks.register(check_subscribed)
    checks.register(check_failpoints)
    checks.register(check_no_failpoints_deployed, deploy=True)
    checks.register(check_live_database, checks.Tags.database)


def refuse_unsafe_start() -> None:
    """Raise UnsafeStart with every reason why this process must not serve or work.

    Source: contract, Set-up (anything missing is a start-up error that names the variable);
    decision 7; seed 004 S8. Answers within about CONNECT_TIMEOUT_SECONDS for each service.
    """
    # First the reasons that the other checks would stumble over, since they connect themselves.
    databases = [DEFAULT_DB_ALIAS]
    found = check_environment() or check_live_database(databases=databases)
    if not any(message.is_serious() for message in found):
        found = checks.run_checks(databases=databases)
    reasons = [_in_words(message) for message in found if message.is_serious()]
    if not reasons:
        reasons = list(_unreachable(_environment()))
    if not reasons:
        reasons = list(_second_host())
    if reasons:
        raise UnsafeStart(reasons)


def hold_sqlite_file() -> None:
    """Say again that this machine uses the SQLite file; ``work`` calls it each half minute.

    Does nothing on another database. Raises host.SecondHost when another machine has come.
    """
    file = _sqlite_file()
    if file is not None:
        host.hold(file)


def release_sqlite_file() -> None:
    """Let another machine take the SQLite file over at once; for a clean stop of ``work``."""
    file = _sqlite_file()
    if file is not None:
        host.release(file)


def check_environment(**_: Any) -> list[checks.CheckMessage]:
    """One error for each variable that is wrong."""
    return [checks.Error(problem, id="flowadmin.E001") for problem in _environment().problems]


def check_sqlite_library(**_: Any) -> list[checks.CheckMessage]:
    """STRICT tables need SQLite 3.37.0 (seed 004 S5)."""
    if sqlite3.sqlite_version_info >= OLDEST_SQLITE or not _uses(SQLITE):
        return []
    return [
        checks.Error(
            f"Python's SQLite library is {sqlite3.sqlite_version}; FlowAdmin needs 3.37.0 or "
            "newer for STRICT tables.",
            hint="Use a Python with a newer SQLite, or set DATABASE_URL to PostgreSQL or MariaDB.",
            id="flowadmin.E002",
        )
    ]


def check_settings(**_: Any) -> list[checks.CheckMessage]:
    """What a changed settings file could take away without a word."""
    found: list[checks.CheckMessage] = []
    for alias, database in settings.DATABASES.items():
        if database["ENGINE"] not in ENGINES:
            found.append(
                checks.Error(
                    f"DATABASES[{alias!r}] uses the backend {database['ENGINE']}, under which a "
                    "decision could be lost or made twice.",
                    hint=f"Use one of: {', '.join(sorted(ENGINES))}.",
                    id="flowadmin.E003",
                )
            )
        if database.get("ATOMIC_REQUESTS"):
            found.append(
                checks.Error(
                    f"DATABASES[{alias!r}] has ATOMIC_REQUESTS: each page would lock the file.",
                    hint="Remove it; actions open their own transactions.",
                    id="flowadmin.E004",
                )
            )
    if not settings.USE_TZ:
        found.append(checks.Error("USE_TZ must be on: times are UTC.", id="flowadmin.E005"))
    return found


def check_one_database(**_: Any) -> list[checks.CheckMessage]:
    """A decision, its notices and its callbacks share one transaction (seed 001 P13)."""
    aliases = {
        (router.db_for_write(model), f"{label}.{model.__name__}")
        for label in ONE_DATABASE
        if label in apps.app_configs
        for model in apps.get_app_config(label).get_models()
    }
    return [
        checks.Error(
            f"{label} is routed to the database {alias!r}; decisions, notices and callbacks must "
            f"share the transaction of {DEFAULT_DB_ALIAS!r}.",
            hint="Remove the database router for it.",
            id="flowadmin.E006",
        )
        for alias, label in sorted(aliases)
        if alias != DEFAULT_DB_ALIAS
    ]


def check_subscribed(**_: Any) -> list[checks.CheckMessage]:
    """Without its subscriber a decision would be kept, and its notices would never be (P29)."""
    told = import_string("workflow.runtime.subscribers.subscribed")()
    if import_string("notifications.subscriptions.follow") in told:
        return []
    return [
        checks.Error(
            "Nobody writes the notices of decisions: notifications does not follow them.",
            hint="Keep NotificationsConfig.ready as it is.",
            id="flowadmin.E015",
        )
    ]


def check_failpoints(**_: Any) -> list[checks.CheckMessage]:
    """Failpoints kill processes on purpose: never outside DEBUG."""
    if _environment().failpoints and not settings.DEBUG:
        return [
            checks.Error(
                "FLOWADMIN_FAILPOINTS, which breaks processes on purpose, is on without "
                "FLOWADMIN_DEBUG.",
                hint="Unset FLOWADMIN_FAILPOINTS.",
                id="flowadmin.E007",
            )
        ]
    return []


def check_no_failpoints_deployed(**_: Any) -> list[checks.CheckMessage]:
    """With ``check --deploy`` the variable is an error whatever DEBUG says."""
    if _environment().failpoints:
        return [checks.Error("FLOWADMIN_FAILPOINTS is set in a deployment.", id="flowadmin.E008")]
    return []


def check_live_database(
    *, databases: Sequence[str] | None = None, **_: Any
) -> list[checks.CheckMessage]:
    """What the databases themselves say; only with ``--database`` and at start."""
    found: list[checks.CheckMessage] = []
    for alias in databases or ():
        if not settings.DATABASES[alias]["NAME"]:
            continue  # check_environment has said why
        connection = connections[alias]
        try:
            connection.ensure_connection()
            found.extend(_facts(connection))
        except (DatabaseError, ImproperlyConfigured) as error:
            found.append(
                checks.Error(
                    f"DATABASE_URL: {_place(connection)} cannot be used "
                    f"({type(error.__cause__ or error).__name__}).",
                    hint="Is the server running, and may this user sign in to this database?",
                    id="flowadmin.E010",
                )
            )
    return found


def _facts(connection: BaseDatabaseWrapper) -> Iterator[checks.CheckMessage]:
    if connection.vendor == "sqlite":
        for problem in inspection.problems(connection, _own_tables(connection)):
            yield checks.Error(problem, id="flowadmin.E011")
    elif connection.vendor == "mysql":
        collation = str(_value(connection, "SELECT @@collation_database"))
        if not collation.startswith("utf8mb4") or not collation.endswith(("_bin", "_cs")):
            yield checks.Error(
                f"DATABASE_URL: the database's collation is {collation}; keys and login names "
                "that differ by case would count as one.",
                hint="Before the first migrate: ALTER DATABASE … CHARACTER SET utf8mb4 "
                "COLLATE utf8mb4_nopad_bin (MySQL: utf8mb4_0900_bin).",
                id="flowadmin.E012",
            )
    elif connection.vendor == "postgresql":
        yield from _postgresql_facts(connection)


def _postgresql_facts(connection: BaseDatabaseWrapper) -> Iterator[checks.CheckMessage]:
    if _value(connection, "SHOW server_encoding") != "UTF8":
        yield checks.Error(
            "DATABASE_URL: the database's encoding is not UTF8; some names could not be stored.",
            hint="Create it with ENCODING 'UTF8'.",
            id="flowadmin.E013",
        )
    if _value(connection, "SHOW synchronous_commit") == "off":
        yield checks.Warning(
            "DATABASE_URL: synchronous_commit is off; decisions that people were told of may be "
            "lost when the server crashes.",
            hint="Set synchronous_commit to on for this database.",
            id="flowadmin.W014",
        )


def _own_tables(connection: BaseDatabaseWrapper) -> set[str]:
    return {*connection.introspection.django_table_names(), "django_migrations"}


def _value(connection: BaseDatabaseWrapper, statement: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]


def _place(connection: BaseDatabaseWrapper) -> str:
    """The database in words, without user and password."""
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"the SQLite file {database['NAME']} (FLOWADMIN_DATA)"
    port = f":{database['PORT']}" if database["PORT"] else ""
    return f"{SERVERS[connection.vendor]} at {database['HOST'] or 'localhost'}{port}"


def _unreachable(environment: Environment) -> Iterator[str]:
    """The services of the cluster that do not answer, by variable."""
    if environment.mode is not Mode.CLUSTER:
        return
    if not _redis_answers(environment.redis_url):
        yield f"REDIS_URL: Redis at {_address(environment.redis_url)} does not answer."
    broker = environment.broker_url
    if broker.startswith(("redis://", "rediss://")):
        if not _redis_answers(broker):
            yield f"CELERY_BROKER_URL: Redis at {_address(broker)} does not answer."
    elif not _listens(broker):
        yield f"CELERY_BROKER_URL: nothing listens at {_address(broker)}."


def _redis_answers(url: str) -> bool:
    try:
        with redis.Redis.from_url(
            url,
            socket_connect_timeout=CONNECT_TIMEOUT_SECONDS,
            socket_timeout=CONNECT_TIMEOUT_SECONDS,
            retry=Retry(NoBackoff(), 0),
        ) as client:
            return bool(client.ping())
    except (redis.RedisError, OSError, ValueError):
        return False


def _listens(url: str) -> bool:
    try:
        parts = urlsplit(url)
        address = (parts.hostname or "localhost", parts.port or 5672)
        with socket.create_connection(address, timeout=CONNECT_TIMEOUT_SECONDS):
            return True
    except (OSError, ValueError):
        return False


def _address(url: str) -> str:
    """Host and port of an address, without the password that may stand before them."""
    return url.partition("://")[2].rpartition("@")[2].partition("/")[0] or "its address"


def _second_host() -> Iterator[str]:
    try:
        hold_sqlite_file()
    except host.SecondHost as second:
        yield str(second)


def _sqlite_file() -> Path | None:
    return Path(settings.DATABASES[DEFAULT_DB_ALIAS]["NAME"]) if _uses(SQLITE) else None


def _uses(engine: str) -> bool:
    return bool(settings.DATABASES[DEFAULT_DB_ALIAS]["ENGINE"] == engine)


def _environment() -> Environment:
    environment: Environment = settings.ENVIRONMENT
    return environment


def _in_words(message: checks.CheckMessage) -> str:
    return f"{message.msg} {message.hint}" if message.hint else str(message.msg)
