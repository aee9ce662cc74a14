"""Reads a form document out of raw JSON and reports everything that is wrong with it at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeGuard, get_args

import msgspec

from workflow.forms.condition_checks import check_show_if
from workflow.forms.condition_reading import read_cond
from workflow.forms.dependencies import circle_of
from workflow.forms.digest import canonical_bytes
from workflow.forms.fields import typed
from workflow.forms.findings import Finding, child, printable
from workflow.forms.formdoc import (
    LIMITS_OF,
    MOST_COLUMNS,
    MOST_FIELDS,
    MOST_OPTIONS,
    TEXT_LENGTHS,
    Field,
    FormDoc,
    Label,
    Limits,
    Option,
    Translated,
)
from workflow.forms.scalars import (
    MOST_CHOSEN,
    NUMBER_DECIMALS,
    NUMERIC,
    Fault,
    FieldType,
    Value,
    bad_character,
    date_of,
    decimal_of,
    nfc,
    plain,
    read_value,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

LARGEST_FORM = 256 * 1024  # bytes of the canonical form
_ID = re.compile(r"[a-z][a-z0-9_]{0,47}")
_PART = re.compile(r"[a-z][a-z0-9_]{0,47}(\.[a-z][a-z0-9_]{0,47})?")
_TYPES: frozenset[str] = frozenset(get_args(FieldType))
_CHOICES = frozenset({"choice", "multi_choice"})
_UNFILLED = frozenset({"note", "table", "file"})
_LONGEST_LABEL = 200
_LONGEST_HELP = 1_000
_MOST_PARTS = 100
_COLUMN_KEYS = frozenset(
    {"id", "type", "label", "required", "help", "default", "options", "limits"}
)
_FIELD_KEYS = _COLUMN_KEYS | {"columns", "show_if", "sum_of"}
# Numbers that a sum of this type may add up exactly.
_ADDENDS: dict[FieldType, frozenset[FieldType]] = {
    "integer": frozenset({"integer"}),
    "amount": frozenset({"integer", "amount"}),
    "number": NUMERIC,
}
_FIELD_NUMBER = re.compile(r"/fields/([0-9]+)")


def decode_form(raw: object, at: str = "") -> tuple[FormDoc | None, tuple[Finding, ...]]:
    """The form in `raw`, or None and every problem in document order.

    `at` is the JSON Pointer of `raw` in what the caller received. Nothing that JSON can hold
    makes it raise (contract, The form document, version 1). Whether the people and departments
    that are defaults exist is for whoever publishes: `references.in_defaults`.
    """
    reading = _Reading()
    form = reading.form(raw, at)
    if not reading.findings and len(canonical_bytes(form)) > LARGEST_FORM:
        reading.add("doc.size", at, max=LARGEST_FORM)
    if reading.findings:
        return None, tuple(sorted(reading.findings, key=lambda found: _position(found, at)))
    return form, ()


class _Reading:
    """One pass over one document; `findings` fills on the way."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.broken: set[str] = set()  # ids of fields that exist but could not be read

    def form(self, raw: object, at: str) -> FormDoc:
        if not isinstance(raw, dict):
            self.add("doc.bad_type", at, expected="object")
            return FormDoc(formdoc=1)
        self._keys(raw, {"formdoc", "fields"}, at)
        if type(raw.get("formdoc")) is not int or raw["formdoc"] != 1:
            self.add("doc.version", child(at, "formdoc"), supported=1)
        where = child(at, "fields")
        fields = self._fields(raw.get("fields"), where, _FIELD_KEYS, MOST_FIELDS)
        form = FormDoc(formdoc=1, fields=tuple(field for _, field in fields))
        for found in _across(fields, form, where):
            if found.args.get("field") not in self.broken:
                self.findings.append(found)
        return form

    def _fields(
        self, raw: object, at: str, keys: frozenset[str], most: int
    ) -> list[tuple[int, Field]]:
        fields: list[tuple[int, Field]] = []
        seen: set[str] = set()
        for number, item in enumerate(self._list(raw, at, most)):
            before, where = len(self.findings), child(at, number)
            if not isinstance(item, dict):
                self.add("doc.bad_type", where, expected="object")
                continue
            name = self._id(item, where, seen)
            field = self._field(item, name, where, keys)
            if field is not None and len(self.findings) == before:
                fields.append((number, field))
            else:
                self.broken.add(name)
        return fields

    def _field(
        self, raw: Mapping[str, Any], name: str, at: str, keys: frozenset[str]
    ) -> Field | None:
        self._keys(raw, keys, at)
        kind = raw.get("type")
        if not _is_type(kind):
            args = {"type": printable(kind) if isinstance(kind, str) else ""}
            self.add("form.unknown_type", child(at, "type"), **args)
            return None
        field = Field(
            id=name,
            type=kind,
            label=self._label(raw, "label", at, _LONGEST_LABEL) or name,
            required=self._required(raw, kind, at),
            help=self._label(raw, "help", at, _LONGEST_HELP),
            options=self._options(raw, kind, at),
            limits=self._limits(raw, kind, at),
            columns=self._columns(raw, kind, at),
            sum_of=self._sum_of(raw, kind, at),
        )
        if raw.get("show_if") is not None and "show_if" in keys:
            cond, findings = read_cond(raw["show_if"], child(at, "show_if"), None)
            self.findings.extend(findings)
            field = msgspec.structs.replace(field, show_if=cond)
        return msgspec.structs.replace(field, default=self._default(raw, field, at))

    def _id(self, raw: Mapping[str, Any], at: str, seen: set[str]) -> str:
        name, where = raw.get("id"), child(at, "id")
        if name is None or name == "":
            self.add("id.missing", where)
        elif not isinstance(name, str) or not _ID.fullmatch(name):
            self.add("doc.bad_value", where, expected="id")
        elif name in seen:
            self.add("id.duplicate", where, id=name)
        else:
            seen.add(name)
            return name
        return ""

    def _label(self, raw: Mapping[str, Any], key: str, at: str, most: int) -> Label | None:
        text, where = raw.get(key), child(at, key)
        if text is None and key == "help":
            return None
        if not isinstance(text, dict):
            return self._text(text, where, most)
        self._keys(text, {"en", "zh-hans"}, where)
        texts = {
            language: self._text(text[language], child(where, language), most)
            for language in ("en", "zh-hans")
            if language in text
        }
        if not texts:
            self.add("form.field_missing", where, key="en")
        return Translated(en=texts.get("en", ""), zh_hans=texts.get("zh-hans", ""))

    def _options(self, raw: Mapping[str, Any], kind: FieldType, at: str) -> tuple[Option, ...]:
        where = child(at, "options")
        if not self._allowed(raw, "options", at, kind, allowed=kind in _CHOICES):
            return ()
        options: list[Option] = []
        for number, item in enumerate(self._list(raw.get("options", ()), where, MOST_OPTIONS)):
            here = child(where, number)
            if not isinstance(item, dict):
                self.add("doc.bad_type", here, expected="object")
                continue
            self._keys(item, {"id", "label"}, here)
            name = self._text(item.get("id"), child(here, "id"), _LONGEST_LABEL)
            if name and name in {option.id for option in options}:
                self.add("form.option_duplicate", child(here, "id"), id=printable(name))
            label = self._label(item, "label", here, _LONGEST_LABEL)
            options.append(Option(id=name, label=label or name))
        if not options:
            self.add("form.options_missing", where)
        return tuple(options)

    def _columns(self, raw: Mapping[str, Any], kind: FieldType, at: str) -> tuple[Field, ...]:
        if not self._allowed(raw, "columns", at, kind, allowed=kind == "table"):
            return ()
        where = child(at, "columns")
        columns = self._fields(raw.get("columns"), where, _COLUMN_KEYS, MOST_COLUMNS)
        if raw.get("columns") in ([], ()):
            self.add("form.columns_missing", where)
        for number, column in columns:
            if column.type in {"table", "note"}:
                here = child(child(where, number), "type")
                self.add("form.bad_column", here, type=column.type)
        return tuple(column for _, column in columns)

    def _sum_of(self, raw: Mapping[str, Any], kind: FieldType, at: str) -> tuple[str, ...]:
        if not self._allowed(raw, "sum_of", at, kind, allowed=kind in NUMERIC):
            return ()
        if raw.get("sum_of") is None:
            return ()
        parts: list[str] = []
        where = child(at, "sum_of")
        for number, name in enumerate(self._list(raw["sum_of"], where, _MOST_PARTS)):
            if not isinstance(name, str) or not _PART.fullmatch(name) or name in parts:
                self.add("doc.bad_value", child(where, number), expected="id")
            else:
                parts.append(name)
        return tuple(parts)

    def _limits(self, raw: Mapping[str, Any], kind: FieldType, at: str) -> Limits | None:
        given, where = raw.get("limits"), child(at, "limits")
        if given is None:
            return None
        if not isinstance(given, dict):
            self.add("doc.bad_type", where, expected="object")
            return None
        known = LIMITS_OF.get(kind, ())
        self._keys(given, set(known), where)
        read: dict[str, Any] = {}
        for key in known:
            if given.get(key) is not None:
                read[key] = _limit(kind, key, given[key])
                if read[key] is None:
                    self.add("form.bad_limit", child(where, key), key=key, type=kind)
        limits = Limits(**read)
        if not _ordered(limits):
            self.add("form.limit_range", where, type=kind)
        return limits if read else None

    def _default(self, raw: Mapping[str, Any], field: Field, at: str) -> Value:
        given = raw.get("default")
        refused = field.type in _UNFILLED or bool(field.sum_of)
        if given is None or not self._allowed(raw, "default", at, field.type, allowed=not refused):
            return None
        value = typed(field, given)
        if isinstance(value, Fault):
            self.add("form.bad_default", child(at, "default"), reason=value.code)
            return None
        return value

    def _allowed(
        self, raw: Mapping[str, Any], key: str, at: str, kind: str, *, allowed: bool
    ) -> bool:
        if not allowed and raw.get(key) is not None:
            self.add("form.member_not_allowed", child(at, key), key=key, type=kind)
        return allowed

    def _list(self, raw: object, at: str, most: int) -> list[object]:
        if not isinstance(raw, list | tuple):
            self.add("doc.bad_type", at, expected="list")
            return []
        if len(raw) > most:
            self.add("doc.too_many", at, max=most)
        return list(raw[:most])

    def _text(self, raw: object, at: str, most: int) -> str:
        if not isinstance(raw, str):
            self.add("doc.bad_type", at, expected="text")
        elif not raw.strip() or len(raw) > most or bad_character(raw, lines=True) is not None:
            self.add("doc.bad_value", at, expected="text", max=most)
        else:
            return nfc(raw)
        return ""

    def _flag(self, raw: Mapping[str, Any], key: str, at: str) -> bool:
        flag = raw.get(key, False)
        if not isinstance(flag, bool):
            self.add("doc.bad_type", child(at, key), expected="bool")
            return False
        return flag

    def _required(self, raw: Mapping[str, Any], kind: FieldType, at: str) -> bool:
        required = self._flag(raw, "required", at)
        if required and kind == "note":
            self.add("form.member_not_allowed", child(at, "required"), key="required", type=kind)
        return required

    def _keys(self, raw: Mapping[Any, Any], known: Iterable[str], at: str) -> None:
        for key in raw:
            if key not in known:
                name = key if isinstance(key, str) else type(key).__name__
                self.add("doc.unknown_key", child(at, name), key=printable(name))

    def add(self, code: str, at: str, **args: str | int) -> None:
        self.findings.append(Finding(code, at, args=args))


def _across(fields: list[tuple[int, Field]], form: FormDoc, at: str) -> Iterator[Finding]:
    """Problems between fields: conditions, sums, circles."""
    types = {field.id: field.type for field in form.fields}
    for table in form.fields:
        types.update({f"{table.id}.{column.id}": column.type for column in table.columns})
    circle = circle_of(form)
    for number, field in fields:
        here = child(at, number)
        if field.show_if is not None:
            yield from check_show_if(field.show_if, form, child(here, "show_if"))
        for place, name in enumerate(field.sum_of):
            where = child(child(here, "sum_of"), place)
            if name not in types:
                yield Finding("form.unknown_field", where, args={"field": name.partition(".")[0]})
            elif types[name] not in _ADDENDS[field.type]:
                args = {"field": name, "type": types[name]}
                yield Finding("form.type_mismatch", where, args=args)
        if field.id in circle:
            yield Finding("form.circle", here, args={"field": field.id})


def _limit(kind: FieldType, key: str, raw: object) -> str | int | None:
    """The canonical limit, or None when it is none."""
    if key in {"min", "max"}:
        number = read_value(kind, raw)
        exact = None if isinstance(number, Fault) else decimal_of(number)
        return None if exact is None else plain(exact)
    if key in {"earliest", "latest"}:
        day = date_of(raw)
        return None if day is None else day.isoformat()
    if kind in TEXT_LENGTHS:
        most = TEXT_LENGTHS[kind][1]
    else:
        most = NUMBER_DECIMALS if key == "decimals" else MOST_CHOSEN
    return raw if type(raw) is int and 0 <= raw <= most else None


def _is_type(word: object) -> TypeGuard[FieldType]:
    return isinstance(word, str) and word in _TYPES


def _ordered(limits: Limits) -> bool:
    pairs: tuple[tuple[Any, Any], ...] = (
        (limits.min_length, limits.max_length),
        (decimal_of(limits.min), decimal_of(limits.max)),
        (limits.earliest, limits.latest),
        (limits.min_count, limits.max_count),
    )
    return all(low is None or high is None or low <= high for low, high in pairs)


def _position(finding: Finding, at: str) -> int:
    found = _FIELD_NUMBER.match(finding.at, len(at))
    return int(found[1]) if found else -1
