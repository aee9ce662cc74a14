"""The seed's two questions, what is not moved yet; and which hosts older callbacks go to."""

from __future__ import annotations

from collections import Counter
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

from notifications.legacy import older as tables
from notifications.legacy.older import ATTEMPT, CALLBACK, DRAFT, NOTICE, WATCH

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.db.backends.base.base import BaseDatabaseWrapper

    from notifications.legacy.older import Older

# Seed 001, as they are written there.
WATCHES: Final = """
SELECT COUNT(*) FROM flow_task_watch w
WHERE NOT EXISTS (
 SELECT 1 FROM flow_notice n WHERE n.tenant_id=w.tenant_id AND n.reminder_key=w.task_id
)
"""
ATTEMPTS: Final = """
SELECT COUNT(*) FROM flow_callback_attempt a
LEFT JOIN flow_callback c ON c.id=a.callback_id AND c.tenant_id=a.tenant_id
WHERE c.id IS NULL OR JSON_SEARCH(COALESCE(c.history,'[]'),'one',a.id,NULL,'$[*].id') IS NULL
"""
_ELSEWHERE: Final = """
SELECT COUNT(*) FROM flow_callback_attempt a
LEFT JOIN flow_callback c ON c.id=a.callback_id AND c.tenant_id=a.tenant_id
WHERE c.id IS NULL OR NOT EXISTS (
 SELECT 1 FROM {entries} e WHERE {kind} AND {id} = CAST(a.id AS {text})
)
"""
# A number in the history would not be found, as the seed's own question does not find it.
_BY_VENDOR: Final[Mapping[str, str]] = {
    "mysql": ATTEMPTS,
    "sqlite": _ELSEWHERE.format(
        entries="json_each(c.history)",
        kind="json_type(e.value, '$.id') = 'text'",
        id="json_extract(e.value, '$.id')",
        text="TEXT",
    ),
    "postgresql": _ELSEWHERE.format(
        entries="jsonb_array_elements(c.history)",
        kind="jsonb_typeof(e.value -> 'id') = 'string'",
        id="e.value ->> 'id'",
        text="TEXT",
    ),
}


class Left(NamedTuple):
    """What is not moved: watches and attempts as the seed counts them, and other rows."""

    watches: int
    attempts: int
    others: int

    @property
    def nothing(self) -> bool:
        """Whether everything is moved."""
        return not any(self)


class Receiver(NamedTuple):
    """A host and port that older callbacks go to, and how many rows may still be sent there."""

    place: str
    rows: int
    private: bool


def left(connection: BaseDatabaseWrapper, older: Older) -> Left:
    """Count what is not moved yet. Our three tables must be there."""
    return Left(
        _count(connection, WATCHES) if WATCH in older.places else 0,
        _count(connection, _BY_VENDOR[connection.vendor]) if ATTEMPT in older.places else 0,
        sum(_missing(connection, older, name) for name in (NOTICE, CALLBACK)),
    )


def is_done(connection: BaseDatabaseWrapper, older: Older) -> bool:
    """Whether an earlier run moved everything: then drafts that are gone since stay gone.

    Drafts alone cannot tell, since a draft that was submitted is taken away; where nothing else
    was ever written they are looked at like the rest.
    """
    if not any(name in older.places and _any(connection, older, name)
               for name in (NOTICE, WATCH, CALLBACK)):  # fmt: skip
        return DRAFT not in older.places or not _missing(connection, older, DRAFT)
    return left(connection, older).nothing


def _missing(connection: BaseDatabaseWrapper, older: Older, name: str) -> int:
    """How many rows of an older table have no row of ours with their id."""
    if name not in older.places:
        return 0
    quote = connection.ops.quote_name
    return _count(
        connection,
        f"SELECT COUNT(*) FROM {quote(older.places[name])} o"  # noqa: S608 - names of ours
        f" WHERE NOT EXISTS (SELECT 1 FROM {quote(name)} n WHERE n.id = o.id)",
    )


def _any(connection: BaseDatabaseWrapper, older: Older, name: str) -> bool:
    return bool(tables.select(connection, older, name, "", (), 1))


def _count(connection: BaseDatabaseWrapper, sql: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return int(cursor.fetchone()[0])


def receivers(connection: BaseDatabaseWrapper, older: Older) -> list[Receiver]:
    """Where older callbacks go that were not delivered, with their number (P18 and P38).

    ``private`` says of an address, or of a name without a dot, that it must be allowed; of any
    other name only the network's own name server can tell.
    """
    if CALLBACK not in older.places:
        return []
    counted: Counter[str] = Counter()
    for batch in tables.rows(connection, older, CALLBACK):
        counted.update(_place(row["target_url"]) for row in batch if row["status"] != "SUCCEEDED")
    return [Receiver(place, rows, _private(place)) for place, rows in sorted(counted.items())]


def _place(url: str) -> str:
    """Host and port as the allow-list writes them; without what may be a password."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return ""
    shown = f"[{host}]" if ":" in host else host
    return f"{shown}:{port}" if port else shown


def _private(place: str) -> bool:
    host = place.rpartition("]")[0].lstrip("[") or place.partition(":")[0]
    try:
        return not ip_address(host).is_global
    except ValueError:
        return "." not in host
