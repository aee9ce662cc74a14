"""A transaction that lost a race inside the database is run again; the caller never sees it.

PostgreSQL and MariaDB may end one of two transactions with a serialization failure or a deadlock.
Nothing of it was kept, so it is simply run again, at most three times in all (reliability.md P2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from django.db import OperationalError, transaction

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

TRIES = 3
_LOST_RACE = {"40001", "40P01", 1213, 1205}


def again_on_conflict(work: Callable[[], T]) -> T:
    """Run ``work``, which opens its own transaction, again while it loses races.

    Inside an outer transaction it runs once, since the outer one is lost as a whole.
    Raises what the last run raised.
    """
    tries = 1 if transaction.get_connection().in_atomic_block else TRIES
    for left in range(tries - 1, -1, -1):
        try:
            return work()
        except OperationalError as error:
            if not left or not _lost_race(error):
                raise
    message = "unreachable: the last run returns or raises"
    raise AssertionError(message)


def _lost_race(error: OperationalError) -> bool:
    cause = error.__cause__
    state = getattr(cause, "sqlstate", None)
    number = error.args[0] if error.args else None
    return state in _LOST_RACE or number in _LOST_RACE
