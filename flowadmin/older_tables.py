"""Tables that an older script made under names of ours: put aside, so that ours can be made.

Theory of operation (decision 0027). An installation of the older script holds tables of other
columns under three of our names. `migrate` gives such a table another name, with all that is in
it, and makes ours in its place; `merge_flow_tables` moves the rows later. Where a database cannot
take DDL back (MariaDB), each step leaves something from which the next run goes on: the older
table under its own name, or put aside and ours absent, or ours absent no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import migrations

if TYPE_CHECKING:
    from collections.abc import Collection

    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.backends.base.schema import BaseDatabaseSchemaEditor
    from django.db.migrations.state import ProjectState
    from django.db.models import Model

SUFFIX = "_legacy"


class OlderTableInTheWay(RuntimeError):
    """An older table cannot be put aside: there is one already."""

    code = "tables.in_the_way"


def columns_of(connection: BaseDatabaseWrapper, table: str) -> frozenset[str]:
    """The names of a table's columns; none when there is no such table."""
    if table not in connection.introspection.table_names():
        return frozenset()
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)} WHERE 1 = 0")  # noqa: S608
        return frozenset(column[0] for column in cursor.description or ())


def is_ours(model: type[Model], columns: Collection[str]) -> bool:
    """Whether a table with these columns has all of the model's."""
    ours = {field.column for field in model._meta.concrete_fields}  # noqa: SLF001 - public API
    return ours <= set(columns)


def is_whole(connection: BaseDatabaseWrapper, model: type[Model]) -> bool:
    """Whether the model's table has its indexes.

    It lacks them when whoever made it was killed, on a database that cannot take DDL back.
    """
    if connection.features.can_rollback_ddl:
        return True
    meta = model._meta  # noqa: SLF001 - public API
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, meta.db_table)
    partial = connection.features.supports_partial_indexes
    wanted = {index.name for index in meta.indexes if partial or index.condition is None}
    return wanted <= set(found)


def make_room(editor: BaseDatabaseSchemaEditor, model: type[Model]) -> bool:
    """Give an older table of the model's name another one; whether the model's is to be made.

    A table that has all of the model's columns is the model's. If it is empty it may be what a
    run that was killed left behind, without its indexes: then it is made anew.

    Raises OlderTableInTheWay when the older table's other name is taken as well.
    """
    table = model._meta.db_table  # noqa: SLF001 - public API
    columns = columns_of(editor.connection, table)
    if not columns:
        return True
    if not is_ours(model, columns):
        _put_aside(editor, table)
        return True
    with editor.connection.cursor() as cursor:
        cursor.execute(f"SELECT 1 FROM {editor.quote_name(table)} LIMIT 1")  # noqa: S608
        if cursor.fetchone() is not None:
            return False
    editor.execute(f"DROP TABLE {editor.quote_name(table)}")
    return True


def _put_aside(editor: BaseDatabaseSchemaEditor, table: str) -> None:
    aside = table + SUFFIX
    if columns_of(editor.connection, aside):
        raise OlderTableInTheWay(
            f"{table} is of an older script and must make room, but {aside} exists as well. "
            "Look which of the two holds the rows, and rename or remove the other one."
        )
    editor.execute(f"ALTER TABLE {editor.quote_name(table)} RENAME TO {editor.quote_name(aside)}")


class CreateBesideOlder(migrations.CreateModel):
    """`CreateModel` that puts aside what an older script left under the table's name."""

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """As Django's, unless the table is there already (seed 001 P14)."""
        model: Any = to_state.apps.get_model(app_label, self.name)
        may = self.allow_migrate_model(schema_editor.connection.alias, model)
        if may and make_room(schema_editor, model):
            super().database_forwards(app_label, schema_editor, from_state, to_state)
