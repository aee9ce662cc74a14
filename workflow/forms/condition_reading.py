"""Reads a condition out of raw JSON and reports everything that is wrong with its structure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

import msgspec

from workflow.forms.conditions import DEEPEST, MOST_LEAVES, Cond, Scalar
from workflow.forms.findings import Finding, child, printable
from workflow.forms.operators import MOST_LISTED
from workflow.forms.scalars import SAFE_INTEGER, bad_character

if TYPE_CHECKING:
    from collections.abc import Mapping

# The member that gives a node its shape, and those that may stand beside it.
_BESIDE: dict[str, frozenset[str]] = {
    "all": frozenset(),
    "any": frozenset(),
    "not": frozenset(),
    "field": frozenset({"op", "value"}),
    "initiator": frozenset({"ids"}),
    "rule": frozenset({"version", "is"}),
    "step": frozenset({"outcome"}),
}
_LONGEST_NAME = 128
_LONGEST_OPERAND = 1_000


def read_cond(raw: object, at: str, step: str | None) -> tuple[Cond | None, tuple[Finding, ...]]:
    """The condition in `raw`, or None and every structural problem in document order.

    `at` is the JSON Pointer of `raw`, `step` the step it belongs to. Nothing that JSON can hold
    makes it raise. Whether fields exist and operators fit is `condition_checks.check`.
    """
    reading = _Reading(step)
    data = reading.node(raw, at, 1)
    if reading.findings or data is None:
        return None, tuple(reading.findings)
    return msgspec.convert(data, Cond), ()


class _Reading:
    """One pass over one condition; `findings` fills on the way."""

    def __init__(self, step: str | None) -> None:
        self.step = step
        self.findings: list[Finding] = []
        self.leaves = 0

    def node(self, raw: object, at: str, depth: int) -> dict[str, Any] | None:
        if depth > DEEPEST:
            self._add("cond.depth", at, max=DEEPEST)
            return None
        if not isinstance(raw, dict):
            self._count(at)
            self._add("doc.bad_type", at, expected="condition")
            return None
        shapes = [name for name in raw if name in _BESIDE]
        if len(shapes) != 1:
            self._count(at)
            self._add("cond.bad_shape", at, found=len(shapes))
            return None
        kind: str = shapes[0]
        self._unknown_keys(raw, kind, at)
        match kind:
            case "all" | "any":
                return {kind: self._list(raw[kind], child(at, kind), depth)}
            case "not":
                return {kind: self.node(raw[kind], child(at, kind), depth + 1)}
            case _:
                return self._leaf(raw, kind, at)

    def _leaf(self, raw: Mapping[str, object], kind: str, at: str) -> dict[str, Any]:
        self._count(at)
        match kind:
            case "field":
                return self._field(raw, at)
            case "initiator":
                return self._initiator(raw, at)
            case "rule":
                return self._rule(raw, at)
            case _:
                return self._step(raw, at)

    def _list(self, raw: object, at: str, depth: int) -> list[dict[str, Any] | None]:
        if not isinstance(raw, list | tuple):
            self._add("doc.bad_type", at, expected="list")
            return []
        if not raw:
            self._count(at)
            self._add("cond.bad_value", at, op="")
        read = []
        for number, part in enumerate(raw):
            if self.leaves > MOST_LEAVES:
                break
            read.append(self.node(part, child(at, number), depth + 1))
        return read

    def _field(self, raw: Mapping[str, object], at: str) -> dict[str, Any]:
        read: dict[str, Any] = {"field": self._name(raw["field"], child(at, "field"))}
        op = raw.get("op")
        if isinstance(op, str) and op and len(op) <= _LONGEST_NAME:
            read["op"] = op
        else:
            self._add("cond.bad_op", child(at, "op"), op=_word(op))
        if raw.get("value") is not None:
            read["value"] = self._operand(raw["value"], child(at, "value"))
        return read

    def _initiator(self, raw: Mapping[str, object], at: str) -> dict[str, Any]:
        kind, ids = raw["initiator"], raw.get("ids")
        if kind not in ("in_role", "in_department", "is"):
            self._add("cond.bad_op", child(at, "initiator"), op=_word(kind))
        where = child(at, "ids")
        if not isinstance(ids, list | tuple) or not 1 <= len(ids) <= MOST_LISTED:
            self._add("cond.bad_value", where, op="ids")
            return {}
        names = [self._name(name, child(where, number)) for number, name in enumerate(ids)]
        return {"initiator": kind, "ids": names}

    def _rule(self, raw: Mapping[str, object], at: str) -> dict[str, Any]:
        read: dict[str, Any] = {"rule": self._name(raw["rule"], child(at, "rule"))}
        version = raw.get("version")
        if version is not None:
            read["version"] = version
            known = type(version) is int and 1 <= version <= SAFE_INTEGER
            if not known and version != "latest_at_entry":
                self._add("cond.bad_value", child(at, "version"), op="version")
        if raw.get("is") is not None:
            read["is"] = self._scalar(raw["is"], child(at, "is"))
        return read

    def _step(self, raw: Mapping[str, object], at: str) -> dict[str, Any]:
        outcome = raw.get("outcome")
        if outcome not in ("approved", "rejected", "skipped"):
            self._add("cond.bad_value", child(at, "outcome"), op="outcome")
        return {"step": self._name(raw["step"], child(at, "step")), "outcome": outcome}

    def _operand(self, raw: object, at: str) -> Scalar | list[Scalar | None] | None:
        if not isinstance(raw, list | tuple):
            return self._scalar(raw, at)
        if len(raw) > MOST_LISTED:
            self._add("cond.bad_value", at, op="")
            return None
        return [self._scalar(item, child(at, number)) for number, item in enumerate(raw)]

    def _scalar(self, raw: object, at: str) -> Scalar | None:
        if isinstance(raw, bool):
            return raw
        if isinstance(raw, int) and abs(raw) <= SAFE_INTEGER:
            return raw
        if _is_text(raw, range(_LONGEST_OPERAND + 1), lines=True):
            return raw
        self._add("cond.bad_value", at, op="")
        return None

    def _name(self, raw: object, at: str) -> str:
        if _is_text(raw, range(1, _LONGEST_NAME + 1), lines=False):
            return raw
        self._add("doc.bad_type", at, expected="text")
        return ""

    def _unknown_keys(self, raw: Mapping[object, object], kind: str, at: str) -> None:
        for key in raw:
            if key != kind and key not in _BESIDE[kind]:
                name = key if isinstance(key, str) else str(type(key).__name__)
                self._add("doc.unknown_key", child(at, name), key=printable(name))

    def _count(self, at: str) -> None:
        self.leaves += 1
        if self.leaves == MOST_LEAVES + 1:
            self._add("cond.too_many", at, max=MOST_LEAVES)

    def _add(self, code: str, at: str, **args: str | int) -> None:
        self.findings.append(Finding(code, at, self.step, args=args))


def _is_text(raw: object, lengths: range, *, lines: bool) -> TypeGuard[str]:
    return isinstance(raw, str) and len(raw) in lengths and bad_character(raw, lines=lines) is None


def _word(raw: object) -> str:
    return printable(raw) if isinstance(raw, str) else ""
