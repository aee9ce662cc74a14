"""How long to wait after each failed attempt to reach somebody outside, in seconds."""

from __future__ import annotations

from typing import Final

# Seed 001 P40: five attempts. The schedule is a promise to receivers and no setting (decision 21).
SEED: Final = (30, 60, 120, 240)
# For receivers that may be away for a day (reliability.md 4.4); chosen per step or target.
LONG: Final = (30, 120, 600, 3600, 14400, 43200, 86400)
