"""A database of the older script, before the merge."""

from __future__ import annotations

import pytest

from tests.migrations import older_sample


@pytest.fixture
def older(transactional_db):
    """The sample's tables, put aside as `migrate` leaves them, its people, and its rows."""
    older_sample.drop()
    older_sample.make()
    older_sample.people()
    older_sample.fill()
    yield older_sample
    older_sample.drop()
