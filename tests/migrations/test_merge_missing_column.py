"""P26: the real tables may differ from those that were assumed."""

from __future__ import annotations

import pytest
from django.core.management import CommandError


def test_a_column_that_is_not_there_is_named(older):
    older.run("ALTER TABLE flow_task_watch RENAME COLUMN deadline TO due_time")
    older.run("ALTER TABLE flow_callback_legacy RENAME COLUMN payload TO body")
    before = older.theirs()
    for arguments in ((), ("--check",), ("--drop-legacy",)):
        with pytest.raises(
            CommandError, match=r"flow_task_watch\.deadline, flow_callback_legacy\.payload"
        ):
            older.merge(*arguments)
    assert older.theirs() == before
    assert not any(older.ours().values())
