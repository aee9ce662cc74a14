"""The one clock by which due times, leases and limits are decided: the database's."""

from __future__ import annotations

from datetime import UTC, datetime

from django.db import DEFAULT_DB_ALIAS, connections

# Both give the wall clock of this moment, not the start of the transaction.
STATEMENTS = {
    "postgresql": "SELECT clock_timestamp()",
    "mysql": "SELECT UTC_TIMESTAMP(6)",
}


def now(using: str = DEFAULT_DB_ALIAS) -> datetime:
    """The database's time as an aware UTC datetime with microseconds.

    Several hosts share one PostgreSQL or MariaDB, and their clocks differ: whoever claims or
    schedules asks the server. A SQLite file belongs to one host, so that host's clock is the
    database's. An entrance (job, page, REST view, command) reads it once and passes it on as
    ``now``. Source: decision 5. Raises django.db.OperationalError when the server is away.
    """
    statement = STATEMENTS.get(connections[using].vendor)
    if statement is None:
        return datetime.now(UTC)
    with connections[using].cursor() as cursor:
        cursor.execute(statement)
        row = cursor.fetchone()
    return _utc(row[0])


def _utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)  # MariaDB's answer, which is UTC and does not say so
    return moment.astimezone(UTC)
