"""Choices read one after the other from drawn bytes: cheap to make, and smaller bytes are simpler.

Trees of strategies cost Hypothesis more time than the engine takes to run what they describe.
Here it draws one run of bytes, and code reads its choices from them. Whoever asks for more than
was drawn always gets the first, simplest choice, so every run of bytes means something.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

Chosen = TypeVar("Chosen")


class Choices:
    """A run of bytes, read once from its beginning."""

    def __init__(self, drawn: bytes) -> None:
        self._drawn = iter(drawn)

    def number(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included, at most 256 apart."""
        return low + next(self._drawn, 0) % (high - low + 1)

    def one(self, of: Sequence[Chosen]) -> Chosen:
        """One of these; the first one should be the simplest."""
        return of[self.number(0, len(of) - 1)]

    def now_and_then(self, once_in: int) -> bool:
        """True once in so many times."""
        return self.number(0, once_in - 1) == once_in - 1

    def some(self, of: Sequence[Chosen], most: int) -> list[Chosen]:
        """Up to ``most`` different ones of these, in the order in which they were chosen."""
        return list(dict.fromkeys(self.one(of) for _ in range(self.number(0, most))))
