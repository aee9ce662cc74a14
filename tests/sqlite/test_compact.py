"""`manage.py compact` gives free space back, alone; with company it says who is there."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from flowadmin.coordination import presence
from flowadmin.coordination.models import RunningProcess

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="asks the SQLite file"),
]


def compact(capsys, *arguments):
    call_command("compact", "--json", *arguments)
    return json.loads(capsys.readouterr().out)


def test_free_pages_go_back_to_the_disk(capsys):
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO django_session VALUES (%s, %s, '2026-01-01')",
            [(str(number), "x" * 4000) for number in range(500)],
        )
        cursor.execute("DELETE FROM django_session")

    done = compact(capsys)

    assert done["before"]["free"] > 1_000_000
    assert done["after"]["free"] == 0
    assert done["after"]["file"] < done["before"]["file"] - 1_000_000
    assert (done["after"]["wal"], done["wal_emptied"]) == (0, True)


def test_it_does_not_lock_out_who_serves(capsys, now, monkeypatch):
    monkeypatch.setattr(presence, "living", lambda _now: [RunningProcess(role="web", pid=7)])
    with pytest.raises(CommandError, match=r"web \(process 7"):
        compact(capsys)
    assert compact(capsys, "--online")["wal_emptied"] is True
