"""The SQL of one attempt to deliver, written by hand like that of a decision.

An attempt is four short statements; Django's compiler would cost them more than the receiver's
answer takes. Everything else that touches callbacks uses the ORM.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from notifications.models import Callback
from workflow import statements

if TYPE_CHECKING:
    from collections.abc import Mapping

Status = Callback.Status

_TABLE = Callback._meta.db_table  # noqa: SLF001 - documented as public API
# What an attempt needs to know of its row; `history` comes last, since it is read as text.
_READ = (
    "event_id", "target_id", "target_url", "host", "profile", "payload", "attempts",
    "max_attempts", "token",
)  # fmt: skip
_CLAIMABLE = (
    f"(status = '{Status.PENDING.value}' AND next_attempt_at <= %s"
    f" OR status = '{Status.LEASED.value}' AND (lease_until <= %s OR lease_until IS NULL))"
)


@dataclass(frozen=True, slots=True)
class Held:
    """Where a locked row stands: whose attempt it has in hand, and what was noted so far."""

    token: int
    status: str
    history: list[dict[str, Any]]


def lock_claimable(pk: int, now: datetime) -> Callback | None:
    """Lock a row that may be attempted (`callbacks.claimable`) and read what an attempt needs.

    Of several that ask for it at once the others wait here, and then find it taken.
    """
    at = statements.moment(now)
    row = statements.run(_claimable_sql(), (pk, at, at)).fetchone()
    if row is None:
        return None
    return Callback(pk=pk, **dict(zip(_READ, row, strict=False)), history=json.loads(row[-1]))


def lock(pk: int) -> Held | None:
    """Lock a row, whoever has it in hand; nothing when it is no longer there."""
    row = statements.run(_lock_sql(), (pk,)).fetchone()
    return None if row is None else Held(int(row[0]), row[1], json.loads(row[2]))


def change(pk: int, values: Mapping[str, object]) -> None:
    """Write these columns of a row that this transaction has locked."""
    given = [_stored(value) for value in values.values()]
    statements.run(_change_sql(tuple(values)), (*given, pk))


def _stored(value: object) -> object:
    if isinstance(value, datetime):
        return statements.moment(value)
    return json.dumps(value) if isinstance(value, list) else value


@cache
def _claimable_sql() -> str:
    columns = ", ".join(_READ)
    return (
        f"SELECT {columns}, {_history()} FROM {_TABLE} WHERE id = %s AND {_CLAIMABLE}{_locked()}"  # noqa: S608
    )


@cache
def _lock_sql() -> str:
    return f"SELECT token, status, {_history()} FROM {_TABLE} WHERE id = %s{_locked()}"  # noqa: S608


@cache
def _change_sql(columns: tuple[str, ...]) -> str:
    changes = ", ".join(f"{column} = %s" for column in columns)
    return f"UPDATE {_TABLE} SET {changes} WHERE id = %s"  # noqa: S608


def _history() -> str:
    return "history::text" if statements.vendor() == "postgresql" else "history"


def _locked() -> str:
    # SQLite's transactions take the only lock that there is when they begin.
    return "" if statements.vendor() == "sqlite" else " FOR UPDATE"
