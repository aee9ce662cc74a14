"""The property tests of random lives, long: in CI's longer tier, or as many as are asked for."""

from __future__ import annotations

import os
from time import monotonic

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.engine.histories import WISHES, live, organisations, processes
from tests.engine.test_decide_any_history import check_history, check_state

EXAMPLES = int(
    os.environ.get("FLOWADMIN_EXAMPLES")
    or (20_000 if os.environ.get("FLOWADMIN_TIER") == "release" else 0)
)
# After so long no new life is begun; how many there were is then said and not hidden.
MOST_MINUTES = float(os.environ.get("FLOWADMIN_EXAMPLES_MINUTES") or 45)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not EXAMPLES, reason="the longer tier: FLOWADMIN_TIER=release or FLOWADMIN_EXAMPLES=20000"
    ),
]


def test_random_lives_without_a_counter_example(record_property):
    """Issue "The whole engine": 20,000 random processes, each with a random life.

    No open seat after the end, no request that stands still, replay equals the state, and every
    command is carried out or refused with a code.
    """
    until = monotonic() + MOST_MINUTES * 60
    counted = {"lives": 0, "commands": 0, "events": 0}

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    @given(processes(), organisations(), WISHES)
    def lives(definition, org, wishes):
        if monotonic() > until:
            return
        life = live(definition, org, wishes)
        for _, run in life.commands:
            check_state(run.state, definition)
        if life.state is not None:
            check_history(life.events, life.state)
        counted["lives"] += 1
        counted["commands"] += len(life.commands)
        counted["events"] += len(life.events)

    lives()
    for name, number in counted.items():
        record_property(name, number)
    assert counted["lives"] >= EXAMPLES, f"only {counted['lives']} in {MOST_MINUTES} minutes"
    # Lives that end at once would prove nothing.
    assert counted["commands"] > 2 * counted["lives"]
