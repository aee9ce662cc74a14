"""Kill -9 of web, background work and delivery workers: nothing is lost, nothing is doubled."""

from __future__ import annotations

import pytest

from tests.chaos import delivery_rounds, rounds
from tests.chaos.__main__ import KILLS, TIERS, chosen_tier, deadline, say

pytestmark = [pytest.mark.chaos, pytest.mark.slow]


def test_nothing_acknowledged_is_lost_or_done_twice(run_database):
    """Issue 5: 60 rounds on SQLite, 30 on PostgreSQL; `Violated` names what disagrees.

    A third kills web server and background work, two thirds kill delivery workers.
    """
    kind, server = run_database
    tier = chosen_tier()
    if kind not in TIERS[tier]:
        pytest.skip(f"kill rounds on {kind} belong to the tier release: script/chaos")
    number, minutes = TIERS[tier][kind]
    kills, more = KILLS[tier][kind]
    seed = rounds.chosen_seed()
    told = []

    def deliver(installation):
        told.append(
            delivery_rounds.kill_in(installation, kills=kills, seed=seed, say=say, minutes=more)
        )

    tally = rounds.run(
        kind, server, rounds=number, seed=seed, say=say, until=deadline(minutes), at_end=deliver
    )
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
    for delivered in told:
        say(delivered.page())
        assert sum(delivered.kills.values()) >= min(kills, 20)
        assert delivered.kills["request is out"] > 0
        assert delivered.unknown > 0
        assert not delivered.broken
