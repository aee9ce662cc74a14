"""The ledger of an import: which members of the source file somebody has looked at.

Each object of the file is wrapped in a `Source`, whose members are asked for by name; asking
marks the member. When the conversion is over, `Ledger.leftovers` tells every member that nobody
asked for. So no part of a file is lost in silence, also not one that a newer version of the other
system has added and this importer has never heard of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from workflow.forms.findings import Finding, child, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NOTHING: tuple[object, ...] = (None, "", [], {})


class Vocabulary(NamedTuple):
    """What a format's members are when nobody asked for them.

    `settings` are known members of steps with the values that the other designer writes without
    being told to: such a value says nothing, another one is a setting without effect. `labels`
    are known members that never decide anything: names, numbers of rows, traces of the page.
    """

    settings: Mapping[str, tuple[object, ...]]
    labels: frozenset[str]


class Ledger:
    """All objects of one file that were looked into."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.sources: dict[str, Source] = {}
        self.findings: list[Finding] = []

    def wrap(self, raw: dict[str, Any], at: str) -> Source:
        """The object at this position; the same one however often it is asked for."""
        return self.sources.setdefault(at, Source(self, raw, at))

    def leftovers(self) -> Iterator[Finding]:
        """A finding for every member with a value that nobody asked for."""
        for source in self.sources.values():
            for name, value in source.raw.items():
                if name not in source.seen and value not in NOTHING:
                    found = self._judged(name, value, child(source.at, name))
                    if found is not None:
                        yield found

    def _judged(self, name: str, value: object, at: str) -> Finding | None:
        args: dict[str, str | int] = {"key": printable(name)}
        if name in self.vocabulary.settings:
            if any(_same(value, one) for one in self.vocabulary.settings[name]):
                return None
            return Finding("import.without_effect", at, level="warning", args=args)
        if name in self.vocabulary.labels:
            return Finding("import.left_out", at, level="warning", args=args)
        return Finding("import.unknown_member", at, args=args)


class Source:
    """One object of the file and its position; each way of asking marks the member as seen.

    A value of the wrong type is the finding `import.bad_type` and counts as absent.
    """

    __slots__ = ("at", "ledger", "raw", "seen")

    def __init__(self, ledger: Ledger, raw: dict[str, Any], at: str) -> None:
        self.ledger = ledger
        self.raw = raw
        self.at = at
        self.seen: set[str] = set()

    def place(self, name: str) -> str:
        """The JSON Pointer of a member, present or not."""
        return child(self.at, name)

    def has(self, name: str) -> bool:
        """Whether the member says anything; does not mark it."""
        return self.raw.get(name) not in NOTHING

    def take(self, name: str) -> object:
        """The member as it stands, whatever it is; None when absent."""
        self.seen.add(name)
        return self.raw.get(name)

    def text(self, name: str) -> str:
        """A text, or a whole number as text; "" when absent."""
        value = self.take(name)
        if value in NOTHING:
            return ""
        if isinstance(value, str):
            return value.strip()
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        self._bad(name, "text")
        return ""

    def whole(self, name: str) -> int | None:
        """A whole number, also one that is written as text; None when absent or blank."""
        value = self.take(name)
        if value in NOTHING:
            return None
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        if isinstance(value, str) and _is_whole(value.strip()):
            return int(value)
        self._bad(name, "whole number")
        return None

    def flag(self, name: str) -> bool:
        """True or false; absent is false."""
        value = self.take(name)
        if isinstance(value, bool):
            return value
        if value in NOTHING:
            return False
        if value in (0, 1):
            return value == 1
        self._bad(name, "true or false")
        return False

    def object(self, name: str) -> Source | None:
        """The object in this member; None when absent."""
        value = self.take(name)
        if value in NOTHING:
            return None
        if isinstance(value, dict):
            return self.ledger.wrap(value, self.place(name))
        self._bad(name, "object")
        return None

    def objects(self, name: str) -> list[Source]:
        """The objects of a list; [] when absent. An element that is none is a finding."""
        at = self.place(name)
        wrapped: list[Source] = []
        for number, value in enumerate(self.listed(name)):
            if isinstance(value, dict):
                wrapped.append(self.ledger.wrap(value, child(at, number)))
            else:
                self.ledger.findings.append(_bad_type(child(at, number), "object"))
        return wrapped

    def listed(self, name: str) -> list[Any]:
        """The elements of a list as they stand; [] when absent."""
        value = self.take(name)
        if value in NOTHING:
            return []
        if isinstance(value, list):
            return value
        self._bad(name, "list")
        return []

    def _bad(self, name: str, expected: str) -> None:
        self.ledger.findings.append(_bad_type(self.place(name), expected))


def _bad_type(at: str, expected: str) -> Finding:
    return Finding("import.bad_type", at, args={"expected": expected})


def _same(value: object, other: object) -> bool:
    # 0 and False are equal in Python and not in a file; "1" and 1 are the same setting.
    if isinstance(value, bool) or isinstance(other, bool):
        return value is other
    return value == other or str(value) == str(other)


def _is_whole(text: str) -> bool:
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) < 16
