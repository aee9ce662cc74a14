"""The clean checkout keeps the rules of the house (house.md, sections 1, 5, 8 and 10)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture import house

ROOT = Path(__file__).resolve().parents[2]

RULES = {
    "no file is longer than 400 lines": house.long_files,
    "no drawer without a meaning": house.drawers,
    "rows are written only in the rooms that may": house.outside_writes,
    "no machine path and no package host": house.machine_words,
    "no Chinese outside the catalogue": house.untranslated,
    "every module has its place in the contracts": house.unplaced,
}


@pytest.mark.parametrize("rule", RULES)
def test_the_checkout_keeps(rule):
    assert RULES[rule](ROOT) == []


def test_row_locks_stand_in_one_function_at_most():
    assert len(house.row_locks(ROOT)) <= 1


def test_there_is_something_to_look_at():
    """An empty walk would make every rule above green."""
    assert len(list(house.product_files(ROOT))) > 30
    seen = {house.named(ROOT, path) for path in house.text_files(ROOT)}
    assert {"pyproject.toml", "script/server", ".ci/run", "flowadmin/settings.py"} <= seen
