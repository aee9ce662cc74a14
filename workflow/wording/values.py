"""Form values as people read them: names for people and departments, labels, amounts, days."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Protocol

from django.utils import formats, numberformat, timezone, translation
from django.utils.translation import gettext, ngettext

from workflow.forms.formdoc import Field, FormDoc, field_named, option_label
from workflow.forms.scalars import date_of, decimal_of, rows_of, texts_of, timestamp_of
from workflow.wording.states import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import datetime

    from workflow.engine.events import Leaf
    from workflow.forms.scalars import FieldType, Value

# The fields whose values name somebody or something of the organisation.
NAMING: frozenset[FieldType] = frozenset({"user", "department"})


class Known(Protocol):
    """What the words for a value need of the world around the form."""

    def name_of(self, kind: FieldType, word: str) -> str:
        """What a person, department or file is called; the word itself when it is not known."""

    def local(self, value: object) -> datetime | None:
        """A stored moment in the reader's zone; None when it is none."""


@dataclass(frozen=True, slots=True)
class Titled:
    """Names by (kind, code), as the history's reader has them: see `following.Titles`."""

    titles: Mapping[tuple[str, str], str]

    def name_of(self, kind: FieldType, word: str) -> str:
        return self.titles.get((kind, word)) or word

    def local(self, value: object) -> datetime | None:
        moment = timestamp_of(value)
        return None if moment is None else timezone.localtime(moment)


def told_value(field: Field, value: Value, language: str, known: Known) -> str:
    """A value that is there, in this language. A table is told by the number of its rows."""
    with translation.override(language):
        teller = _TELLERS.get(field.type)
        return str(value) if teller is None else teller(field, value, language, known)


def amount_text(value: object) -> str:
    """An amount with its two decimals, in threes in both languages (Django's Chinese has none)."""
    point = formats.get_format("DECIMAL_SEPARATOR")
    comma = "," if point == "." else "\u00a0"
    return numberformat.format(Decimal(str(value)), point, 2, 3, comma, force_grouping=True)


def named_in(form: FormDoc | None, values: Mapping[str, Value]) -> Iterator[tuple[str, str]]:
    """The (kind, code) of the people and departments that stand in these values.

    Not what stands in the rows of tables, which are told by their number.
    """
    for name, value in values.items():
        field = None if form is None else field_named(form, name)
        if field is not None and field.type in NAMING:
            yield from ((field.type, each) for each in texts_of(value))


def named_in_leaves(form: FormDoc | None, leaves: Iterable[Leaf]) -> Iterator[tuple[str, str]]:
    """The (kind, code) of the people, departments and roles that these questions name."""
    for leaf in leaves:
        yield from ((kind, code) for kind, codes in _of_leaf(form, leaf) for code in codes if code)


def _of_leaf(form: FormDoc | None, leaf: Leaf) -> Iterator[tuple[str, list[str]]]:
    expected = leaf.expected.split(", ")
    if leaf.kind == "initiator":
        yield ("user" if leaf.asked == "is" else leaf.asked), expected
    field = field_named(form, leaf.asked) if form is not None and leaf.kind == "field" else None
    if field is not None and field.type in NAMING:
        yield ("department" if leaf.op == "under" else field.type), expected
        yield field.type, leaf.seen.split(", ")


def _bool(_field: Field, value: Value, _language: str, _known: Known) -> str:
    return gettext("Yes") if value else gettext("No")


def _date(_field: Field, value: Value, _language: str, _known: Known) -> str:
    day = date_of(value)
    return str(value) if day is None else formats.date_format(day, "DATE_FORMAT")


def _moment(_field: Field, value: Value, _language: str, known: Known) -> str:
    local = known.local(value)
    if local is None:
        return str(value)
    return f"{formats.date_format(local, 'DATETIME_FORMAT')} {local.tzname()}".rstrip()


def _amount(_field: Field, value: Value, _language: str, _known: Known) -> str:
    return str(value) if decimal_of(value) is None else amount_text(value)


def _options(field: Field, value: Value, language: str, _known: Known) -> str:
    return listed(option_label(field, each, language) for each in texts_of(value))


def _names(field: Field, value: Value, _language: str, known: Known) -> str:
    return listed(known.name_of(field.type, each) for each in texts_of(value))


def _count(_field: Field, value: Value, _language: str, _known: Known) -> str:
    count = len(rows_of(value))
    return ngettext("%(n)d row", "%(n)d rows", count) % {"n": count}


_TELLERS: dict[FieldType, Callable[[Field, Value, str, Known], str]] = {
    "bool": _bool,
    "date": _date,
    "timestamp": _moment,
    "amount": _amount,
    "choice": _options,
    "multi_choice": _options,
    "user": _names,
    "department": _names,
    "file": _names,
    "table": _count,
}
