"""P25: the two tables that the merge leaves behind are named in the merge alone."""

from __future__ import annotations

from pathlib import Path

from tests.architecture import house

PROJECT = Path(__file__).resolve().parents[2]
NAMES = ("flow_task_watch", "flow_callback_attempt")


def test_nothing_else_names_the_older_tables():
    found = [
        house.named(PROJECT, path)
        for path in house.product_files(PROJECT)
        if any(name in path.read_text(encoding="utf-8") for name in NAMES)
    ]
    assert found
    assert all(each.startswith("notifications/legacy/") for each in found), found
