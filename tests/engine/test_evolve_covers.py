"""Every kind of event has a fold: a new event cannot be forgotten."""

from __future__ import annotations

import typing

from workflow.engine import evolve
from workflow.engine.events import AnyEvent, InstanceStarted


def test_every_event_has_a_fold() -> None:
    kinds = set(typing.get_args(AnyEvent)) - {InstanceStarted}
    assert set(evolve._FOLDS) == kinds
