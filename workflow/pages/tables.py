"""A list as a file: CSV that is streamed row by row, or a workbook; no cell is ever a formula."""

from __future__ import annotations

import csv
import tempfile
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

import xlsxwriter
from django.http import FileResponse, StreamingHttpResponse
from django.utils import timezone, translation
from django.utils.translation import get_language

from flowadmin.rest.problems import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from io import BufferedRandom

    from django.http.response import HttpResponseBase

Cell = str | int | datetime | None

FORMATS: Final = ("csv", "xlsx")
# A sheet has 1,048,576 rows; whoever needs more filters first.
MOST_ROWS: Final = 100_000
CHUNK: Final = 500
# A spreadsheet takes a text that begins so for a formula (OWASP, CSV injection).
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


class _Echo:
    """A file that gives back what is written into it, so that a row can be streamed."""

    def write(self, text: str) -> str:
        return text


def download(
    name: str, kind: str, head: Sequence[str], rows: Iterable[Sequence[Cell]]
) -> HttpResponseBase:
    """The answer that a browser saves as ``<name>.<kind>``.

    Args:
        name: of the file, without its ending; of ASCII letters, digits and dashes.
        kind: one of ``FORMATS``.
        head: what the columns are called.
        rows: read while they are sent; moments are told in the active zone.

    Raises Problem 400 query.malformed for another kind.
    """
    answer: HttpResponseBase
    if kind == "csv":
        lines = _as_of_now(_lines(head, rows))
        answer = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
        answer.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    elif kind == "xlsx":
        book = _workbook(head, rows)
        answer = FileResponse(
            book, as_attachment=True, filename=f"{name}.xlsx", content_type=_XLSX
        )
    else:
        raise Problem(400, "query.malformed", f"format={kind}")
    answer.headers["Cache-Control"] = "private, no-store"
    answer.headers["X-Content-Type-Options"] = "nosniff"
    return answer


def harmless(text: str) -> str:
    """A text that no spreadsheet carries out: an apostrophe stands before what looks like one."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def _as_of_now(lines: Iterator[str]) -> Iterator[str]:
    """The lines in the language and the zone of this moment.

    They are made while they are sent, when the middleware has long gone back to the defaults.
    """
    language, zone = get_language(), timezone.get_current_timezone()

    def spoken() -> Iterator[str]:
        while True:
            with translation.override(language), timezone.override(zone):
                line = next(lines, None)
            if line is None:
                return
            yield line

    return spoken()


def _lines(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> Iterator[str]:
    writer: Any = csv.writer(_Echo())
    # The mark by which spreadsheets know UTF-8.
    yield "\ufeff" + writer.writerow([harmless(each) for each in head])
    for row in rows:
        yield writer.writerow([_text(cell) for cell in row])


def _text(cell: Cell) -> str | int:
    if isinstance(cell, datetime):
        return timezone.localtime(cell).strftime("%Y-%m-%d %H:%M")
    if isinstance(cell, int):
        return cell
    return "" if cell is None else harmless(cell)


def _workbook(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> BufferedRandom:
    """A workbook in a temporary file that is gone when the answer was sent.

    Row after row is written out (`constant_memory`), so a long list needs no memory. A cell is
    written as what it is: nothing in a text makes a formula, a link or a number of it.
    """
    file: Any = tempfile.TemporaryFile()  # noqa: SIM115 - the answer closes it
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(file, options) as book:
        sheet = book.add_worksheet()
        bold = book.add_format({"bold": True})
        moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm"})
        sheet.freeze_panes(1, 0)
        sheet.set_column(0, len(head) - 1, 20)
        for column, title in enumerate(head):
            sheet.write_string(0, column, title, bold)
        for number, row in enumerate(rows, start=1):
            for column, cell in enumerate(row):
                _write(sheet, number, column, cell, moment)
    file.seek(0)
    found: BufferedRandom = file
    return found


def _write(sheet: Any, row: int, column: int, cell: Cell, moment: Any) -> None:
    if isinstance(cell, datetime):
        local = timezone.localtime(cell).replace(tzinfo=None)
        sheet.write_datetime(row, column, local, moment)
    elif isinstance(cell, int):
        sheet.write_number(row, column, cell)
    elif cell:
        sheet.write_string(row, column, cell)
