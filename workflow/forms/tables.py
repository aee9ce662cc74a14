"""The rows of a table: what was sent against what is there, row by row and column by column.

Theory of operation. A table is sent whole: the rows in their new order. A row that carries its
`_id` is the one that is there already, one without is new, one that is missing is removed; each of
these needs its right, and moving rows about is editing. Within a row a column that is not sent
keeps its value, so nobody changes what he does not see. The server names the rows: an id says at
which event of the request the row came, so it is never used twice, and a row that somebody else
has removed meanwhile is refused instead of being mistaken for another one.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from workflow.forms.fields import typed
from workflow.forms.findings import Finding, child, printable
from workflow.forms.formdoc import Field, Limits
from workflow.forms.operators import is_empty
from workflow.forms.references import OUTSIDE, Given, given
from workflow.forms.rights import WRITABLE, Right, may_rows
from workflow.forms.scalars import (
    MOST_CHOSEN,
    ROW_ID,
    Cell,
    Fault,
    Row,
    Value,
    is_blank,
    rows_of,
    texts_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MOST_ROWS = MOST_CHOSEN
LARGEST_TABLE = 256 * 1024  # bytes of the rows as JSON
MOST_FAULTS = 100  # problems of one table that one answer lists
_NONE = Limits()
_NAME = re.compile(r"r([0-9]{1,9})_([0-9]{1,9})")


@dataclass(slots=True)
class Tabled:
    """The rows as they become, with everything that is wrong and all that was newly named."""

    rows: tuple[Row, ...] = ()
    findings: list[Finding] = field(default_factory=list)
    given: list[Given] = field(default_factory=list)


def clean_table(
    table: Field, raw: object, rights: Mapping[str, Right], before: Value, moment: int
) -> Tabled:
    """Check the rows that were sent for a table that may be seen, and give the rows it becomes.

    `raw` is JSON, `before` the current value, `moment` the number of the request's event that
    this follows. Positions begin with `/table`. Codes: those of `fields.typed` at the cell,
    `form.not_editable`, `form.required`, `form.unknown_field` (of a hidden column too),
    `form.unknown_row`, `id.duplicate`, `form.row_not_added`, `form.row_not_removed`,
    `form.too_many_rows`, `form.too_few_rows`, `form.too_large`.
    """
    cleaning = _Cleaning(table, rights, rows_of(before), moment)
    if raw is None:
        raw = []
    if not isinstance(raw, list | tuple):
        cleaning.refuse("form.type_mismatch", cleaning.at, type="table")
    elif len(raw) > MOST_ROWS:
        cleaning.refuse("form.too_many_rows", cleaning.at, max=MOST_ROWS, field=table.id)
    else:
        cleaning.all(raw)
    return cleaning.done


def check_rows(table: Field, rights: Mapping[str, Right], value: Value) -> list[Finding]:
    """What is still to be filled in by somebody with these rights who sends no rows."""
    rows = rows_of(value)
    if not rows or not may_rows(rights, table.id, "edit"):
        return []
    cleaning = _Cleaning(table, rights, rows, 0)
    for number, row in enumerate(rows):
        cleaning.need_cells(row, child(cleaning.at, number))
    return cleaning.done.findings


class _Cleaning:
    """One check of the rows of one table."""

    def __init__(
        self, table: Field, rights: Mapping[str, Right], before: tuple[Row, ...], moment: int
    ) -> None:
        self.table, self.rights, self.moment = table, rights, moment
        self.at = child("", table.id)
        self.before = {str(row.get(ROW_ID, "")): row for row in before}
        self.may_add = may_rows(rights, table.id, "add")
        self.may_edit = may_rows(rights, table.id, "edit")
        self.seen = {
            column.id: column
            for column in table.columns
            if rights.get(f"{table.id}.{column.id}", "hide") != "hide"
        }
        self.writable = {name for name in self.seen if rights[f"{table.id}.{name}"] in WRITABLE}
        self.named: dict[str, frozenset[str]] = {
            column.id: frozenset(each for row in before for each in texts_of(row.get(column.id)))
            for column in table.columns
            if column.type in OUTSIDE
        }
        self.names = _free_names(self.before, moment)
        self.refused: set[str] = set()
        self.done = Tabled()

    def all(self, raw: list[object] | tuple[object, ...]) -> None:
        """Every row that was sent, and those that were not."""
        rows: dict[str, Row] = {}
        kept: list[str] = []
        for number, sent in enumerate(raw):
            at = child(self.at, number)
            if not isinstance(sent, dict):
                self.refuse("form.type_mismatch", at, type="table")
                continue
            name = sent.get(ROW_ID)
            if name is None:
                rows[next(self.names)] = self._row(sent, {}, at, new=True)
            elif not isinstance(name, str) or name not in self.before:
                self.refuse("form.unknown_row", child(at, ROW_ID))
            elif name in rows:
                self.refuse("id.duplicate", child(at, ROW_ID), id=name)
            else:
                kept.append(name)
                rows[name] = self._row(sent, self.before[name], at, new=False)
        self._compare(kept)
        self.done.rows = tuple({ROW_ID: name, **row} for name, row in rows.items())
        self._limits(len(rows))

    def _compare(self, kept: list[str]) -> None:
        if self.done.findings:
            # A row that could not be read must not count as removed too.
            return
        remaining = [name for name in self.before if name in set(kept)]
        if len(remaining) < len(self.before) and not may_rows(
            self.rights, self.table.id, "delete"
        ):
            self.refuse("form.row_not_removed", self.at)
        if kept != remaining and not self.may_edit:
            self.refuse("form.not_editable", self.at)

    def _row(self, sent: Mapping[object, object], before: Row, at: str, *, new: bool) -> Row:
        if new and not self.may_add:
            self.refuse("form.row_not_added", at)
            return {}
        for name in sent:
            if name != ROW_ID and name not in self.seen:
                known = name if isinstance(name, str) else type(name).__name__
                self.refuse("form.unknown_field", child(at, known), known)
        row: Row = {}
        for column in self.table.columns:
            value = _cell_of(column.default) if new else before.get(column.id)
            if column.id in sent and column.id in self.seen:
                value = self._cell(column, sent[column.id], value, child(at, column.id), new=new)
            if not is_empty(value):
                row[column.id] = value
        if new or self.may_edit:
            self.need_cells(row, at)
        return row

    def _cell(self, column: Field, sent: object, own: Cell, at: str, *, new: bool) -> Cell:
        value = typed(column, sent)
        if column.id not in self.writable or not (new or self.may_edit):
            if isinstance(value, Fault) or value != own:
                self.refuse("form.not_editable", at, column.id)
            return own
        if isinstance(value, Fault):
            self.refuse(value.code, at, column.id, **value.args)
            return None
        if column.id in self.named:
            name = f"{self.table.id}.{column.id}"
            self.done.given += given(column, name, value, at, self.named[column.id])
        return _cell_of(value)

    def need_cells(self, row: Mapping[str, Value], at: str) -> None:
        """Refuse what this person has to fill in and left empty; what is faulty is told once."""
        for name, column in self.seen.items():
            must = column.required or self.rights[f"{self.table.id}.{name}"] == "must"
            if must and name in self.writable and is_blank(row.get(name)):
                where = child(at, name)
                if where not in self.refused:
                    self.refuse("form.required", where, name)

    def _limits(self, rows: int) -> None:
        limits = self.table.limits or _NONE
        if limits.max_count is not None and rows > limits.max_count:
            self.refuse("form.too_many_rows", self.at, max=limits.max_count)
        if limits.min_count is not None and 0 < rows < limits.min_count:
            self.refuse("form.too_few_rows", self.at, min=limits.min_count)
        if rows and len(msgspec.json.encode(self.done.rows)) > LARGEST_TABLE:
            self.refuse("form.too_large", self.at, max=LARGEST_TABLE)

    def refuse(self, code: str, at: str, column: str = "", **args: str | int) -> None:
        """Add a finding of the table, or of one of its columns."""
        found = self.done.findings
        self.refused.add(at)
        name = f"{self.table.id}.{printable(column)}" if column else self.table.id
        if len(found) < MOST_FAULTS:
            found.append(Finding(code, at, args=args | {"field": name}))
        elif len(found) == MOST_FAULTS:
            args = {"shown": MOST_FAULTS, "field": self.table.id}
            found.append(Finding("doc.too_many_problems", self.at, args=args))


def _free_names(taken: Mapping[str, Row], moment: int) -> Iterator[str]:
    """Names of new rows. The moment makes them new; only outside of a request it says nothing."""
    found = (_NAME.fullmatch(name) for name in taken)
    used = [int(each[2]) for each in found if each and int(each[1]) == moment]
    return (f"r{moment}_{number}" for number in itertools.count(max(used, default=0) + 1))


def _cell_of(value: Value) -> Cell:
    # A column is never a table itself; this tells the type checker so.
    return texts_of(value) if isinstance(value, tuple) else value


def cells(value: Value, column: str) -> Iterator[Cell]:
    """The values of one column, row by row; rows without one are passed over."""
    for row in rows_of(value):
        cell = row.get(column)
        if cell is not None:
            yield cell


def listed(values: Mapping[str, Value], name: str) -> tuple[str, ...]:
    """The ids in a field, or in the column that `table.column` names: each once, in order."""
    field_id, dot, column = name.partition(".")
    value = values.get(field_id)
    if not dot:
        return texts_of(value)
    return tuple(dict.fromkeys(each for cell in cells(value, column) for each in texts_of(cell)))
