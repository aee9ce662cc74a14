"""Which of the notices that were just sent also go outside: a row for each, in their transaction.

Theory. A message exists from the moment at which its notice becomes SENT, or never: what a person
or an administrator switches on later sends nothing of the past (decision 22). One statement joins
what was just written with what its receivers want and with the channels that are open. When it may
go is decided when it is about to be sent, off this path, by `notifications.hours`.

Most installations have no channel; so that they pay nothing in each decision, which tenants have
one is remembered for a few seconds. So an opened channel takes messages that are written from then
on, a few seconds later at the latest; a closed one takes none at once.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from flowadmin.coordination.wake import wake
from notifications.models import CHATS, Channel, ChatAddress, Medium, Message, Notice, Route
from workflow import statements

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

TOPIC = "messages"
REMEMBERED_SECONDS: Final = 10.0
EMAIL, WEBHOOK = "email", "webhook"

_COLUMNS = (
    "tenant_id, notice_id, receiver_id, medium, by_process, status, result, attempts, together, "
    "next_at, token, created_at, updated_at"
)


@dataclass(slots=True)
class _Remembered:
    """Which tenants have an open channel, until when (monotonic seconds) that is believed."""

    tenants: frozenset[int] = frozenset()
    until: float = 0.0


_open = _Remembered()


def has_channels(tenant_id: int) -> bool:
    """Whether this tenant has an open channel, as of a few seconds ago."""
    if time.monotonic() >= _open.until:
        found = Channel.objects.filter(enabled=True).values_list("tenant_id", flat=True)
        _open.tenants = frozenset(found)
        _open.until = time.monotonic() + REMEMBERED_SECONDS
    return tenant_id in _open.tenants


def forget() -> None:
    """Ask again which tenants have a channel: this process has just changed one."""
    _open.until = 0.0


def hand_out(
    tenant_id: int, instance_id: int, receivers: Sequence[int], sent_at: datetime
) -> None:
    """Write the messages of notices of this request that were sent to these people just now.

    In the transaction that wrote the notices, behind them. ``sent_at`` is when they were sent.
    """
    if receivers and has_channels(tenant_id):
        given = (*receivers, statements.moment(sent_at), instance_id)
        which = f"n.receiver_id IN ({_marks(receivers)}) AND n.sent_at = %s"
        _run(_wanted_sql(f"{which} AND n.instance_id = %s AND n.reminder_key IS NULL"), given)


def hand_out_reminders(tenants: Iterable[int], ids: Sequence[int], sent_at: datetime) -> None:
    """The same for reminders that were sent just now, by their ids."""
    if ids and any(has_channels(each) for each in tenants):
        given = (*ids, statements.moment(sent_at))
        _run(_wanted_sql(f"n.id IN ({_marks(ids)}) AND n.sent_at = %s"), given)


def hand_out_asked(
    tenant_id: int,
    instance_id: int,
    sent_at: datetime,
    *,
    receiver: int,
    title: str,
    text: str,
    channels: Sequence[str],
) -> None:
    """Write the messages that a step of the process asks for, whatever the person chose.

    ``channels`` are the words of a step of kind ``notice``: ``email`` goes to the person's address
    in the directory, ``webhook`` to each chat in which he gave an address of his own.
    """
    if not has_channels(tenant_id):
        return
    media = [*([Medium.EMAIL.value] if EMAIL in channels else [])]
    media += CHATS if WEBHOOK in channels else ()
    if media:
        given = (*media, receiver, statements.moment(sent_at), instance_id, title, text)
        _run(_asked_sql(len(media)), given)


def _run(sql: str, given: Sequence[object]) -> None:
    if statements.run(sql, given).rowcount > 0:
        wake(TOPIC)


def _marks(values: Sequence[object]) -> str:
    return ", ".join(["%s"] * len(values))


def _of(model: type[Notice | Route | Channel | ChatAddress | Message]) -> str:
    return model._meta.db_table  # noqa: SLF001 - documented as public API


def _once() -> str:
    """What was written before stays as it is: a notice goes out once by each medium."""
    if statements.vendor() == "mysql":
        return f"ON DUPLICATE KEY UPDATE id = {_of(Message)}.id"
    return "ON CONFLICT (notice_id, medium) DO NOTHING"


@cache
def _head(medium: str, by_process: str) -> str:
    return (
        f"INSERT INTO {_of(Message)} ({_COLUMNS}) SELECT n.tenant_id, n.id, n.receiver_id, "  # noqa: S608
        f"{medium}, {by_process}, 'PENDING', '', 0, FALSE, n.sent_at, '', n.sent_at, n.sent_at "
        f"FROM {_of(Notice)} n JOIN {_of(Channel)} c ON c.tenant_id = n.tenant_id AND c.enabled "
    )


@cache
def _wanted_sql(which: str) -> str:
    return (
        _head("c.medium", "FALSE")
        + f"JOIN {_of(Route)} r ON r.user_id = n.receiver_id AND r.kind = n.kind "
        + f"AND r.medium = c.medium WHERE {which} AND n.status = 'SENT' {_once()}"
    )


@cache
def _asked_sql(media: int) -> str:
    # A chat needs an address of the person's own; for e-mail it stands in the directory.
    return (
        _head("c.medium", "TRUE")
        + f"LEFT JOIN {_of(ChatAddress)} a ON a.user_id = n.receiver_id AND a.medium = c.medium "
        + f"WHERE c.medium IN ({_marks([None] * media)}) AND n.receiver_id = %s "
        + "AND n.sent_at = %s AND n.instance_id = %s AND n.title = %s AND n.text = %s "
        + "AND n.kind = 'notice' AND n.status = 'SENT' "
        + f"AND (c.medium = 'email' OR a.id IS NOT NULL) {_once()}"
    )
