"""The tables of the older script: where they are, whether their columns are known, their rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from flowadmin import older_tables
from flowadmin.older_tables import SUFFIX, columns_of, is_ours, is_whole
from notifications.models import Callback, Notice
from workflow.models import Draft

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from django.db.backends.base.base import BaseDatabaseWrapper

Row = dict[str, Any]

BATCH = 500
WATCH, ATTEMPT = "flow_task_watch", "flow_callback_attempt"
DRAFT, NOTICE, CALLBACK = "flow_draft", "flow_notice", "flow_callback"
# What the seed's documents name and what is read here (P26); other columns are not looked at.
COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    DRAFT: (
        "id", "tenant_id", "user_id", "draft_type", "flow_key", "deployment_id", "name",
        "content", "version", "create_time", "update_time",
    ),
    NOTICE: (
        "id", "tenant_id", "receiver_id", "notice_type", "instance_id", "task_id", "content",
        "read_flag", "read_time", "create_time",
    ),
    WATCH: (
        "id", "tenant_id", "task_id", "instance_id", "deadline", "status", "notice_id",
        "create_time",
    ),
    CALLBACK: (
        "id", "tenant_id", "event_id", "instance_id", "task_id", "initiator_id", "target_url",
        "payload", "status", "attempts", "max_attempts", "next_attempt_at", "lease_owner",
        "lease_until", "last_result", "create_time", "update_time",
    ),
    ATTEMPT: (
        "id", "tenant_id", "callback_id", "attempt_no", "kind", "status", "http_status", "result",
        "started_at", "finished_at",
    ),
}  # fmt: skip
OURS: Final[Mapping[str, Any]] = {DRAFT: Draft, NOTICE: Notice, CALLBACK: Callback}


class NotToBeRead(RuntimeError):
    """The tables are not as the older script makes them, or ours are not there."""

    code = "merge.tables"


@dataclass(frozen=True, slots=True)
class Older:
    """Where the rows of each of the five tables are at this moment; a table may be absent."""

    places: Mapping[str, str]

    def __bool__(self) -> bool:
        return bool(self.places)

    @property
    def in_the_way(self) -> tuple[str, ...]:
        """Those that still have a name of ours."""
        return tuple(name for name in OURS if self.places.get(name) == name)


def find(connection: BaseDatabaseWrapper) -> Older:
    """Look for the five tables, under their own names and put aside.

    Raises NotToBeRead that names each column that is not there (P26).
    """
    places: dict[str, str] = {}
    missing: list[str] = []
    for name, wanted in COLUMNS.items():
        place, columns = _place(connection, name)
        if place:
            places[name] = place
            missing += [f"{place}.{each}" for each in wanted if each not in columns]
    if missing:
        raise NotToBeRead(
            "These columns are not there: " + ", ".join(missing) + ". The tables are not as the "
            "older script makes them; rename the columns that hold the same in this database, "
            "or add them."
        )
    return Older(places)


def _place(connection: BaseDatabaseWrapper, name: str) -> tuple[str, frozenset[str]]:
    """The name under which a table of the older script is found now, and its columns."""
    model = OURS.get(name)
    columns = columns_of(connection, name)
    if columns and (model is None or not is_ours(model, columns)):
        return name, columns
    if model is None:
        return "", frozenset()
    columns = columns_of(connection, name + SUFFIX)
    return (name + SUFFIX, columns) if columns else ("", columns)


def make_ours(connection: BaseDatabaseWrapper) -> list[str]:
    """Put aside what still has a name of ours and make ours; the names that were made.

    For a database into which the older tables were loaded after `migrate`. DDL that only adds
    and renames; it stays when what follows is rolled back (P18).
    """
    made = []
    for name, model in OURS.items():
        if not is_ours(model, columns_of(connection, name)) or not is_whole(connection, model):
            # One at a time: a run that is killed goes on behind the last one.
            with connection.schema_editor() as editor:
                if older_tables.make_room(editor, model):
                    editor.create_model(model)
                    made.append(name)
    return made


def are_ours(connection: BaseDatabaseWrapper) -> bool:
    """Whether our three tables are all there."""
    return all(is_ours(model, columns_of(connection, name)) for name, model in OURS.items())


def rows(connection: BaseDatabaseWrapper, older: Older, name: str) -> Iterator[list[Row]]:
    """All rows of a table in the order of their ids, in batches."""
    last: object = None
    while batch := _batch(connection, older, name, last):
        yield batch
        last = batch[-1]["id"]


def _batch(connection: BaseDatabaseWrapper, older: Older, name: str, last: object) -> list[Row]:
    if name not in older.places:
        return []
    condition = "" if last is None else "id > %s"
    return select(connection, older, name, condition, () if last is None else (last,), BATCH)


def select(
    connection: BaseDatabaseWrapper,
    older: Older,
    name: str,
    condition: str,
    params: Sequence[Any],
    limit: int | None = None,
) -> list[Row]:
    """Rows of a table that is there, by id; ``condition`` is SQL of ours."""
    quote = connection.ops.quote_name
    columns = COLUMNS[name]
    sql = f"SELECT {', '.join(map(quote, columns))} FROM {quote(older.places[name])}"  # noqa: S608
    sql += f" WHERE {condition}" * bool(condition) + " ORDER BY id"
    with connection.cursor() as cursor:
        cursor.execute(sql + (f" LIMIT {limit}" if limit else ""), params)
        return [dict(zip(columns, values, strict=True)) for values in cursor.fetchall()]


def drop(connection: BaseDatabaseWrapper, older: Older) -> list[str]:
    """Remove the older tables for good; their names. The two that are counted go last."""
    quote = connection.ops.quote_name
    names = [older.places[name] for name in (*OURS, WATCH, ATTEMPT) if name in older.places]
    for name in names:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TABLE {quote(name)}")
    return names
