"""Who the people of a source file are here: the file given with `--people`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from workflow.forms.findings import Finding, child, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workflow.importing.report import Kind

_ROOMS: dict[str, Kind] = {
    "users": "user",
    "roles": "role",
    "departments": "department",
    "groups": "group",
}
_TEXTS = ("flows", "triggers")


@dataclass(frozen=True, slots=True)
class People:
    """What somebody said about ids of the source file.

    `codes` leads from (kind, source id) to a directory code. A role, department or group may also
    be named people: `members`. `flows` says which of our processes another one is, `triggers`
    which https address stands for a program of the other system.
    """

    codes: Mapping[tuple[Kind, str], str] = field(default_factory=dict)
    members: Mapping[tuple[Kind, str], tuple[str, ...]] = field(default_factory=dict)
    flows: Mapping[str, str] = field(default_factory=dict)
    triggers: Mapping[str, str] = field(default_factory=dict)


NO_MAPPING = People()


def read_mapping(raw: object) -> tuple[People, tuple[Finding, ...]]:
    """The mapping in parsed JSON, and everything that is wrong with it.

    `{"users": {"their id": "login"}, "roles": {"their id": "code" | {"users": ["login"]}},
    "departments": …, "groups": …, "flows": {"their key": "our key"},
    "triggers": {"their class": "https://…"}}`; every member may be missing.
    """
    reading = _Reading()
    if not isinstance(raw, dict):
        reading.bad("", "object")
        return NO_MAPPING, tuple(reading.findings)
    for room, entries in raw.items():
        at = child("", room)
        if room not in _ROOMS and room not in _TEXTS:
            args: dict[str, str | int] = {"key": printable(room)}
            reading.findings.append(Finding("doc.unknown_key", at, args=args))
        elif not isinstance(entries, dict):
            reading.bad(at, "object")
        else:
            reading.room(room, entries, at)
    made = People(
        reading.codes, reading.members, reading.texts["flows"], reading.texts["triggers"]
    )
    return made, tuple(reading.findings)


class _Reading:
    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.codes: dict[tuple[Kind, str], str] = {}
        self.members: dict[tuple[Kind, str], tuple[str, ...]] = {}
        self.texts: dict[str, dict[str, str]] = {name: {} for name in _TEXTS}

    def room(self, room: str, entries: dict[str, Any], at: str) -> None:
        for source_id, value in entries.items():
            where = child(at, source_id)
            if isinstance(value, str) and value:
                if room in _TEXTS:
                    self.texts[room][source_id] = value
                else:
                    self.codes[_ROOMS[room], source_id] = value
            elif room in _TEXTS or room == "users":
                self.bad(where, "text")
            else:
                self._members(_ROOMS[room], source_id, value, where)

    def _members(self, kind: Kind, source_id: str, value: object, at: str) -> None:
        logins = value.get("users") if isinstance(value, dict) and len(value) == 1 else None
        if isinstance(logins, list) and logins and all(isinstance(one, str) for one in logins):
            self.members[kind, source_id] = tuple(logins)
        else:
            self.bad(at, "text")

    def bad(self, at: str, expected: str) -> None:
        self.findings.append(Finding("doc.bad_type", at, args={"expected": expected}))
