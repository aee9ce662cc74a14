"""What a person may do with each field at a step: hide, read, edit, must."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeGuard, get_args

from workflow.forms.scalars import ROW_ID, rows_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from workflow.forms.formdoc import Field, FormDoc
    from workflow.forms.scalars import Row, Value

Right = Literal["hide", "read", "edit", "must"]
RowRight = Literal["add", "edit", "delete"]
_RIGHTS = frozenset(get_args(Right))
_LISTS = (tuple, list)
_ROW_RIGHTS: tuple[RowRight, ...] = get_args(RowRight)
WRITABLE: frozenset[Right] = frozenset({"edit", "must"})


def effective(
    default: str,
    exceptions: Mapping[str, str],
    form: FormDoc,
    rows: Mapping[str, Collection[str]] | None = None,
) -> dict[str, Right]:
    """The right to every field, to every column as `table.column`, and to the rows of tables.

    `default`, `exceptions` and `rows` are the members `default`, `set` and `rows` of a step's
    `fields` (spec, Decide … rights). A column follows its table unless it is named itself; a
    column of a hidden table is hidden. Rows may be added, edited and deleted where the table may
    be edited, and of a table that may only be read the rows whose columns may be edited; `rows`
    says less (ask `may_rows`). A note is text for the reader, so it is never edited. An unknown
    word hides: what nobody understands must not open anything.
    """
    rights: dict[str, Right] = {}
    for field in form.fields:
        right = _right(exceptions.get(field.id, default))
        if field.type == "note" and right in WRITABLE:
            right = "read"
        rights[field.id] = right
        if field.type == "table":
            rights.update(_of_table(field, right, exceptions, rows or {}))
    return rights


def _of_table(
    table: Field,
    right: Right,
    exceptions: Mapping[str, str],
    rows: Mapping[str, Collection[str]],
) -> dict[str, Right]:
    rights: dict[str, Right] = {}
    for column in table.columns:
        name = f"{table.id}.{column.id}"
        rights[name] = "hide" if right == "hide" else _right(exceptions.get(name, right))
    usual: tuple[RowRight, ...] = ()
    if right in WRITABLE:
        usual = _ROW_RIGHTS
    elif any(each in WRITABLE for each in rights.values()):
        usual = ("edit",)
    allowed = rows.get(table.id, usual) if usual else ()
    for name in _ROW_RIGHTS:
        rights[f"{table.id}+{name}"] = "edit" if name in allowed else "hide"
    return rights


def may_rows(rights: Mapping[str, Right], table: str, what: RowRight) -> bool:
    """Whether rows of this table may be added, edited or deleted; no without an entry."""
    return rights.get(f"{table}+{what}", "hide") == "edit"


def fillable(field: Field, rights: Mapping[str, Right]) -> bool:
    """Whether a person with these rights can change anything of this field."""
    right = rights.get(field.id, "hide")
    if field.sum_of or right == "hide":
        return False
    if field.type == "table":
        return any(may_rows(rights, field.id, what) for what in _ROW_RIGHTS)
    return right in WRITABLE


def readable(
    form: FormDoc, parts: Iterable[Mapping[str, Right]], *, everything: bool = False
) -> dict[str, Right]:
    """`read` or `hide` for each field and column: what any of these parts of a person shows.

    `everything` is for those who read whatever stands in a request (spec, 2.10).
    """
    shown = tuple(parts)
    rights: dict[str, Right] = {}
    for field in form.fields:
        names = (field.id, *(f"{field.id}.{column.id}" for column in field.columns))
        for name in names:
            seen = everything or any(part.get(name, "hide") != "hide" for part in shown)
            rights[name] = "read" if seen else "hide"
    return rights


def visible(values: Mapping[str, Value], rights: Mapping[str, Right]) -> dict[str, Value]:
    """The values that may leave the server; a field or column without a right is hidden."""
    shown = {name: value for name, value in values.items() if rights.get(name, "hide") != "hide"}
    for name, value in shown.items():
        # Every page and every decision comes by here; only lists are worth a second look.
        if value.__class__ in _LISTS and rows_of(value):
            shown[name] = _visible_rows(name, value, rights)
    return shown


def _visible_rows(table: str, value: Value, rights: Mapping[str, Right]) -> tuple[Row, ...]:
    return tuple(
        {
            name: cell
            for name, cell in row.items()
            if name == ROW_ID or rights.get(f"{table}.{name}", "hide") != "hide"
        }
        for row in rows_of(value)
    )


def _right(word: str) -> Right:
    return word if _is_right(word) else "hide"


def _is_right(word: str) -> TypeGuard[Right]:
    return word in _RIGHTS
