"""Named moments at which a test run breaks this process on purpose; otherwise nothing happens.

Theory: between two steps of delivering or deciding lies a moment at which a process may die, and
a kill at random seldom meets it. Each such moment has a name and one line, `reached(name)`, which
looks into an empty dictionary. Only a process that was started with FLOWADMIN_FAILPOINTS and
FLOWADMIN_DEBUG may put something in; `checks` refuses to serve with the first and without the
second. What happens there is a function of the test's: kill -9, raise, wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from django.conf import settings

if TYPE_CHECKING:
    from collections.abc import Callable

# In the order in which an attempt, a round of reminders, and a command pass them.
POINTS: Final = (
    "callback.before_claim",
    "callback.after_claim",  # in its transaction: leased, the attempt not noted yet
    "callback.after_started",  # committed, nothing sent
    "callback.after_response",  # sent and answered, nothing written
    "callback.before_result_commit",  # in its transaction, behind the last statement
    "callback.after_result",
    "reminder.after_found",
    "reminder.after_sent",
    "decision.before_commit",
    "decision.after_commit",  # kept, and the caller does not know
    "merge.after_ddl",  # the older tables are put aside, no row is moved
    "merge.after_each_table",  # in the one transaction of the rows
)

_armed: dict[str, Callable[[], object]] = {}


class NotInATestRun(RuntimeError):
    """This process may not be broken: it was not started with FLOWADMIN_FAILPOINTS and DEBUG."""

    code = "failpoints.off"


def reached(name: str) -> None:
    """Do what a test has put here; in every other process nothing, at the cost of a look."""
    act = _armed.get(name)
    if act is not None:
        act()


def arm(name: str, act: Callable[[], object]) -> None:
    """Call ``act()`` whenever this process reaches the point, until `disarm`.

    Raises NotInATestRun, and ValueError for a name that is no point. Source: reliability.md 2.1.
    """
    if not (settings.ENVIRONMENT.failpoints and settings.DEBUG):
        raise NotInATestRun(f"{name} is not armed outside a test run.")
    if name not in POINTS:
        raise ValueError(f"There is no point {name!r}.")
    _armed[name] = act


def disarm() -> None:
    """Take away everything that was put anywhere."""
    _armed.clear()
