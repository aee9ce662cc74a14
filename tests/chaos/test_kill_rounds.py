"""Kill -9 of web and background work at random moments: nothing is lost, nothing is doubled."""

from __future__ import annotations

import pytest

from tests.chaos import rounds
from tests.chaos.__main__ import TIERS, chosen_tier, deadline, say

pytestmark = [pytest.mark.chaos, pytest.mark.slow]


def test_nothing_acknowledged_is_lost_or_done_twice(run_database):
    """Issue 2: 20 rounds on SQLite, 10 on PostgreSQL; `Violated` names what disagrees."""
    kind, server = run_database
    if kind not in TIERS[chosen_tier()]:
        pytest.skip(f"kill rounds on {kind} belong to the tier release: script/chaos")
    number, minutes = TIERS[chosen_tier()][kind]
    seed = rounds.chosen_seed()
    tally = rounds.run(kind, server, rounds=number, seed=seed, say=say, until=deadline(minutes))
    say(tally.page())
    assert tally.rounds == sum(tally.kills.values())
    assert tally.rounds >= min(number, 20)
    assert set(tally.kills) == set(rounds.EARLY)
    assert (tally.lost, tally.doubled) == (0, 0)
    # A run in which nothing was under way would prove nothing.
    assert tally.phases["ok"] > 5 * tally.rounds
    assert tally.phases["unknown"] > 0
    assert tally.retried == tally.phases["unknown"]
    assert tally.what["start"] == tally.requests
