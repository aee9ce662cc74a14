"""A small pattern language whose matching takes time linear in the text, whatever the pattern.

Theory of operation. Python's own patterns backtrack, so one condition could stop a worker. Here a
pattern becomes a position automaton: every letter of the pattern is a state, and the set of states
reached so far is one integer, so a text of n characters costs n steps of at most `MOST_POSITIONS`
bits. There is nothing to go back to, hence no back-references, look-around or laziness.

Understood: letters, `.` (no newline), `[a-z]`, `[^…]`, `\\d \\w \\s \\D \\W \\S \\n \\t`, a
backslash before punctuation, `* + ?`, `{n}`, `{n,}`, `{n,m}`, `|`, `( )`, and `^ $` for the ends
of the text. As in RE2, a match may lie anywhere unless it is anchored.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_PATTERN = 200
MOST_POSITIONS = 200
_DEEPEST = 20
_MOST_REPEATS = 50
_MOST_ATOMS = 1_000  # empty groups take no position, and repeating them still takes time

# Two symbols that no text contains, because each is longer than a character. An anchor is a
# position like any other and takes one of them.
_START = "start"
_END = "end"
_DIGITS = frozenset("0123456789")
_WORD = _DIGITS | frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_SPACE = frozenset(" \t\n\r\f\v")
_CLASSES = {"d": _DIGITS, "w": _WORD, "s": _SPACE}
_ESCAPES = {"n": "\n", "t": "\t"}


class UnsafePattern(ValueError):
    """The pattern is outside the language; the argument is the reason's code."""


@dataclass(frozen=True, slots=True)
class _Letter:
    """What one position of a pattern accepts: an anchor, or characters by set and ranges."""

    anchor: str = ""
    members: frozenset[str] = frozenset()
    ranges: tuple[tuple[str, str], ...] = ()
    without: tuple[frozenset[str], ...] = ()  # \D inside a class: everything but these
    negated: bool = False

    def accepts(self, symbol: str) -> bool:
        if self.anchor or len(symbol) > 1:
            return symbol == self.anchor
        inside = (
            symbol in self.members
            or any(low <= symbol <= high for low, high in self.ranges)
            or any(symbol not in others for others in self.without)
        )
        return inside != self.negated


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of the automaton: its entry and exit positions, and whether it matches nothing."""

    first: int
    last: int
    nullable: bool


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern; bit i of each integer stands for position i."""

    letters: tuple[_Letter, ...]
    follow: tuple[int, ...]
    first: int
    last: int
    nullable: bool

    def found_in(self, text: str) -> bool:
        """Whether some stretch of the text matches."""
        if self.nullable:
            return True
        accepting: dict[str, int] = {}
        after: dict[int, int] = {0: self.first}
        states = 0
        for symbol in (_START, *text, _END):
            if symbol not in accepting:
                accepting[symbol] = self._accepting(symbol)
            if states not in after:
                after[states] = self.first | self._after(states)
            states = after[states] & accepting[symbol]
            if states & self.last:
                return True
        return False

    def _accepting(self, symbol: str) -> int:
        return sum(1 << at for at, letter in enumerate(self.letters) if letter.accepts(symbol))

    def _after(self, states: int) -> int:
        reached = 0
        for at in _bits(states):
            reached |= self.follow[at]
        return reached


@lru_cache(maxsize=256)
def compile_pattern(text: str) -> Pattern:
    """The automaton of a pattern.

    Raises UnsafePattern with one of the reasons `length`, `depth`, `size`, `repeat`, `escape`,
    `class`, `group`.
    """
    if len(text) > LONGEST_PATTERN:
        raise UnsafePattern("length")
    parser = _Parser(text)
    part = parser.alternatives(depth=0)
    if parser.at < len(text):
        raise UnsafePattern("group")
    return Pattern(
        tuple(parser.letters), tuple(parser.follow), part.first, part.last, part.nullable
    )


class _Parser:
    """Reads a pattern once from left to right and numbers its letters on the way."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.letters: list[_Letter] = []
        self.follow: list[int] = []
        self.atoms = 0

    def alternatives(self, depth: int) -> _Part:
        if depth > _DEEPEST:
            raise UnsafePattern("depth")
        whole = self._sequence(depth)
        while self._peek() == "|":
            self.at += 1
            other = self._sequence(depth)
            whole = _Part(
                whole.first | other.first,
                whole.last | other.last,
                whole.nullable or other.nullable,
            )
        return whole

    def _sequence(self, depth: int) -> _Part:
        whole = _Part(0, 0, nullable=True)
        while self._peek() not in {"", "|", ")"}:
            whole = self._joined(whole, self._repeated(depth))
        return whole

    def _repeated(self, depth: int) -> _Part:
        begin = self.at
        part = self._atom(depth)
        end = self.at
        bounds = self._bounds()
        if bounds is None:
            return part
        if self._peek() in {"*", "+", "?", "{"}:
            raise UnsafePattern("repeat")
        resume, low, high = self.at, *bounds
        part = self._looped(part) if high is None and low <= 1 else part
        whole = part if low else _Part(part.first, part.last, nullable=True)
        for number in range(1, max(low, high or 0)):
            # Each further repetition reads the same stretch again, as positions of its own.
            self.at = begin
            again = self._atom(depth)
            self.at = end
            if high is None and number == low - 1:
                again = self._looped(again)
            optional = number >= low
            whole = self._joined(
                whole, _Part(again.first, again.last, nullable=optional or again.nullable)
            )
        self.at = resume
        return whole if high != 0 else _Part(0, 0, nullable=True)

    def _bounds(self) -> tuple[int, int | None] | None:
        sign = self._peek()
        if sign in {"*", "+", "?"}:
            self.at += 1
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[sign]
        if sign != "{":
            return None
        end = self.text.find("}", self.at)
        low, comma, high = self.text[self.at + 1 : max(end, self.at + 1)].partition(",")
        if end < 0 or not _is_count(low) or not (high == "" or _is_count(high)):
            raise UnsafePattern("repeat")
        self.at = end + 1
        least = int(low)
        most = None if comma and not high else int(high or low)
        if not least <= (least if most is None else most) <= _MOST_REPEATS:
            raise UnsafePattern("repeat")
        return least, most

    def _atom(self, depth: int) -> _Part:
        self.atoms += 1
        if self.atoms > _MOST_ATOMS:
            raise UnsafePattern("size")
        sign = self._take()
        if sign == "(":
            if self._peek() == "?":
                raise UnsafePattern("group")
            part = self.alternatives(depth + 1)
            if self._take() != ")":
                raise UnsafePattern("group")
            return part
        if sign in {"*", "+", "?", "{"}:
            raise UnsafePattern("repeat")
        return self._placed(self._letter(sign))

    def _letter(self, sign: str) -> _Letter:
        if sign == "^":
            return _Letter(anchor=_START)
        if sign == "$":
            return _Letter(anchor=_END)
        if sign == ".":
            return _Letter(members=frozenset("\n"), negated=True)
        if sign == "[":
            return self._class()
        if sign == "\\":
            return self._escape()
        return _Letter(members=frozenset(sign))

    def _escape(self) -> _Letter:
        sign = self._take()
        if sign.lower() in _CLASSES:
            known = _CLASSES[sign.lower()]
            return _Letter(members=known, negated=sign.isupper())
        if sign in _ESCAPES:
            return _Letter(members=frozenset(_ESCAPES[sign]))
        if sign == "" or sign.isalnum() or ord(sign) > 126:
            raise UnsafePattern("escape")
        return _Letter(members=frozenset(sign))

    def _class(self) -> _Letter:
        negated = self._peek() == "^"
        self.at += negated
        members: set[str] = set()
        ranges: list[tuple[str, str]] = []
        without: list[frozenset[str]] = []
        while self._peek() != "]" or not (members or ranges or without):
            low = self._class_item()
            if low.negated:
                without.append(low.members)
            elif self._peek() == "-" and self.text[self.at + 1 : self.at + 2] not in {"", "]"}:
                self.at += 1
                ranges.append(_range(low, self._class_item()))
            else:
                members |= low.members
        self.at += 1
        return _Letter("", frozenset(members), tuple(ranges), tuple(without), negated)

    def _class_item(self) -> _Letter:
        sign = self._take()
        if sign == "" or (sign == "[" and self._peek() in {":", ".", "="}):
            raise UnsafePattern("class")
        return self._escape() if sign == "\\" else _Letter(members=frozenset(sign))

    def _placed(self, letter: _Letter) -> _Part:
        if len(self.letters) >= MOST_POSITIONS:
            raise UnsafePattern("size")
        self.letters.append(letter)
        self.follow.append(0)
        bit = 1 << (len(self.letters) - 1)
        return _Part(bit, bit, nullable=False)

    def _joined(self, left: _Part, right: _Part) -> _Part:
        self._link(left.last, right.first)
        return _Part(
            left.first | (right.first if left.nullable else 0),
            right.last | (left.last if right.nullable else 0),
            left.nullable and right.nullable,
        )

    def _looped(self, part: _Part) -> _Part:
        self._link(part.last, part.first)
        return part

    def _link(self, sources: int, targets: int) -> None:
        for at in _bits(sources):
            self.follow[at] |= targets

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _take(self) -> str:
        sign = self._peek()
        self.at += 1
        return sign


def _range(low: _Letter, high: _Letter) -> tuple[str, str]:
    if len(low.members) != 1 or len(high.members) != 1 or high.negated:
        raise UnsafePattern("class")
    ends = (*low.members, *high.members)
    if ends[0] > ends[1]:
        raise UnsafePattern("class")
    return ends[0], ends[1]


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 2


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
