"""What all tests of workflow share."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import translation


@pytest.fixture(autouse=True)
def _english():
    """A page that was asked for in another language leaves it active on its thread."""
    with translation.override("en"):
        yield


@pytest.fixture
def later(now):
    """Each call is a minute later, so that no two commands share a moment."""
    moments = (now + timedelta(minutes=minute) for minute in range(1000))
    return lambda: next(moments)
