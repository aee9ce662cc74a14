"""The numbers that a person sees on every page, each given by the application that owns it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from flowadmin.directory.models import User

NAMES: Final = ("todo", "overdue", "notices", "mine_running", "drafts")
MOST = 999  # contract, `me`: counting stops here

Counter = Callable[[User], int]

_counters: dict[str, Counter] = {}


def register_counter(name: str, count: Counter) -> None:
    """Let `count` answer for the counter `name`; the last one registered answers.

    Args:
        name: one of `NAMES`.
        count: one indexed count for one person, bounded at `MOST`.

    Raises:
        ValueError: the contract has no such counter.
    """
    if name not in NAMES:
        raise ValueError(f"There is no counter {name!r}.")
    _counters[name] = count


def counters_of(user: User) -> dict[str, int]:
    """All counters of `user`, in the contract's order.

    A counter that no application answers for is 0: this version then has no such rows at all.
    """
    return {name: min(MOST, _counters[name](user)) if name in _counters else 0 for name in NAMES}
