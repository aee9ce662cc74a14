"""P25: the older tables stay as they are, and go only when all is moved and somebody asks."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError


def test_the_older_tables_go_only_when_all_is_moved(older):
    with pytest.raises(CommandError, match="Not dropped: 5 watches, 8 attempts and 8 other rows"):
        older.merge("--drop-legacy")
    assert len(older.theirs()) == 5
    older.merge()
    kept, other = older.ours(), older.schema()
    dropped = json.loads(older.merge("--drop-legacy", "--json"))["dropped"]
    assert len(dropped) == 5
    assert not older.theirs()
    assert older.ours() == kept
    assert older.schema() == {name: each for name, each in other.items() if name not in dropped}
    assert "Nothing to merge" in older.merge()
