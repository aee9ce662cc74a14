"""Everything this installation reads from outside at start, as one typed, frozen value."""

from __future__ import annotations

import os
import re
import secrets
import tempfile
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import environ

from flowadmin.mail_server import MailServer, read_mail_server, read_public_url
from flowadmin.reachable import Proxy, Reachable, read_proxy, read_reachable

SQLITE = "flowadmin.sqlite"
# A database without a name: Django refuses to connect, so nothing is written in a wrong place.
REFUSED: dict[str, Any] = {"ENGINE": SQLITE, "NAME": ""}

# The time that anything may take to connect at start, so that what is missing is said soon.
CONNECT_TIMEOUT_SECONDS = 5
# The same wait for a lock as on SQLite (flowadmin.sqlite.base).
LOCK_WAIT_SECONDS = 10
# An hour: whoever waits longer for reminders has meant another unit.
LONGEST_SCAN_DELAY = 3_600_000

SERVER_SCHEMES = {"postgres", "postgresql", "pgsql", "psql", "mysql", "mysql2"}
POSTGRESQL_OPTIONS = {
    "application_name": "flowadmin",
    "connect_timeout": CONNECT_TIMEOUT_SECONDS,
    "options": f"-c lock_timeout={LOCK_WAIT_SECONDS}s",
    # Django leaves prepared statements off; they need parameters that are bound by the server.
    "server_side_binding": True,
    "prepare_threshold": 5,
}
MYSQL_OPTIONS = {
    "charset": "utf8mb4",
    "connect_timeout": CONNECT_TIMEOUT_SECONDS,
    "isolation_level": "read committed",
    # A value that does not fit is refused, never cut; times are UTC whatever the server's zone.
    "init_command": (
        "SET sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,"
        "ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', "
        f"time_zone = '+00:00', innodb_lock_wait_timeout = {LOCK_WAIT_SECONDS}"
    ),
}
# Keys and login names differ by case and by trailing spaces, as on SQLite and PostgreSQL.
MYSQL_TEST = {"CHARSET": "utf8mb4", "COLLATION": "utf8mb4_nopad_bin"}

PROJECT = Path(__file__).resolve().parent.parent


class Mode(StrEnum):
    """How the background work is driven: by `manage.py work`, or by Celery with Redis."""

    EMBEDDED = "embedded"
    CLUSTER = "cluster"


@dataclass(frozen=True, slots=True)
class Environment:
    """The outside contract's variables, with their defaults applied.

    ``problems`` lists what is wrong in words that name the variable; ``flowadmin.checks``
    turns each into a start-up error, so that ``manage.py check`` still runs and says them all.
    """

    mode: Mode
    data: Path
    host: str
    port: int
    database: dict[str, Any]
    redis_url: str
    broker_url: str
    secret_key: str
    allowed_hosts: tuple[str, ...]
    csrf_trusted_origins: tuple[str, ...]
    https: bool
    debug: bool
    demo: bool
    demo_password: str
    sqlite_synchronous: str
    failpoints: bool
    callback_allow: tuple[Reachable, ...]
    callback_https_only: bool
    callback_proxy: Proxy | None
    delivery_scan_delay: timedelta
    public_url: str
    mail_server: MailServer | None
    mail_from: str
    problems: tuple[str, ...]

    @property
    def wake_socket(self) -> Path:
        """Address of the local datagram socket that wakes ``manage.py work``."""
        return self.data / "work.sock"


def read() -> Environment:
    """Read the process environment once. Raises nothing: what is wrong is listed in the value."""
    env = environ.Env()
    problems: list[str] = []
    data = Path(env.str("FLOWADMIN_DATA", default="") or PROJECT / "var").absolute()
    mode = _mode(env, problems)
    synchronous = _synchronous(env, problems)
    redis_url = _redis(env, problems)
    database = _database(env, data, synchronous, problems)
    public_url = _public_url(env, problems)
    mail_server, mail_from = _mail(env, public_url, problems)
    if mode is Mode.CLUSTER:
        database = _cluster(database, redis_url, problems)
    return Environment(
        mode=mode,
        data=data,
        host=env.str("HOST", default="127.0.0.1"),
        port=_port(env, problems),
        database=database,
        redis_url=redis_url,
        broker_url=env.str("CELERY_BROKER_URL", default="")
        or _redis_index(redis_url, 2, problems),
        secret_key=env.str("SECRET_KEY", default="") or _kept_secret(data),
        allowed_hosts=tuple(
            env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
        ),
        csrf_trusted_origins=tuple(env.list("CSRF_TRUSTED_ORIGINS", default=[])),
        https=_flag("FLOWADMIN_HTTPS", default=False, problems=problems),
        debug=_flag("FLOWADMIN_DEBUG", default=False, problems=problems),
        demo=_flag("FLOWADMIN_DEMO", default=True, problems=problems),
        demo_password=env.str("FLOWADMIN_DEMO_PASSWORD", default=""),
        sqlite_synchronous=synchronous,
        failpoints=_flag("FLOWADMIN_FAILPOINTS", default=False, problems=problems),
        callback_allow=_callback_allow(env, problems),
        callback_https_only=_flag(
            "FLOWADMIN_CALLBACK_HTTPS_ONLY", default=False, problems=problems
        ),
        callback_proxy=_callback_proxy(env, problems),
        delivery_scan_delay=_scan_delay(env, problems),
        public_url=public_url,
        mail_server=mail_server,
        mail_from=mail_from,
        problems=tuple(problems),
    )


def _flag(name: str, *, default: bool, problems: list[str]) -> bool:
    """A switch. An unknown word is a problem and not "off": FLOWADMIN_HTTPS=ture must be seen."""
    text = os.environ.get(name, "").strip().lower()
    if text in {"1", "true", "yes", "on"}:
        return True
    if text in {"0", "false", "no", "off"}:
        return False
    if text:
        problems.append(f"{name} must be 1 or 0, not {text!r}.")
    return default


def _mode(env: environ.Env, problems: list[str]) -> Mode:
    name = env.str("FLOWADMIN_MODE", default=Mode.EMBEDDED)
    try:
        return Mode(name)
    except ValueError:
        problems.append(f"FLOWADMIN_MODE must be embedded or cluster, not {name!r}.")
        return Mode.EMBEDDED


def _port(env: environ.Env, problems: list[str]) -> int:
    text = env.str("PORT", default="8000")
    if text.isascii() and text.isdecimal() and 0 < int(text) < 65536:
        return int(text)
    problems.append(f"PORT must be a number from 1 to 65535, not {text!r}.")
    return 8000


def _synchronous(env: environ.Env, problems: list[str]) -> str:
    level = str(env.str("FLOWADMIN_SQLITE_SYNCHRONOUS", default="FULL")).upper()
    if level in {"FULL", "NORMAL"}:
        return level
    problems.append(f"FLOWADMIN_SQLITE_SYNCHRONOUS must be FULL or NORMAL, not {level!r}.")
    return "FULL"


def _database(
    env: environ.Env, data: Path, synchronous: str, problems: list[str]
) -> dict[str, Any]:
    """Map DATABASE_URL onto Django's settings of one alias.

    A wrong address gives REFUSED: nothing may be written into another database than was meant.
    """
    url = env.str("DATABASE_URL", default="")
    if not url:
        return _sqlite(str(data / "flowadmin.sqlite3"), synchronous)
    scheme = url.partition("://")[0]
    reason = "it must name SQLite, PostgreSQL or MySQL/MariaDB"
    try:
        if scheme == "sqlite":
            return _sqlite_address(url, synchronous)
        if scheme in SERVER_SCHEMES:
            return _server_address(env.db_url_config(url))
    except _WrongAddress as wrong:
        reason = str(wrong)
    except ValueError:
        reason = "it cannot be read"
    # The address itself is not repeated: it may hold a password.
    problems.append(f"DATABASE_URL is not an address of a database: {reason}.")
    return dict(REFUSED)


class _WrongAddress(ValueError):
    """Says in words, without the address, what is wrong with DATABASE_URL."""


def _sqlite(name: str, synchronous: str) -> dict[str, Any]:
    return {
        "ENGINE": SQLITE,
        "NAME": name,
        "OPTIONS": {"synchronous": synchronous},
        "CONN_MAX_AGE": None,
        # A file as in production; the process id keeps test runs on one machine apart.
        "TEST": {"NAME": f"{tempfile.gettempdir()}/flowadmin-test-{os.getpid()}.sqlite3"},
    }


def _sqlite_address(url: str, synchronous: str) -> dict[str, Any]:
    parts = urlsplit(url)
    name = unquote(parts.path.removeprefix("/"))
    if ":memory:" in url or not name:
        raise _WrongAddress("it names a database in memory, which several processes cannot share")
    if parts.netloc or not Path(name).is_absolute():
        # A relative path would name another file for each folder a process is started in.
        raise _WrongAddress(
            "it must give SQLite's file with its full path, as in sqlite:////srv/x.db"
        )
    return _sqlite(name, synchronous)


def _server_address(found: dict[str, Any]) -> dict[str, Any]:
    if not found["NAME"]:
        raise _WrongAddress("it has no name of a database after the host")
    given = found.get("OPTIONS", {})
    kept = {"CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": True}
    if found["ENGINE"].endswith("mysql"):
        return {**found, **kept, "OPTIONS": {**given, **MYSQL_OPTIONS}, "TEST": MYSQL_TEST}
    return {**found, **kept, "OPTIONS": {**POSTGRESQL_OPTIONS, **given}}


def _cluster(database: dict[str, Any], redis_url: str, problems: list[str]) -> dict[str, Any]:
    """Cluster mode names its services or does not start (contract, Set-up)."""
    if not redis_url:
        problems.append("FLOWADMIN_MODE=cluster needs REDIS_URL.")
    if not os.environ.get("DATABASE_URL"):
        problems.append("FLOWADMIN_MODE=cluster needs DATABASE_URL (PostgreSQL or MySQL).")
    elif database["ENGINE"] == SQLITE and database != REFUSED:
        problems.append(
            "FLOWADMIN_MODE=cluster needs a PostgreSQL or MySQL DATABASE_URL; "
            "one SQLite file serves one machine."
        )
    return dict(REFUSED) if database["ENGINE"] == SQLITE else database


def _redis(env: environ.Env, problems: list[str]) -> str:
    url = env.str("REDIS_URL", default="")
    if not url or url.startswith(("redis://", "rediss://")):
        return str(url)
    problems.append("REDIS_URL must begin with redis:// or rediss://.")
    return ""


def _redis_index(redis_url: str, offset: int, problems: list[str]) -> str:
    """The same Redis server, `offset` databases further: the cache is n, the broker n + 2."""
    if not redis_url:
        return ""
    base, _, index = redis_url.rstrip("/").rpartition("/")
    if base in {"redis:/", "rediss:/"}:
        return f"{base}/{index}/{offset}"
    if not index.isdecimal():
        problems.append("REDIS_URL must end in the index of a database, such as /0.")
        return ""
    return f"{base}/{int(index) + offset}"


def _callback_allow(env: environ.Env, problems: list[str]) -> tuple[Reachable, ...]:
    """Each entry that can be read; one that cannot opens nothing and is a problem."""
    entries = []
    for text in env.list("FLOWADMIN_CALLBACK_ALLOW", default=[]):
        if not text.strip():
            continue
        try:
            entries.append(read_reachable(text.strip()))
        except ValueError as wrong:
            problems.append(
                "FLOWADMIN_CALLBACK_ALLOW must list hosts, host:port or networks; "
                f"{text.strip()!r} is none ({wrong})."
            )
    return tuple(entries)


def _callback_proxy(env: environ.Env, problems: list[str]) -> Proxy | None:
    text = env.str("FLOWADMIN_CALLBACK_PROXY", default="")
    if not text:
        return None
    try:
        return read_proxy(text)
    except ValueError as wrong:
        # The address is not repeated: it may hold a password.
        problems.append(
            f"FLOWADMIN_CALLBACK_PROXY must be as in http://user:password@proxy:3128; {wrong}."
        )
        # Not "no proxy": requests would leave by a way that the operator did not want.
        return Proxy(host="proxy.invalid", port=1)


def _scan_delay(env: environ.Env, problems: list[str]) -> timedelta:
    """Milliseconds between the end of a round of reminders or callbacks and the next (P34)."""
    text = env.str("FLOWADMIN_DELIVERY_SCAN_DELAY", default="10000")
    digits = text if text.isascii() and text.isdecimal() and len(text) < 8 else "0"
    if 1 <= int(digits) <= LONGEST_SCAN_DELAY:
        return timedelta(milliseconds=int(digits))
    problems.append(
        "FLOWADMIN_DELIVERY_SCAN_DELAY must be a whole number of milliseconds from 1 to "
        f"{LONGEST_SCAN_DELAY}, not {text!r}."
    )
    return timedelta(seconds=10)


def _public_url(env: environ.Env, problems: list[str]) -> str:
    """Where people open this installation: messages to the outside lead there."""
    text = env.str("FLOWADMIN_PUBLIC_URL", default="")
    if not text:
        return ""
    try:
        return read_public_url(text)
    except ValueError as wrong:
        problems.append(f"FLOWADMIN_PUBLIC_URL must be as in https://flow.example.com; {wrong}.")
        return ""


def _mail(env: environ.Env, public_url: str, problems: list[str]) -> tuple[MailServer | None, str]:
    """The server that takes e-mail, and whom it is from; without FLOWADMIN_EMAIL_URL none goes."""
    text, sender = env.str("FLOWADMIN_EMAIL_URL", default=""), env.str("FLOWADMIN_EMAIL_FROM", "")
    if not text:
        return None, ""
    if not re.fullmatch(r"[^@\s<>\"]+@[^@\s<>\"]+", sender):
        problems.append("FLOWADMIN_EMAIL_URL needs FLOWADMIN_EMAIL_FROM, an e-mail address.")
    if not public_url:
        problems.append("FLOWADMIN_EMAIL_URL needs FLOWADMIN_PUBLIC_URL, to which e-mail leads.")
    try:
        return read_mail_server(text), sender
    except ValueError as wrong:
        # The address is not repeated: it may hold a password.
        problems.append(
            f"FLOWADMIN_EMAIL_URL must be as in smtp+tls://user:password@mail:587; {wrong}."
        )
        return None, ""


def _kept_secret(data: Path) -> str:
    """The generated secret of an installation that sets no SECRET_KEY, made once and kept."""
    path = data / "secret_key"
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        pass
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = secrets.token_urlsafe(50)
    fresh = path.with_suffix(f".{os.getpid()}")
    fresh.touch(mode=0o600)
    fresh.write_text(made, encoding="ascii")
    try:
        # Two processes may start at once: the first link wins, the other reads it.
        os.link(fresh, path)
    except FileExistsError:
        pass
    finally:
        fresh.unlink()
    return path.read_text(encoding="ascii").strip()
