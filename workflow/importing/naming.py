"""Ids and names: stable slugs made from those of the source file, each of them once."""

from __future__ import annotations

import re
import unicodedata

LONGEST_ID = 48
RESERVED = frozenset({"start", "end", "validate"})
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_OTHER = re.compile(r"[^a-z0-9]+")
_NOT_OF_CODES = re.compile(r"[^a-z0-9._-]+")
LONGEST_CODE = 64


def slug(text: str, prefix: str) -> str:
    """The id that a text of the source becomes: `eduLeagueType` → `edu_league_type`.

    Only ASCII letters and digits remain; `prefix` (letters) goes before what begins with a digit
    or `_`. The same text always gives the same slug; nothing remains of a text without any, and
    then the answer is "".
    """
    plain = unicodedata.normalize("NFKC", text)
    made = _OTHER.sub("_", _HUMP.sub("_", plain).lower()).strip("_")
    if made and not made[0].isalpha():
        made = f"{prefix}_{made}"
    return made[:LONGEST_ID].strip("_")


def code(text: str) -> str:
    """A source id in the spelling of directory codes; "" when nothing of it can be kept."""
    plain = unicodedata.normalize("NFKC", text).strip().lower()
    return _NOT_OF_CODES.sub("-", plain).strip("._-")[:LONGEST_CODE]


class Ids:
    """Gives ids that are unique in one document."""

    def __init__(self) -> None:
        self._taken: set[str] = set(RESERVED)

    def give(self, text: str, fallback: str) -> str:
        """The slug of `text`, or `fallback` with a number; with a number when it is taken."""
        wanted = slug(text, "n")
        if not wanted:
            return self._numbered(fallback, 1)
        return wanted if self._take(wanted) else self._numbered(wanted, 2)

    def _numbered(self, wanted: str, first: int) -> str:
        number = first
        while True:
            end = f"_{number}"
            tried = wanted[: LONGEST_ID - len(end)] + end
            if self._take(tried):
                return tried
            number += 1

    def _take(self, name: str) -> bool:
        if name in self._taken:
            return False
        self._taken.add(name)
        return True
