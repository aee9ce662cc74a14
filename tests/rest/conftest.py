"""The addresses that the tests of the front door call."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture(autouse=True)
def _addresses(settings: Any) -> None:
    settings.ROOT_URLCONF = "tests.rest.addresses"
