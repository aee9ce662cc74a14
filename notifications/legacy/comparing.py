"""Every row that was moved, read once more and compared with the older one, before it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from notifications.legacy import older as tables
from notifications.legacy import translating
from notifications.legacy.moving import Trouble, attempts_of, translated
from notifications.legacy.older import CALLBACK, DRAFT, NOTICE, WATCH
from notifications.models import Notice

if TYPE_CHECKING:
    from collections.abc import Iterator

    from notifications.legacy.moving import Move
    from notifications.legacy.older import Row

# What a watch writes into the notice that it is tied to.
_TIED = frozenset({"reminder_key", "scheduled_at"})


def differences(move: Move) -> Iterator[Trouble]:
    """Where what stands in our tables is not what the older rows say (seed 001 P19).

    Only rows that this run wrote: others may have gone on since. Values are not repeated, since
    they may be what nobody is to see (P46).
    """
    for table in (DRAFT, NOTICE, CALLBACK):
        for batch in tables.rows(move.connection, move.older, table):
            yield from _of_batch(move, table, batch)
    for batch in tables.rows(move.connection, move.older, WATCH):
        yield from _of_watches(move, batch)


def _of_batch(move: Move, table: str, batch: list[Row]) -> Iterator[Trouble]:
    fresh = move.moved.fresh.get(table, set())
    rows = [row for row in batch if row["id"] in fresh]
    stored = tables.OURS[table].objects.in_bulk([row["id"] for row in rows])
    known = move.known if table == DRAFT else move.known.of(rows)
    attempts = attempts_of(move.connection, move.older, batch) if table == CALLBACK else {}
    besides = _TIED if table == NOTICE else frozenset()
    for row in rows:
        wanted = translated(table, row, known, move.zone, attempts)
        yield from _unlike(move.older.places[table], row, wanted, stored.get(row["id"]), besides)


def _of_watches(move: Move, batch: list[Row]) -> Iterator[Trouble]:
    placed, fresh = move.moved.placed, move.moved.fresh.get(WATCH, set())
    stored = Notice.objects.in_bulk([placed[row["id"]] for row in batch if row["id"] in placed])
    known = move.known.of(batch)
    for row in batch:
        pk = placed.get(row["id"])
        if pk is None:
            continue
        found = stored.get(pk)
        if pk in fresh:
            wanted = translating.watch(row, known, move.zone, pk)
            yield from _unlike(WATCH, row, wanted, found)
        elif found is None or (found.reminder_key, found.status, found.scheduled_at) != (
            row["task_id"],
            Notice.Status.SENT,
            translating.moment(row["deadline"], move.zone),
        ):
            yield Trouble(WATCH, row["id"], "its notice is not tied to it")


def _unlike(
    table: str, row: Row, wanted: Any, found: Any, besides: frozenset[str] = frozenset()
) -> Iterator[Trouble]:
    if found is None:
        yield Trouble(table, row["id"], "it did not arrive")
        return
    names = [field.attname for field in wanted._meta.concrete_fields]  # noqa: SLF001 - public API
    unlike = [
        name for name in names
        if name not in besides and getattr(wanted, name) != getattr(found, name)
    ]  # fmt: skip
    if unlike:
        yield Trouble(table, row["id"], f"it arrived with another {', '.join(unlike)}")
