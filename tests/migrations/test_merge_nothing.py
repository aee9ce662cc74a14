"""P17: the merge is for installations of the older script, before they start again."""

from __future__ import annotations

import pytest
from django.core.management import CommandError
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from tests.migrations import older_sample
from tests.migrations.test_no_mixed_versions import another


@pytest.mark.django_db
def test_without_older_tables_there_is_nothing_to_merge():
    for arguments in ((), ("--check",), ("--dry-run",), ("--drop-legacy",)):
        assert "Nothing to merge" in older_sample.merge(*arguments)


def test_only_alone_and_only_on_the_present_schema(older, monkeypatch):
    other = another(timezone.now())
    with pytest.raises(CommandError, match="process 4711 on old-host"):
        older.merge()
    other.delete()
    monkeypatch.setattr(MigrationRecorder, "applied_migrations", lambda _recorder: {})
    with pytest.raises(CommandError, match="run migrate first"):
        older.merge()
    assert not any(older.ours().values())
