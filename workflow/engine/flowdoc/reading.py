"""Raw JSON read along the types of the format, with every problem and its position.

Theory of operation. msgspec stops at the first problem; whoever writes a process wants all of
them. So we walk the raw value and the description of the types side by side. Where a value does
not fit, the finding is noted, its position is remembered as *broken*, and a harmless stand-in
takes its place, so that the rest of the document can still be looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import inspect

from workflow.engine.flowdoc.document import Flowdoc
from workflow.engine.flowdoc.exclusive import ONE_OF, how_many
from workflow.engine.flowdoc.places import Place
from workflow.engine.flowdoc.rules import Deadline
from workflow.engine.flowdoc.steps import AnyStep, AutoStep, Branch, Step
from workflow.engine.flowdoc.texts import Fault, read_meaning, read_text
from workflow.forms.condition_reading import read_cond
from workflow.forms.conditions import Cond
from workflow.forms.findings import Finding, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

# Contract, Conventions: documents are at most this deep.
DEEPEST = 64
# Enough for any honest document; a hostile one is not answered with megabytes.
MOST_FINDINGS = 500
ZERO = "PT0S"

_ROOT = inspect.type_info(Flowdoc)
_STEPS = inspect.type_info(AnyStep)
_STEP_MEMBERS: frozenset[str] = frozenset(
    member.encode_name for kind in getattr(_STEPS, "types", ()) for member in kind.fields
)
# Codes of lists that are too short, where the page has a word of its own.
_TOO_SHORT = {"branches": "branch.too_few", "any_of": "people.none", "ids": "people.none"}


class _Shape(NamedTuple):
    """What follows from the description of a type; ``kind`` is held, so its id stays its own."""

    kind: inspect.Type
    structs: list[inspect.StructType]
    members: dict[str, inspect.Field]
    required: tuple[str, ...]


# Descriptions are made once for the whole program, so each is looked at once.
_SHAPES_OF: dict[int, _Shape] = {}


def _shape_of(kind: inspect.UnionType | inspect.StructType) -> _Shape:
    found = _SHAPES_OF.get(id(kind))
    if found is None:
        types = kind.types if isinstance(kind, inspect.UnionType) else ()
        fields = kind.fields if isinstance(kind, inspect.StructType) else ()
        found = _Shape(
            kind,
            [each for each in types if isinstance(each, inspect.StructType)],
            {member.encode_name: member for member in fields},
            tuple(member.encode_name for member in fields if member.required),
        )
        _SHAPES_OF[id(kind)] = found
    return found


class Enough(Exception):
    """More problems than anybody reads."""


class Reader:
    """One reading of one document: its findings, and the places that hold a stand-in."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.broken: list[str] = []

    def document(self, raw: object) -> Flowdoc:
        """The document, with stand-ins at the broken places. Raises Enough."""
        document: Flowdoc = self.value(_ROOT, raw, Place())
        return document

    def note(self, code: str, place: Place, args: Mapping[str, str | int] | None = None) -> None:
        """Keep a finding. Raises Enough when there are too many."""
        if len(self.findings) >= MOST_FINDINGS:
            raise Enough
        self.findings.append(Finding(code, place.at, place.step, args=args or {}))

    def refuse(self, kind: inspect.Type, place: Place, fault: Fault) -> Any:
        """Keep a finding and give the stand-in for a value of that kind."""
        self.note(fault.code, place, fault.args)
        self.broken.append(place.at)
        return stand_in(kind)

    def value(self, kind: inspect.Type, raw: object, place: Place) -> Any:
        """What `raw` is as a value of `kind`."""
        if place.depth > DEEPEST:
            return self.refuse(kind, place, Fault("doc.depth", {"high": DEEPEST}))
        compound = _COMPOUND.get(type(kind))
        if compound is not None:
            return compound(self, kind, raw, place)
        read = read_scalar(kind, raw)
        return self.refuse(kind, place, read) if isinstance(read, Fault) else read

    def _one_of(self, kind: inspect.UnionType, raw: object, place: Place) -> Any:
        structs = _shape_of(kind).structs
        if isinstance(raw, dict) and len(structs) > 1:
            return self._tagged(kind, structs, raw, place)
        for each in kind.types:
            if _may_be(each, raw):
                return self.value(each, raw, place)
        expected = " | ".join(dict.fromkeys(_called(each) for each in kind.types))
        return self.refuse(kind, place, Fault("doc.bad_type", {"expected": expected}))

    def _tagged(
        self,
        kind: inspect.UnionType,
        structs: list[inspect.StructType],
        raw: dict[object, object],
        place: Place,
    ) -> Any:
        field = structs[0].tag_field or ""
        tag = raw.get(field)
        for each in structs:
            if isinstance(tag, str) and each.tag == tag:
                return self._struct(each, raw, place)
        is_step = field == "kind"
        inner = place.inside(_step_id(raw)) if is_step else place
        if tag is None:
            self._missing(field, inner)
        elif not isinstance(tag, str):
            self.note("doc.bad_type", inner.below(field), {"expected": "text"})
        elif is_step:
            self.note("step.unknown_kind", inner.below(field), {"kind": printable(tag)})
        else:
            expected = ", ".join(str(each.tag) for each in structs)
            got = {"expected": expected, "got": printable(tag)}
            self.note("doc.bad_value", inner.below(field), got)
        self.broken.append(place.at)
        return _placeholder(raw) if is_step else stand_in(kind)

    def _struct(self, kind: inspect.StructType, raw: object, place: Place) -> Any:
        if not isinstance(raw, dict):
            return self.refuse(kind, place, Fault("doc.bad_type", {"expected": "object"}))
        if kind.cls is Cond:
            return self._condition(raw, place)
        if kind.cls is Deadline:
            return self._deadline(kind, raw, place)
        if issubclass(kind.cls, Step):
            place = place.inside(_step_id(raw))
        return self._members(kind, raw, place)

    def _members(self, kind: inspect.StructType, raw: dict[object, object], place: Place) -> Any:
        shape = _shape_of(kind)
        members = shape.members
        values: dict[str, Any] = {}
        for name in shape.required:
            if _absent(kind, name, raw):
                member = members[name]
                self._missing(name, place, owner=kind.cls)
                values[member.name] = stand_in(member.type)
        self._exactly_one(kind, raw, place)
        for key, given in raw.items():
            found = members.get(key) if isinstance(key, str) else None
            if found is not None and found.name not in values:
                values[found.name] = self.value(found.type, given, place.below(found.encode_name))
            elif found is None and key != kind.tag_field:
                self._unknown(kind, _key(key), place)
        return kind.cls(**values)

    def _missing(self, name: str, place: Place, owner: type | None = None) -> None:
        self.broken.append(place.below(name).at)
        if name == "id" and owner is not None and issubclass(owner, Step | Branch):
            self.note("id.missing", place)
        elif name == "join":
            self.note("join.missing", place)
        else:
            code = "step.field_missing" if place.at.startswith("/steps/") else "doc.field_missing"
            self.note(code, place, {"field": name})

    def _unknown(self, kind: inspect.StructType, name: str, place: Place) -> None:
        args: dict[str, str | int] = {"key": printable(name)}
        if issubclass(kind.cls, Step) and name in _STEP_MEMBERS:
            args["kind"] = str(kind.tag)
            self.note("step.field_not_allowed", place.below(name), args)
        else:
            self.note("doc.unknown_key", place.below(name), args)

    def _exactly_one(
        self, kind: inspect.StructType, raw: dict[object, object], place: Place
    ) -> None:
        rule = ONE_OF.get(kind.cls)
        if rule is not None and not rule.low <= how_many(rule, raw) <= rule.high:
            self.note("doc.one_of", place, {"fields": rule.words})
            self.broken.append(place.at)

    def _condition(self, raw: dict[object, object], place: Place) -> Any:
        cond, findings = read_cond(raw, place.at, place.step)
        for finding in findings:
            if len(self.findings) >= MOST_FINDINGS:
                raise Enough
            self.findings.append(finding)
        if cond is None:
            self.broken.append(place.at)
        return cond

    def _deadline(self, kind: inspect.StructType, raw: dict[object, object], place: Place) -> Any:
        # 0, blank and absent mean "off" and are valid (P8): the document has no deadline then.
        after = raw.get("after")
        off = after is None or read_scalar_minutes(after) == ZERO
        whole = {"after": "PT1M", **raw} if off else raw
        if off and "after" in raw:
            whole["after"] = "PT1M"
        deadline = self._members(kind, whole, place)
        return None if off else deadline

    def _list(self, kind: inspect.VarTupleType, raw: object, place: Place) -> Any:
        if not isinstance(raw, list | tuple):
            return self.refuse(kind, place, Fault("doc.bad_type", {"expected": "list"}))
        self._length(kind, len(raw), place)
        return tuple(
            self.value(kind.item_type, item, place.below(number))
            for number, item in enumerate(raw[: kind.max_length])
        )

    def _mapping(self, kind: inspect.DictType, raw: object, place: Place) -> Any:
        if not isinstance(raw, dict):
            return self.refuse(kind, place, Fault("doc.bad_type", {"expected": "object"}))
        self._length(kind, len(raw), place)
        read: dict[Any, Any] = {}
        for name, given in list(raw.items())[: kind.max_length]:
            here = place.below(_key(name))
            read[self.value(kind.key_type, name, here)] = self.value(kind.value_type, given, here)
        return read

    def _length(
        self, kind: inspect.VarTupleType | inspect.DictType, length: int, place: Place
    ) -> None:
        low, high = kind.min_length or 0, kind.max_length
        args: dict[str, str | int]
        if length < low:
            short = _TOO_SHORT.get(place.at.rpartition("/")[2])
            args = {} if short else {"low": low, "high": high or low, "got": length}
            self.note(short or "doc.out_of_range", place, args)
            self.broken.append(place.at)
        elif high is not None and length > high:
            steps = place.at.endswith("/steps")
            args = {"high": high} if steps else {"low": low, "high": high, "got": length}
            self.note("doc.size" if steps else "doc.out_of_range", place, args)
            self.broken.append(place.at)


_COMPOUND: Mapping[type, Callable[[Reader, Any, object, Place], Any]] = {
    inspect.UnionType: Reader._one_of,  # noqa: SLF001 - the class's own methods, by kind
    inspect.StructType: Reader._struct,  # noqa: SLF001
    inspect.VarTupleType: Reader._list,  # noqa: SLF001
    inspect.DictType: Reader._mapping,  # noqa: SLF001
}


def read_scalar(kind: inspect.Type, raw: object) -> Any:
    """A text, number, truth value, literal or null; a Fault when `raw` is none of that kind."""
    if isinstance(kind, inspect.Metadata):
        reads = (kind.extra or {}).get("reads")
        return read_scalar(kind.type, raw) if reads is None else _meaning(reads, raw)
    reader: Callable[[Any, Any], Any] | None = _SCALARS.get(type(kind))
    if reader is None or not _may_be(kind, raw):
        return Fault("doc.bad_type", {"expected": _called(kind)})
    return reader(kind, raw)


def read_scalar_minutes(raw: object) -> str | Fault:
    """The duration of a number of minutes or a duration's text."""
    return read_meaning("minutes", raw)


def _meaning(reads: str, raw: object) -> str | Fault:
    read = read_meaning(reads, raw)
    if reads == "minutes" and read == ZERO:
        return Fault("deadline.bad_value")
    return read


def _integer(kind: inspect.IntType, raw: int) -> int | Fault:
    low, high = kind.ge or 0, kind.le or 0
    if low <= raw <= high:
        return raw
    # A number of a thousand digits cannot even be written into the answer.
    got: dict[str, str | int] = {"got": raw} if abs(raw) < 10**18 else {"got": "…"}
    return Fault("doc.out_of_range", {"low": low, "high": high, **got})


def _literal(kind: inspect.LiteralType, raw: object) -> object:
    if raw in kind.values:
        return raw
    expected = ", ".join(str(each) for each in kind.values)
    got = printable(raw) if isinstance(raw, str) else "…"
    return Fault("doc.bad_value", {"expected": expected, "got": got})


_SCALARS: Mapping[type, Callable[[Any, Any], Any]] = {
    inspect.StrType: read_text,
    inspect.IntType: _integer,
    inspect.LiteralType: _literal,
    inspect.BoolType: lambda _kind, raw: raw,
    inspect.NoneType: lambda _kind, raw: raw,
}

_EMPTY: Mapping[type, Callable[[], object]] = {
    inspect.StrType: str,
    inspect.BoolType: bool,
    inspect.NoneType: lambda: None,
    inspect.VarTupleType: tuple,
    inspect.DictType: dict,
}

_SHAPES: Mapping[type, tuple[str, tuple[type, ...]]] = {
    inspect.StrType: ("text", (str,)),
    inspect.IntType: ("whole number", (int,)),
    inspect.BoolType: ("true or false", (bool,)),
    inspect.NoneType: ("null", (type(None),)),
    inspect.VarTupleType: ("list", (list, tuple)),
    inspect.DictType: ("object", (dict,)),
    inspect.StructType: ("object", (dict,)),
}


def _may_be(kind: inspect.Type, raw: object) -> bool:
    """Whether a raw value has the JSON shape of the kind; a truth value is no number."""
    if isinstance(kind, inspect.Metadata):
        reads = (kind.extra or {}).get("reads")
        if reads == "minutes":
            return isinstance(raw, str | int | float) and not isinstance(raw, bool)
        return _may_be(kind.type, raw)
    if isinstance(kind, inspect.LiteralType):
        return type(raw) in {type(each) for each in kind.values}
    _, shapes = _SHAPES[type(kind)]
    return isinstance(raw, shapes) and (not isinstance(raw, bool) or bool in shapes)


def _called(kind: inspect.Type) -> str:
    if isinstance(kind, inspect.Metadata):
        return _called(kind.type)
    if isinstance(kind, inspect.LiteralType):
        return "text" if isinstance(kind.values[0], str) else "whole number"
    return _SHAPES[type(kind)][0]


def _absent(kind: inspect.StructType, name: str, raw: dict[object, object]) -> bool:
    if name not in raw:
        return True
    return name == "id" and issubclass(kind.cls, Step | Branch) and raw[name] in (None, "")


def _key(name: object) -> str:
    # JSON has no other keys than texts; what a program hands in may have.
    return name if isinstance(name, str) else type(name).__name__


def _step_id(raw: dict[object, object]) -> str | None:
    found = raw.get("id")
    return printable(found) if isinstance(found, str) and found else None


def _placeholder(raw: dict[object, object]) -> AutoStep:
    return AutoStep(id=_step_id(raw) or "", name="?", verdict="approve")


def stand_in(kind: inspect.Type) -> Any:
    """A harmless value of a kind, for a place that could not be read."""
    if isinstance(kind, inspect.Metadata):
        reads = (kind.extra or {}).get("reads")
        return "PT1M" if reads in {"minutes", "duration"} else stand_in(kind.type)
    if isinstance(kind, inspect.UnionType):
        kinds = [each for each in kind.types if isinstance(each, inspect.NoneType)]
        return stand_in(kinds[0] if kinds else kind.types[0])
    if isinstance(kind, inspect.StructType):
        required = {each.name: stand_in(each.type) for each in kind.fields if each.required}
        return None if kind.cls is Cond else kind.cls(**required)
    return _stand_in_scalar(kind)


def _stand_in_scalar(kind: inspect.Type) -> Any:
    if isinstance(kind, inspect.LiteralType):
        return kind.values[0]
    if isinstance(kind, inspect.IntType):
        return kind.ge or 0
    return _EMPTY[type(kind)]()
