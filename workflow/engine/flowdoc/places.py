"""Where in a document something stands, and the order of such places."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import inspect

from workflow.engine.flowdoc.steps import Branch
from workflow.forms.conditions import Cond
from workflow.forms.findings import Finding, child

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Place(NamedTuple):
    """A JSON Pointer, the id of the step around it, and how many values are open around it."""

    at: str = ""
    step: str | None = None
    depth: int = 0

    def below(self, part: str | int) -> Place:
        """The place of a member or element."""
        return Place(child(self.at, part), self.step, self.depth + 1)

    def inside(self, step: str | None) -> Place:
        """The same place, in the step of that id."""
        return self._replace(step=step)


def in_document_order(root: object, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings sorted by where they stand in `root`: raw JSON, or a document of structs.

    Members that are missing come before those that are there; equal places keep their order.
    """
    order = _Order(root)
    return tuple(sorted(findings, key=lambda finding: order.ranks(finding.at)))


class _Order:
    """The ranks of members in one document; each object in it is listed once."""

    def __init__(self, root: object) -> None:
        self.root = root
        self.listed: dict[int, dict[str, tuple[int, object]]] = {}

    def ranks(self, at: str) -> list[int]:
        """The rank of each part of a JSON Pointer; -1 for what is not there."""
        ranks = []
        here = self.root
        for part in at.split("/")[1:]:
            rank, here = self._members(here).get(part, (-1, None))
            ranks.append(rank)
        return ranks

    def _members(self, here: object) -> dict[str, tuple[int, object]]:
        # By identity: nothing in the document dies while its order is asked for.
        if id(here) not in self.listed:
            members: Iterable[tuple[str | int, object]] = (
                enumerate(here) if isinstance(here, list | tuple) else _members(here)
            )
            self.listed[id(here)] = {
                child("", name)[1:]: (rank, value) for rank, (name, value) in enumerate(members)
            }
        return self.listed[id(here)]


def _members(here: object) -> Iterable[tuple[str, object]]:
    if isinstance(here, dict):
        return ((name, value) for name, value in here.items() if isinstance(name, str))
    if isinstance(here, msgspec.Struct):
        names: Any = zip(here.__struct_encode_fields__, here.__struct_fields__, strict=True)
        return ((name, getattr(here, attribute)) for name, attribute in names)
    return ()


def parts_of(root: msgspec.Struct, at: str) -> Iterator[tuple[msgspec.Struct, str]]:
    """A struct and all structs in it with their JSON Pointers, in document order.

    Conditions are given whole. The steps inside a branch are left out: each is looked at as a
    step of its own.
    """
    waiting: list[tuple[object, str]] = [(root, at)]
    while waiting:
        value, here = waiting.pop()
        if isinstance(value, msgspec.Struct):
            yield value, here
        waiting.extend(reversed(_inside(value, here)))


# What may hold structs; everything else is not even given a place.
_HOLDING = (msgspec.Struct, tuple, dict)


def _inside(value: object, at: str) -> list[tuple[object, str]]:
    if isinstance(value, Cond):
        return []
    if isinstance(value, tuple):
        return [
            (item, child(at, number))
            for number, item in enumerate(value)
            if isinstance(item, _HOLDING)
        ]
    if isinstance(value, msgspec.Struct):
        members = ((each, getattr(value, each.attribute)) for each in _parts_of(type(value)))
        return [
            (member, at + each.below)
            for each, member in members
            if member and isinstance(member, _HOLDING)
        ]
    return [
        (member, child(at, name))
        for name, member in _members(value)
        if isinstance(member, _HOLDING)
    ]


class _Part(NamedTuple):
    """A member of a struct: the attribute, and what it adds to the place of the struct."""

    attribute: str
    below: str


@lru_cache(maxsize=256)
def _parts_of(kind: type[msgspec.Struct]) -> tuple[_Part, ...]:
    """The members of a kind of struct in which structs may lie."""
    described = inspect.type_info(kind)
    fields = described.fields if isinstance(described, inspect.StructType) else ()
    return tuple(
        _Part(each.name, child("", each.encode_name))
        for each in fields
        if _may_hold(each.type) and not (each.encode_name == "steps" and issubclass(kind, Branch))
    )


def _may_hold(kind: inspect.Type) -> bool:
    if isinstance(kind, inspect.Metadata):
        return _may_hold(kind.type)
    if isinstance(kind, inspect.UnionType):
        return any(_may_hold(each) for each in kind.types)
    if isinstance(kind, inspect.VarTupleType):
        return _may_hold(kind.item_type)
    if isinstance(kind, inspect.DictType):
        return _may_hold(kind.value_type)
    return isinstance(kind, inspect.StructType)
