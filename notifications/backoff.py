"""When a callback that failed is tried again, and when a round of attempts is over."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from workflow.engine import retrying

if TYPE_CHECKING:
    from collections.abc import Mapping

# By the profile of a target; what names no target, or an unknown profile, has the seed's.
PROFILES: Final[Mapping[str, tuple[int, ...]]] = {"seed": retrying.SEED, "long": retrying.LONG}


def waits_of(profile: str) -> tuple[int, ...]:
    """Seconds to wait after the first, second … failure of a round."""
    return PROFILES.get(profile, retrying.SEED)


def round_length(profile: str) -> int:
    """How many attempts a round has: five for the seed's profile (P40), also by hand (P43)."""
    return len(waits_of(profile)) + 1


def after_failure(profile: str, attempts: int, max_attempts: int) -> timedelta | None:
    """How long to wait after this failure, or nothing when it was the last one of its round.

    ``attempts`` counts all that were begun, this one included; ``max_attempts`` is where the
    round ends. Source: seed 001 P40, reliability.md 4.4.
    """
    if attempts >= max_attempts:
        return None
    waits = waits_of(profile)
    done = round_length(profile) - (max_attempts - attempts)
    return timedelta(seconds=waits[min(max(done, 1), len(waits)) - 1])


def longest_wait(profile: str) -> timedelta:
    """The longest wait of a profile: nothing can honestly be due later than that."""
    return timedelta(seconds=max(waits_of(profile)))
