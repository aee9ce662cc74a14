"""The numbers that a person sees on every page, each given by the application that owns it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from flowadmin.directory.models import User
from notifications.queries import unread_count
from workflow import queries

NAMES: Final = ("todo", "overdue", "notices", "mine_running", "drafts")
MOST: Final = 999  # contract, `me`: counting stops here

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

    Workflow counts tasks, requests and drafts, notifications what is unread.
    """
    counted = {**queries.counters(user), "notices": unread_count(user)}
    return {
        name: min(MOST, _counters[name](user) if name in _counters else counted.get(name, 0))
        for name in NAMES
    }
