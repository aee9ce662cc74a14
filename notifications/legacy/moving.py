"""The rows of the five older tables moved into the three of ours, in the caller's transaction.

Theory of operation. Everything that is written follows from the older rows alone: no clock, no
sequence, no order of arrival. So a run that was stopped at any point and begun again ends with the
same rows as one that was not. A row that is here already is known by what never changes of it and
is left as it is, however far it has gone since (P24). What cannot be moved is noted, all of it,
and then nothing is kept (P22).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from django.core.management.color import no_style
from django.db.models import Max

from notifications.legacy import known as here
from notifications.legacy import older as tables
from notifications.legacy import translating
from notifications.legacy.older import ATTEMPT, CALLBACK, DRAFT, NOTICE, WATCH
from notifications.legacy.translating import SENT_WORDS, Unfit
from notifications.models import Callback, Notice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from zoneinfo import ZoneInfo

    from django.db.backends.base.base import BaseDatabaseWrapper

    from notifications.legacy.known import Known
    from notifications.legacy.older import Older, Row
    from workflow.models import Draft

    Key = tuple[int, Any]
    Attempts = Mapping[Key, list[Row]]

_FIXED: Mapping[str, tuple[str, ...]] = {
    DRAFT: ("tenant_id", "user_id", "kind", "created_at"),
    NOTICE: ("tenant_id", "kind", "receiver_id", "created_at"),
    CALLBACK: ("tenant_id", "event_id", "target_url", "payload", "created_at"),
}


@dataclass(frozen=True, slots=True)
class Trouble:
    """A row of the older tables that cannot be moved, and why."""

    table: str
    id: int
    text: str


@dataclass(slots=True)
class Moved:
    """What one run did: rows by table, rows that were here already, and what stood in its way.

    ``fresh`` are the ids of our rows that it wrote, ``placed`` our row of each watch.
    """

    rows: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    troubles: list[Trouble] = field(default_factory=list)
    fresh: dict[str, set[int]] = field(default_factory=dict)
    placed: dict[int, int] = field(default_factory=dict)


class Move:
    """One run over the older tables. ``zone`` is the one in which their moments were written.

    ``after`` is called behind each table with its name, for those who watch or interrupt.
    """

    def __init__(
        self,
        connection: BaseDatabaseWrapper,
        older: Older,
        zone: ZoneInfo,
        after: Callable[[str], object] = lambda _table: None,
    ) -> None:
        self.connection = connection
        self.older = older
        self.zone = zone
        self.after = after
        self.moved = Moved()
        self.known = here.everybody()
        self.placed: set[Key] = set()
        self.largest = 0

    def run(self) -> Moved:
        """Move every row. The caller keeps it, or rolls back if there are ``troubles``."""
        for table, step in (
            (DRAFT, self._drafts),
            (NOTICE, self._notices),
            (WATCH, self._watches),
            (CALLBACK, self._callbacks),
            (ATTEMPT, self._orphans),
        ):
            step()
            self.after(table)
        return self.moved

    # Each table ------------------------------------------------------------------------------

    def _drafts(self) -> None:
        for batch in self._batches(DRAFT):
            self._write(DRAFT, self._translated(DRAFT, batch, self.known))

    def _notices(self) -> None:
        for batch in self._batches(NOTICE):
            self._write(NOTICE, self._translated(NOTICE, batch, self.known.of(batch)))

    def _callbacks(self) -> None:
        for batch in self._batches(CALLBACK):
            attempts = attempts_of(self.connection, self.older, batch)
            found = self._translated(CALLBACK, batch, self.known.of(batch), attempts)
            self._write(CALLBACK, self._with_own_events(found))

    def _watches(self) -> None:
        """Each watch is tied to its notice, or becomes a reminder behind the last notice."""
        self.largest = Notice.objects.aggregate(largest=Max("pk"))["largest"] or 0
        for batch in self._batches(WATCH):
            known, keys = self.known.of(batch), self._keys(batch)
            fresh: list[Notice] = []
            for row in batch:
                try:
                    fresh += self._watch(row, known, keys)
                except Unfit as error:
                    self._trouble(WATCH, row["id"], error)
            Notice.objects.bulk_create(fresh, batch_size=tables.BATCH)
            self._fresh(WATCH).update(each.pk for each in fresh)

    def _watch(self, row: Row, known: Known, keys: dict[Key, int]) -> list[Notice]:
        """The reminder that is to be written for a watch, if one is. Raises Unfit."""
        key = (row["tenant_id"], row["task_id"])
        if key in self.placed:
            raise Unfit(f"there are two of them for task {row['task_id']}")
        if key in keys:
            self.placed.add(key)
            self.moved.kept[WATCH] += 1
            return []
        fresh: list[Notice] = []
        pk = self._tied(row)
        if pk is None:
            pk = self.largest + 1
            fresh = [translating.watch(row, known, self.zone, pk)]
            self.largest = pk
        self.placed.add(key)
        self.moved.placed[row["id"]] = pk
        self.moved.rows[WATCH] += 1
        return fresh

    def _tied(self, row: Row) -> int | None:
        """The notice that a watch sent, tied to it now; nothing when there is none (P20)."""
        notice = self._notice_of(row)
        if notice is None:
            return None
        tied = Notice.objects.filter(
            pk=notice["id"], tenant=row["tenant_id"], reminder_key__isnull=True
        ).update(
            reminder_key=row["task_id"],
            scheduled_at=translating.moment(row["deadline"], self.zone),
        )
        if not tied:
            raise Unfit(f"its notice {notice['id']} belongs to another one")
        return int(notice["id"])

    def _notice_of(self, row: Row) -> Row | None:
        """The older notice that a watch names, or the first one that it can have sent."""
        if row["notice_id"] is not None:
            asked = "id = %s AND tenant_id = %s AND task_id = %s"
            params = (row["notice_id"], row["tenant_id"], row["task_id"])
            if not (found := self._older_notices(asked, params)):
                raise Unfit(f"there is no notice {row['notice_id']} of its task")
            return found[0]
        if str(row["status"]).upper() not in SENT_WORDS:
            return None
        asked = "notice_type = 'TIMEOUT' AND tenant_id = %s AND task_id = %s"
        found = self._older_notices(asked, (row["tenant_id"], row["task_id"]))
        return found[0] if found else None

    def _older_notices(self, condition: str, params: tuple[object, ...]) -> list[Row]:
        if NOTICE not in self.older.places:
            return []
        return tables.select(self.connection, self.older, NOTICE, condition, params, 1)

    def _keys(self, batch: list[Row]) -> dict[Key, int]:
        """The reminders that are here already, by tenant and task."""
        rows = Notice.objects.filter(
            tenant__in={row["tenant_id"] for row in batch},
            reminder_key__in={row["task_id"] for row in batch},
        )
        found = rows.values_list("tenant_id", "reminder_key", "pk")
        return {(tenant, str(key)): pk for tenant, key, pk in found}

    def _orphans(self) -> None:
        """Attempts whose callback is not there: none may be lost without a word (P22)."""
        if ATTEMPT not in self.older.places:
            return
        quote = self.connection.ops.quote_name
        sql = f"SELECT a.id, a.callback_id, a.tenant_id FROM {quote(self.older.places[ATTEMPT])} a"  # noqa: S608
        if CALLBACK in self.older.places:
            sql += (
                f" WHERE NOT EXISTS (SELECT 1 FROM {quote(self.older.places[CALLBACK])} c"  # noqa: S608
                " WHERE c.id = a.callback_id AND c.tenant_id = a.tenant_id)"
            )
        with self.connection.cursor() as cursor:
            cursor.execute(sql + " ORDER BY a.id")
            for pk, callback, tenant in cursor.fetchall():
                self._trouble(ATTEMPT, pk, f"there is no callback {callback} in tenant {tenant}")

    # What they have in common ----------------------------------------------------------------

    def _batches(self, table: str) -> Iterable[list[Row]]:
        return tables.rows(self.connection, self.older, table)

    def _trouble(self, table: str, pk: int, text: object) -> None:
        self.moved.troubles.append(Trouble(self.older.places[table], pk, str(text)))

    def _fresh(self, table: str) -> set[int]:
        return self.moved.fresh.setdefault(table, set())

    def _translated(
        self, table: str, batch: Iterable[Row], known: Known, attempts: Attempts | None = None
    ) -> list[Any]:
        found = []
        for row in batch:
            try:
                found.append(translated(table, row, known, self.zone, attempts or {}))
            except Unfit as error:
                self._trouble(table, row["id"], error)
        return found

    def _write(self, table: str, found: list[Any]) -> None:
        """Write what is not here yet; leave what is."""
        model = tables.OURS[table]
        there: dict[int, Any] = model.objects.in_bulk([each.pk for each in found])
        fresh = []
        for each in found:
            old = there.get(each.pk)
            if old is None:
                fresh.append(each)
            elif any(getattr(old, name) != getattr(each, name) for name in _FIXED[table]):
                self._trouble(table, each.pk, "another row has its id here")
            else:
                self.moved.kept[table] += 1
                self._complete(old, each)
        model.objects.bulk_create(fresh, batch_size=tables.BATCH)
        self._fresh(table).update(each.pk for each in fresh)
        self.moved.rows[table] += len(fresh)

    def _complete(self, old: Any, new: Any) -> None:
        """Entries that the history of a callback lacks come first; nothing is noted twice."""
        if isinstance(old, Callback):
            noted = {str(entry.get("id")) for entry in old.history}
            lacking = [entry for entry in new.history if entry["id"] not in noted]
            if lacking:
                Callback.objects.filter(pk=old.pk).update(history=lacking + old.history)

    def _with_own_events(self, found: list[Callback]) -> list[Callback]:
        """Without those whose event id another callback has: it is one event's for ever."""
        names = [each.event_id for each in found]
        rows = Callback.objects.filter(event_id__in=names).values_list("event_id", "pk")
        owners = dict(rows)
        kept = []
        for each in found:
            if owners.setdefault(each.event_id, each.pk) == each.pk:
                kept.append(each)
            else:
                self._trouble(CALLBACK, each.pk, "another callback has its event id")
        return kept


def translated(
    table: str, row: Row, known: Known, zone: ZoneInfo, attempts: Attempts
) -> Draft | Notice | Callback:
    """What one row of one of the three tables becomes. Raises Unfit."""
    if table == DRAFT:
        return translating.draft(row, known, zone)
    if table == NOTICE:
        return translating.notice(row, known, zone)
    return translating.callback(row, attempts.get((row["tenant_id"], row["id"]), ()), known, zone)


def attempts_of(connection: BaseDatabaseWrapper, older: Older, batch: list[Row]) -> Attempts:
    """The attempts of a batch of callbacks, by tenant and callback."""
    if ATTEMPT not in older.places:
        return {}
    condition = "callback_id BETWEEN %s AND %s"
    ends = (batch[0]["id"], batch[-1]["id"])
    found: dict[Key, list[Row]] = {}
    for row in tables.select(connection, older, ATTEMPT, condition, ends):
        found.setdefault((row["tenant_id"], row["callback_id"]), []).append(row)
    return found


def count_on(connection: BaseDatabaseWrapper) -> None:
    """Let the databases that count ids apart from the rows go on behind the largest one."""
    statements = connection.ops.sequence_reset_sql(no_style(), list(tables.OURS.values()))
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
