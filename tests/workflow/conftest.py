"""What all tests of workflow share."""

from __future__ import annotations

import pytest
from django.utils import translation


@pytest.fixture(autouse=True)
def _english():
    """A page that was asked for in another language leaves it active on its thread."""
    with translation.override("en"):
        yield
