"""Graphs of nodes that name their successors: circles, and where the ways of a node meet again."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class Graph:
    """Nodes by name with those that come after them.

    `circle` is a node that can be reached from itself, or None. The other questions may only be
    asked of a graph without one.
    """

    def __init__(self, after: Mapping[str, list[str]]) -> None:
        self.after = after
        self.order: list[str] = []
        self.circle = self._sort()
        self._below = {} if self.circle is not None else self._reached()
        self._met: dict[str, frozenset[str]] | None = None

    def _sort(self) -> str | None:
        """Fill `order` so that every node stands behind all that it leads to."""
        state: dict[str, int] = {}
        for root in self.after:
            waiting = [(root, 0)]
            while waiting:
                name, number = waiting.pop()
                if number == 0 and state.get(name) == 2:
                    continue
                state[name] = 1
                if number < len(self.after[name]):
                    waiting.append((name, number + 1))
                    onward = self.after[name][number]
                    if state.get(onward) == 1:
                        return onward
                    if onward not in state:
                        waiting.append((onward, 0))
                else:
                    state[name] = 2
                    self.order.append(name)
        return None

    def _reached(self) -> dict[str, frozenset[str]]:
        below: dict[str, frozenset[str]] = {}
        for name in self.order:
            onward = self.after[name]
            below[name] = frozenset(onward).union(*(below[one] for one in onward))
        return below

    def leads(self, first: str, second: str) -> bool:
        """Whether there is a way from the first node to the second."""
        return second in self._below[first]

    def meeting(self, name: str) -> str | None:
        """The first node that every way from here comes through; None when some never meet."""
        if self._met is None:
            self._met = {}
            for one in self.order:
                onward = [self._met[each] | {each} for each in self.after[one]]
                self._met[one] = frozenset.intersection(*onward) if onward else frozenset[str]()
        met = self._met[name]
        # Of all common nodes the first one is that which leads to the others.
        return next((one for one in met if met - {one} <= self._below[one]), None)
