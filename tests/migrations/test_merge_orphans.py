"""P22: rows without the row that they belong to are an error; nothing is dropped in silence."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError

ORPHANS = [
    (599, 1, 499, 1, "AUTO", "FAILED", 500, "HTTP_500", "2026-09-05 09:00:00", None),
    # Another tenant's callback is nobody's.
    (600, 2, 401, 1, "AUTO", "FAILED", 500, "HTTP_500", "2026-09-05 09:00:00", None),
]
STRANGE = {
    "flow_draft": [
        (190, 1, 99, "APPLY", None, None, None, "{}", 1, "2026-09-01 08:00:00",
         "2026-09-01 08:00:00"),
        (191, 1, 21, "APPLY", None, None, None, "{}", 1, "2026-09-01 08:00:00",
         "2026-09-01 08:00:00"),
        (192, 1, 11, "APPLY", None, None, None, "[1]", 1, "2026-09-01 08:00:00",
         "2026-09-01 08:00:00"),
    ],
    "flow_notice": [(290, 3, 12, "URGE", "i", None, None, 0, None, "2026-09-01 08:00:00"),
                    (291, 1, 12, "SMS", "i", None, None, 0, None, "2026-09-01 08:00:00")],
    "flow_callback": [
        (490, 1, "evt-401", "i-1", None, 11, "http://x/", "{}", "FAILED", 5, 5, None, None, None,
         None, "2026-09-05 09:00:00", "2026-09-05 09:10:00"),
        (491, 1, "evt-491", "i-1", None, 11, "http://x/", "{}", "SENT", 5, 5, None, None, None,
         None, "2026-09-05 09:00:00", "2026-09-05 09:10:00"),
    ],
}  # fmt: skip


def test_orphans_are_named_and_everything_is_rolled_back(older):
    older.fill({"flow_callback_attempt": ORPHANS} | STRANGE)
    before = older.theirs()
    told = {}
    for way in ("--dry-run", ""):
        with pytest.raises(CommandError, match=r"9 rows cannot be moved\. Nothing was kept"):
            older.merge("--json", *filter(None, [way]))
        told[way] = json.loads(older.said())["troubles"]
        assert not any(older.ours().values())
        assert older.theirs() == before
    assert told["--dry-run"] == told[""]
    assert [(table, pk) for table, pk, _why in told[""]] == [
        ("flow_draft_legacy", 190),
        ("flow_draft_legacy", 191),
        ("flow_draft_legacy", 192),
        ("flow_notice_legacy", 290),
        ("flow_notice_legacy", 291),
        ("flow_callback_legacy", 491),
        ("flow_callback_legacy", 490),
        ("flow_callback_attempt", 599),
        ("flow_callback_attempt", 600),
    ]
    # Corrected, it goes through.
    for name, rows in ({"flow_callback_attempt": ORPHANS} | STRANGE).items():
        place = name if name.endswith("attempt") else f"{name}_legacy"
        for row in rows:
            older.run(f"DELETE FROM {place} WHERE id = %s", [row[0]])  # noqa: S608
    assert "rows moved and compared" in older.merge()


def test_a_dry_run_keeps_nothing(older):
    said = older.merge("--dry-run")
    assert "flow_draft: 3 rows moved" in said
    assert "Nothing of it was kept" in said
    assert not any(older.ours().values())
