"""Notices and reminders written in the transaction of the decision that they follow from.

Plain SQL like the other statements of a decision (`workflow.statements`), because every command
that gives somebody a task passes here: one INSERT for everything that it causes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from notifications.actions import handing_out
from notifications.models import Notice
from workflow import statements

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

Kind, Status = Notice.Kind, Notice.Status

COLUMNS = (
    "tenant_id", "kind", "status", "receiver_id", "sender_id", "instance_id", "task_id", "title",
    "text", "reminder_key", "scheduled_at", "recipients", "later", "created_at", "sent_at",
)  # fmt: skip
# What a reminder that waits, or waits no more, takes over from a new one of the same task.
_RENEWED = ("recipients", "later", "scheduled_at", "status")
_TABLE = Notice._meta.db_table  # noqa: SLF001 - documented as public API


@dataclass(frozen=True, slots=True)
class Fresh:
    """A row to be written. ``task_id`` is None for what hangs on no task.

    ``sent_at`` is None for a reminder, which waits until ``scheduled_at`` (aware UTC).
    """

    tenant_id: int
    kind: str
    instance_id: int
    created_at: datetime
    task_id: int | None = None
    receiver_id: int | None = None
    sender_id: int | None = None
    title: str = ""
    text: str = ""
    reminder_key: str | None = None
    scheduled_at: datetime | None = None
    recipients: str = ""
    later: Sequence[tuple[str, str]] = ()
    # The ways that a step of the process asks for, besides the app.
    channels: Sequence[str] = ()

    def values(self) -> tuple[Any, ...]:
        """The row in the order of ``COLUMNS``."""
        waits = self.reminder_key is not None
        created = statements.moment(self.created_at)
        return (
            self.tenant_id,
            self.kind,
            (Status.PENDING if waits else Status.SENT).value,
            self.receiver_id,
            self.sender_id,
            self.instance_id,
            self.task_id,
            self.title,
            self.text,
            self.reminder_key,
            statements.moment(self.scheduled_at),
            self.recipients,
            json.dumps(self.later) if self.later else None,
            created,
            None if waits else created,
        )


def write(rows: Sequence[Fresh]) -> None:
    """Write these rows in one statement, in the caller's transaction.

    A reminder takes the place of the one that its task has, unless that was sent already: a task
    is reminded of once (seed 001, P32). What was sent thereby goes to the outside channels too.
    """
    _insert(rows, renew=True)
    _hand_out([row for row in rows if row.reminder_key is None])


def _hand_out(sent: Sequence[Fresh]) -> None:
    for row in sent:
        if row.channels and row.receiver_id is not None:
            handing_out.hand_out_asked(
                row.tenant_id,
                row.instance_id,
                row.created_at,
                receiver=row.receiver_id,
                title=row.title,
                text=row.text,
                channels=row.channels,
            )
    causes: dict[tuple[int, int, datetime], list[int]] = {}
    for row in sent:
        if row.receiver_id is not None:
            cause = (row.tenant_id, row.instance_id, row.created_at)
            causes.setdefault(cause, []).append(row.receiver_id)
    for (tenant_id, instance_id, at), receivers in causes.items():
        handing_out.hand_out(tenant_id, instance_id, receivers, at)


def write_missing(rows: Sequence[Fresh]) -> None:
    """Write those of these reminders whose task has none, whatever became of it."""
    _insert(rows, renew=False)


def cancel(tenant_id: int, keys: Collection[str]) -> None:
    """The tasks of these reminders ended: whatever was not sent yet never will be (P32)."""
    _turn(tenant_id, keys, Status.PENDING, Status.CANCELLED)


def restore(tenant_id: int, keys: Collection[str]) -> None:
    """These tasks wait again as they did before they ended, and so do their reminders."""
    _turn(tenant_id, keys, Status.CANCELLED, Status.PENDING)


def close(tenant_id: int, receiver: int, tasks: Collection[int], now: datetime) -> None:
    """A person's own tasks wait for him no longer, by his own doing: their notices are no news.

    ``tasks`` are ids, ``now`` is the database's clock. One statement; a message of the process and
    an urge stay as they are, since somebody wrote them to be read.
    """
    if tasks:
        given = (statements.moment(now), receiver, tenant_id, *tasks)
        statements.run(_close_sql(len(tasks)), given)


@cache
def _close_sql(tasks: int) -> str:
    # Django's compiler would cost this statement, which follows every decision, five times what
    # the database needs for it.
    return (
        f"UPDATE {_TABLE} SET read_at = %s WHERE receiver_id = %s AND tenant_id = %s"  # noqa: S608
        f" AND status = '{Status.SENT.value}' AND read_at IS NULL"
        f" AND kind IN ('{Kind.ASSIGNED.value}', '{Kind.TIMEOUT.value}')"
        f" AND task_id IN ({_marks(tasks)})"
    )


def _turn(
    tenant_id: int, keys: Collection[str], before: Notice.Status, after: Notice.Status
) -> None:
    if keys:
        given = (str(after), tenant_id, str(before), *keys)
        statements.run(_turn_sql(len(keys)), given)


@cache
def _turn_sql(keys: int) -> str:
    return (
        f"UPDATE {_TABLE} SET status = %s WHERE tenant_id = %s AND status = %s"  # noqa: S608
        f" AND reminder_key IN ({_marks(keys)})"
    )


def _marks(count: int) -> str:
    return ", ".join(["%s"] * count)


def _insert(rows: Sequence[Fresh], *, renew: bool) -> None:
    if rows:
        values = [value for row in rows for value in row.values()]
        statements.run(_insert_sql(len(rows), renew=renew), values)


@cache
def _insert_sql(rows: int, *, renew: bool) -> str:
    one = f"({_marks(len(COLUMNS))})"
    names = ", ".join(statements.quoted(column) for column in COLUMNS)
    insert = f"INSERT INTO {_TABLE} ({names}) VALUES {', '.join([one] * rows)}"  # noqa: S608
    if statements.vendor() == "mysql":
        # Left to right: the state comes last, since the others are asked whether it was SENT.
        changed = ", ".join(
            f"{name} = IF(status = 'SENT', {name}, VALUES({name}))" for name in _RENEWED
        )
        return f"{insert} ON DUPLICATE KEY UPDATE {changed if renew else 'id = id'}"
    conflict = f"{insert} ON CONFLICT (tenant_id, reminder_key) DO"
    if not renew:
        return f"{conflict} NOTHING"
    changed = ", ".join(f"{name} = excluded.{name}" for name in _RENEWED)
    return f"{conflict} UPDATE SET {changed} WHERE {_TABLE}.status <> 'SENT'"
