"""The SQL of the hot paths, written by hand once and run on the driver's own connection.

Django's compiler costs more than the database itself on these few statements (performance.md,
section 4), so they are fixed text: table names come from the models at import, one spelling per
database, and `tests/workflow/test_statements.py` holds every column against the models.
Everything else in the product uses the ORM.

When queries are being logged or wrapped (`force_debug_cursor`, `execute_wrappers`, DEBUG), the
same text goes through Django's cursor instead: that is the debug switch.
"""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections

from flowadmin.directory.models import Tenant, User
from flowadmin.rest.models import StoredRequest
from workflow.models import Definition, Event, Instance, Job, NumberSeries, Step, Task

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from django.db.models import Model

Row = tuple[Any, ...]

_TABLES = {
    model.__name__.lower(): model._meta.db_table  # noqa: SLF001 - documented as public API
    for model in (
        Definition,
        Event,
        Instance,
        Job,
        NumberSeries,
        Step,
        Task,
        StoredRequest,
        User,
        Tenant,
    )
}

EVENT_COLUMNS = ("id", "tenant_id", "instance_id", "position", "kind", "at", "actor_id", "payload")
STEP_COLUMNS = (
    "id", "tenant_id", "instance_id", "number", "step", "kind", "round", "state",
    "entered_at", "ended_at",
)  # fmt: skip
TASK_COLUMNS = (
    "id", "tenant_id", "instance_id", "number", "activation", "step", "step_name", "kind",
    "holder_id", "state", "version", "created_at", "due_at", "snoozed_until", "decided_at",
    "decided_by_id", "reason", "closed_by",
)  # fmt: skip
JOB_COLUMNS = (
    "id", "tenant_id", "instance_id", "number", "activation", "seat", "kind", "state", "due_at",
    "lease_owner", "token", "attempts", "details", "created_at",
)  # fmt: skip
INSTANCE_COLUMNS = (
    "tenant_id", "definition_id", "version_id", "number", "title", "initiator_id", "state",
    "position", "snapshot", "started_at", "ended_at",
)  # fmt: skip
REQUEST_COLUMNS = (
    "tenant_id", "user_id", "route", "key", "body_hash", "status", "body", "created_at",
)  # fmt: skip
STEP_CHANGES = ("state", "ended_at")
TASK_CHANGES = (
    "holder_id",
    "state",
    "version",
    "due_at",
    "snoozed_until",
    "decided_at",
    "decided_by_id",
    "reason",
    "closed_by",
)


class Cursor(Protocol):
    """What all three drivers' cursors offer."""

    rowcount: int
    lastrowid: Any

    def fetchone(self) -> Row | None: ...
    def fetchall(self) -> list[Row]: ...


# What `connection.queries_logged` asks the settings for each time.
_LOGGED = settings.DEBUG


def run(sql: str, params: Sequence[object] = ()) -> Cursor:
    """Run one statement, written with ``%s``, inside the caller's transaction.

    Raises django.db's exceptions, whichever way it went.
    """
    # Looked up once: the proxy `django.db.connection` costs more than a short statement. It must
    # be Django's own look-up, or a statement could run beside the transaction instead of in it.
    database = connections[DEFAULT_DB_ALIAS]
    if database.connection is None:
        database.ensure_connection()
    if database.force_debug_cursor or database.execute_wrappers or _LOGGED:
        wrapped: Any = database.cursor()
        wrapped.execute(sql, params)
        return _as_cursor(wrapped)
    with database.wrap_database_errors:
        if database.vendor == "sqlite":
            cursor: Cursor = database.connection.execute(_question_marks(sql), params)
            return cursor
        driver: Any = database.connection.cursor()
        driver.execute(sql, params)
        return _as_cursor(driver)


def _as_cursor(cursor: Any) -> Cursor:
    """The drivers' cursors, and Django's wrapper around them, share no type but this one."""
    found: Cursor = cursor
    return found


@cache
def vendor() -> str:
    """Which database this process speaks to; it never changes while the process lives."""
    return connections[DEFAULT_DB_ALIAS].vendor


@cache
def _question_marks(sql: str) -> str:
    return sql.replace("%s", "?")


@lru_cache(maxsize=64)
def moment(at: datetime | None) -> object:
    """A point in time as this database's driver stores it: what Django itself would send.

    One command writes one moment into many rows, therefore the cache.
    """
    if at is None or vendor() == "postgresql":
        return at
    naive = at.astimezone(UTC).replace(tzinfo=None)
    return str(naive) if vendor() == "sqlite" else naive


def read_moment(stored: object) -> datetime | None:
    """The aware time of a column read through `run`."""
    if stored is None:
        return None
    found = stored if isinstance(stored, datetime) else datetime.fromisoformat(str(stored))
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def known_moment(stored: object) -> datetime:
    """The aware time of a column that is never null. Raises ValueError when it is."""
    found = read_moment(stored)
    if found is None:
        message = "A time that is always stored is missing."
        raise ValueError(message)
    return found


def columns_of(model: type[Model]) -> set[str]:
    """The concrete columns of a model; the test holds the lists above against them."""
    return {str(field.column) for field in model._meta.concrete_fields}  # noqa: SLF001 - as above


# Reading ------------------------------------------------------------------------------------


def begin_start(tenant_id: int, key: str, user_id: int) -> Row | None:
    """Take the next number of a process and read what a start needs, in one statement.

    (definition id, state, current version id, number, initiator's name, the tenant's time zone),
    or nothing when there is no such process. A refused start is rolled back, and with it the
    number.
    """
    table, user, tenant = _TABLES["definition"], _TABLES["user"], _TABLES["tenant"]
    where = f"WHERE tenant_id = %s AND {quoted('key')} = %s"
    name = (
        f"(SELECT name FROM {user} WHERE id = %s AND is_active),"  # noqa: S608 - tables only
        f" (SELECT time_zone FROM {tenant} WHERE id = %s)"
    )
    if vendor() == "mysql":
        run(f"UPDATE {table} SET last_number = last_number + 1 {where}", (tenant_id, key))  # noqa: S608
        return run(
            f"SELECT id, state, current_id, last_number, {name} FROM {table} {where}",  # noqa: S608
            (user_id, tenant_id, tenant_id, key),
        ).fetchone()
    rows = run(
        f"UPDATE {table} SET last_number = last_number + 1 {where}"  # noqa: S608
        f" RETURNING id, state, current_id, last_number, {name}",
        (tenant_id, key, user_id, tenant_id),
    ).fetchall()
    return rows[0] if rows else None


def load_instance(tenant_id: int, instance_id: int, task_id: int) -> Row | None:
    """Lock one request and read it, with one of its tasks when ``task_id`` is not 0.

    (version id, position, snapshot text, number, title, started_at, task created_at, task due_at).
    On SQLite the IMMEDIATE transaction is the lock; the position guards the write everywhere.
    """
    return run(_load_instance_sql(), (task_id, instance_id, tenant_id)).fetchone()


@cache
def _load_instance_sql() -> str:
    snapshot = "i.snapshot::text" if vendor() == "postgresql" else "i.snapshot"
    lock = {"postgresql": " FOR UPDATE OF i", "mysql": " FOR UPDATE"}.get(vendor(), "")
    return (
        f"SELECT i.version_id, i.position, {snapshot}, i.number, i.title, i.started_at,"  # noqa: S608
        f" t.created_at, t.due_at FROM {_TABLES['instance']} i"
        f" LEFT JOIN {_TABLES['task']} t ON t.id = %s AND t.instance_id = i.id"
        f" WHERE i.id = %s AND i.tenant_id = %s{lock}"
    )


def inbox_page(user_id: int, limit: int, offset: int, now: datetime | None = None) -> list[Row]:
    """One page of a person's open tasks, newest first; the columns are those of TaskLine.

    What is snoozed beyond ``now`` (nothing: the database's clock) is left out.
    """
    given = () if now is None else (moment(now),)
    return run(_inbox_sql(is_given=bool(given)), (user_id, *given, limit, offset)).fetchall()


def inbox_count(user_id: int, now: datetime | None = None) -> int:
    """How many open tasks a person has that are not snoozed: the rows over all pages."""
    given = () if now is None else (moment(now),)
    return _open_count(_awake(is_given=bool(given)), user_id, *given)


def overdue_count(user_id: int) -> int:
    """How many open tasks of a person were due before this moment, snoozed or not."""
    return _open_count(f"t.due_at < {_NOW[vendor()]}", user_id)


def _open_count(which: str, *params: object) -> int:
    where = f"WHERE t.holder_id = %s AND t.state = 'open' AND {which}"
    row = run(f"SELECT COUNT(*) FROM {_TABLES['task']} t {where}", params).fetchone()  # noqa: S608
    return int(row[0]) if row else 0


# The database's clock within a statement: lists that only show need no look at it before.
_NOW = {
    "sqlite": "datetime('now')", "postgresql": "clock_timestamp()", "mysql": "UTC_TIMESTAMP(6)",
}  # fmt: skip


def _awake(*, is_given: bool) -> str:
    until = "%s" if is_given else _NOW[vendor()]
    return f"(t.snoozed_until IS NULL OR t.snoozed_until <= {until})"


@cache
def _inbox_sql(*, is_given: bool) -> str:
    # The page of ids comes from the partial index alone; only then are the few rows joined.
    return (
        "SELECT t.id, t.version, t.state, t.step, t.step_name, t.created_at, t.due_at,"  # noqa: S608
        f" t.decided_at, t.instance_id, i.number, i.title, i.state, d.{quoted('key')}, d.name,"
        f" u.name, i.version_id FROM {_TABLES['task']} t"
        f" JOIN {_TABLES['instance']} i ON i.id = t.instance_id"
        f" JOIN {_TABLES['definition']} d ON d.id = i.definition_id"
        f" JOIN {_TABLES['user']} u ON u.id = i.initiator_id"
        f" WHERE t.holder_id = %s AND t.state = 'open' AND {_awake(is_given=is_given)}"
        " ORDER BY t.id DESC LIMIT %s OFFSET %s"
    )


# Writing ------------------------------------------------------------------------------------


def next_number(definition_id: int, period: str) -> int:
    """Take the next number of a series that begins anew each year, month or day.

    The row stays locked until the transaction ends.
    """
    table = _TABLES["numberseries"]
    if vendor() == "mysql":
        cursor = run(
            f"INSERT INTO {table} (definition_id, period, last) VALUES (%s, %s, 1)"  # noqa: S608
            " ON DUPLICATE KEY UPDATE last = LAST_INSERT_ID(last + 1)",
            (definition_id, period),
        )
        # One row touched is a fresh series; an update counts as two.
        return 1 if cursor.rowcount == 1 else int(cursor.lastrowid)
    rows = run(
        f"INSERT INTO {table} (definition_id, period, last) VALUES (%s, %s, 1)"  # noqa: S608
        f" ON CONFLICT (definition_id, period) DO UPDATE SET last = {table}.last + 1"
        " RETURNING last",
        (definition_id, period),
    ).fetchall()
    return int(rows[0][0])


def insert_instance(values: Sequence[object]) -> int:
    """Insert a request, columns as in INSTANCE_COLUMNS; its new id."""
    sql = _insert_sql("instance", INSTANCE_COLUMNS, 1)
    if vendor() == "postgresql":
        return int(run(f"{sql} RETURNING id", values).fetchall()[0][0])
    return int(run(sql, values).lastrowid)


def update_instance(
    instance_id: int, before: int, *, state: str, position: int, snapshot: str, ended_at: object
) -> bool:
    """Move a request on, if nobody else did since ``before``; whether it was done."""
    cursor = run(
        f"UPDATE {_TABLES['instance']} SET state = %s, position = %s, snapshot = %s,"  # noqa: S608
        " ended_at = %s WHERE id = %s AND position = %s",
        (state, position, snapshot, ended_at, instance_id, before),
    )
    return cursor.rowcount == 1


def insert_events(rows: Sequence[Row]) -> None:
    """Append to a history, columns as in EVENT_COLUMNS."""
    _insert("event", EVENT_COLUMNS, rows)


def write_steps(rows: Sequence[Row]) -> None:
    """Insert steps, or change their state when they are there (STEP_CHANGES)."""
    _upsert("step", STEP_COLUMNS, STEP_CHANGES, rows)


def write_tasks(rows: Sequence[Row]) -> None:
    """Insert tasks, or change what may change in a task that is there (TASK_CHANGES)."""
    _upsert("task", TASK_COLUMNS, TASK_CHANGES, rows)


def insert_jobs(rows: Sequence[Row]) -> None:
    """Insert automatic steps to carry out, columns as in JOB_COLUMNS."""
    _insert("job", JOB_COLUMNS, rows)


def cancel_jobs(ids: Iterable[int]) -> None:
    """Cancel automatic steps that nobody has to carry out any more."""
    for job_id in ids:
        run(
            f"UPDATE {_TABLES['job']} SET state = 'cancelled'"  # noqa: S608
            " WHERE id = %s AND state IN ('pending', 'leased', 'put_off')",
            (job_id,),
        )


def put_off_jobs(ids: Iterable[int]) -> None:
    """Mark work that fell due during a pause. The worker's fence has just called it done."""
    for job_id in ids:
        run(
            f"UPDATE {_TABLES['job']} SET state = 'put_off', lease_until = NULL"  # noqa: S608
            " WHERE id = %s",
            (job_id,),
        )


def insert_request(values: Sequence[object]) -> None:
    """Store the first answer to an idempotency key, columns as in REQUEST_COLUMNS.

    Raises IntegrityError when the key was used before: then this transaction must be undone.
    """
    run(_insert_sql("storedrequest", REQUEST_COLUMNS, 1), values)


def _insert(table: str, columns: tuple[str, ...], rows: Sequence[Row]) -> None:
    if rows:
        run(_insert_sql(table, columns, len(rows)), [value for row in rows for value in row])


def _upsert(
    table: str, columns: tuple[str, ...], changes: tuple[str, ...], rows: Sequence[Row]
) -> None:
    if rows:
        sql = _upsert_sql(table, columns, changes, len(rows))
        run(sql, [value for row in rows for value in row])


@cache
def _insert_sql(table: str, columns: tuple[str, ...], rows: int) -> str:
    one = f"({', '.join(['%s'] * len(columns))})"
    names = ", ".join(quoted(column) for column in columns)
    return f"INSERT INTO {_TABLES[table]} ({names}) VALUES {', '.join([one] * rows)}"  # noqa: S608


@cache
def _upsert_sql(table: str, columns: tuple[str, ...], changes: tuple[str, ...], rows: int) -> str:
    insert = _insert_sql(table, columns, rows)
    if vendor() == "mysql":
        changed = ", ".join(f"{name} = VALUES({name})" for name in changes)
        return f"{insert} ON DUPLICATE KEY UPDATE {changed}"
    changed = ", ".join(f"{name} = excluded.{name}" for name in changes)
    return f"{insert} ON CONFLICT (id) DO UPDATE SET {changed}"


def quoted(column: str) -> str:
    """A column's name as this database wants it written (``key`` is a word of MySQL's)."""
    return connections[DEFAULT_DB_ALIAS].ops.quote_name(column)
