"""One end for a whole attempt, by the monotonic clock, however many small waits it is made of."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from flowadmin.outbound.messages import Failed, Result

if TYPE_CHECKING:
    from collections.abc import Callable


class Deadline:
    """Counts down from its making. A receiver that sends a byte now and then gains nothing.

    Socket time-outs count from each read anew: measured, they let such a receiver hold a worker
    for ever (reliability 0.8). Here each wait gets only what is left of the whole.
    """

    __slots__ = ("_began", "_clock", "_until")

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._until = self._began + seconds

    def left(self, doing: str) -> float:
        """Seconds that are left, more than 0. Raises Failed(TIMEOUT) when there are none."""
        left = self._until - self._clock()
        if left <= 0:
            raise Failed(Result.TIMEOUT, f"time was over while {doing}")
        return left

    def part(self, seconds: float) -> Deadline:
        """A deadline for one phase: `seconds` from now, and never later than this one."""
        return Deadline(min(seconds, max(0.0, self._until - self._clock())), self._clock)

    def spent(self) -> float:
        """Seconds since the beginning."""
        return self._clock() - self._began
