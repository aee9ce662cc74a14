"""Seed 004 S7: `manage.py backup` while people write, and an installation started from it."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import subprocess
import sys
import tarfile
import threading
from contextlib import closing
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection

from flowadmin import archive
from flowadmin.coordination import presence
from flowadmin.coordination.models import RunningProcess
from flowadmin.directory.models import Tenant
from flowadmin.files import disk
from flowadmin.files.models import File
from notifications.models import Callback, Notice
from tests.files.uploads import PDF, PNG, a_file
from tests.workflow import flows
from workflow.models import Event, Instance

PROJECT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.django_db(transaction=True)
sqlite_only = pytest.mark.skipif(
    connection.vendor != "sqlite", reason="a server's database is dumped by its own tool"
)
COUNTED = (Instance, Event, File, Notice, Callback)


@pytest.fixture
def people_at_work(ann, now):
    """A request, and two uploaded files of ann."""
    flows.publish(ann, flows.a_document(), now=now)
    flows.start(ann, now=now)
    return [
        a_file(ann, now=now, bound_to="instance:1:field:receipt"),
        a_file(ann, now=now, name="picture.png", content=PNG, bound_to="instance:1:field:photo"),
    ]


@pytest.fixture
def place(tmp_path):
    return tmp_path / "copy.tar"


def backup(*arguments):
    call_command("backup", *map(str, arguments))


def unpacked(file, folder):
    with tarfile.open(file) as found:
        found.extractall(folder, filter="data")
    return folder


def rows(file, table):
    with closing(sqlite3.connect(file)) as reading:
        return reading.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608


@sqlite_only
def test_a_copy_opens_clean_while_writers_run(place, tmp_path, people_at_work):
    stop = threading.Event()

    def write():
        """What comes in pairs of one transaction must be in the copy in pairs."""
        with closing(sqlite3.connect(settings.DATABASES["default"]["NAME"], timeout=30)) as file:
            number = 0
            while not stop.is_set():
                number += 1
                with file:
                    for half in "ab":
                        file.execute(
                            "INSERT INTO django_session VALUES (?, '', '2026-01-01')",
                            [f"{number}{half}"],
                        )

    writer = threading.Thread(target=write)
    writer.start()
    try:
        backup(place)
    finally:
        stop.set()
        writer.join()

    restored = unpacked(place, tmp_path / "restored") / archive.DATABASE
    assert not (restored.parent / f"{restored.name}-wal").exists()
    with closing(sqlite3.connect(restored)) as reading:
        assert reading.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert rows(restored, "django_session") % 2 == 0
    assert rows(restored, "flow_event") == Event.objects.count()
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".backup")] == []


@sqlite_only
def test_an_installation_starts_from_it_and_nothing_of_the_past_is_done_again(
    place, tmp_path, people_at_work
):
    backup(place, "--without-key")
    folder = unpacked(place, tmp_path / "restored")
    before = {model: model.objects.count() for model in COUNTED}
    assert not (folder / archive.KEY).exists()

    for command in (("work", "--once"), ("migrate", "--check"), ("doctor",)):
        done = subprocess.run(
            [sys.executable, "manage.py", *command],
            cwd=PROJECT,
            env={"PATH": os.environ["PATH"], "FLOWADMIN_DATA": str(folder)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stdout

    for model, count in before.items():
        table = model._meta.db_table
        assert rows(folder / archive.DATABASE, table) == count, table
    for file in people_at_work:
        kept = folder / "media" / str(file.tenant_id) / file.pk
        assert kept.read_bytes() == (PNG if file.name.endswith("png") else PDF)


def test_a_file_of_that_name_is_not_touched(place):
    place.write_text("the last good one")
    with pytest.raises(CommandError, match="exists already") as refused:
        backup(place)
    assert refused.value.returncode == 2
    assert place.read_text() == "the last good one"


def test_the_copy_before_an_upgrade_is_taken_alone(place, now, monkeypatch):
    serving = RunningProcess(role="web server", pid=7, host="h")
    monkeypatch.setattr(presence, "living", lambda _now: [serving])
    with pytest.raises(CommandError, match=r"web server \(process 7 on h\)"):
        backup(place, "--alone", "--media-only")
    assert not place.exists()


def test_damage_is_found(place, people_at_work, capsys):
    backup(place, "--media-only")
    backup(place, "--verify")
    assert "Whole: files without database" in capsys.readouterr().out
    whole = place.read_bytes()
    at = whole.index(PDF)
    place.write_bytes(whole[:at] + b"?" + whole[at + 1 :])
    with pytest.raises(CommandError, match=r"damaged: media/"):
        backup(place, "--verify")
    place.write_bytes(whole[: at + 3])
    with pytest.raises(CommandError, match="cannot be read to its end"):
        backup(place, "--verify")


def test_lost_bytes_are_told_and_the_rest_is_kept(place, people_at_work):
    lost, kept = people_at_work
    disk.path_of(lost.tenant_id, lost.pk).unlink()

    with pytest.raises(CommandError, match=f"{lost.pk}: no bytes") as told:
        backup(place, "--media-only")

    assert told.value.returncode == 1
    manifest = archive.verify(place)
    assert set(manifest["members"]) - {archive.KEY} == {f"media/{kept.tenant_id}/{kept.pk}"}


def test_a_file_that_is_deleted_meanwhile_is_no_fault(place, people_at_work, monkeypatch, capsys):
    deleted = archive.Wanted(Tenant.objects.first().pk, "deleted-meanwhile", 1, "0" * 64)
    listed = archive._rows_now
    monkeypatch.setattr(archive, "_rows_now", lambda: [*listed(), deleted])

    backup(place, "--media-only", "--json")

    told = json.loads(capsys.readouterr().out)
    assert told["deleted_meanwhile"] == [deleted.member]
    assert (told["faults"], told["files"], told["database"]) == ([], 2, False)


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite's database is in the archive")
def test_a_server_is_dumped_by_its_own_tool_and_that_is_said(place, people_at_work):
    with pytest.raises(CommandError, match="NOT in this archive") as told:
        backup(place)
    assert told.value.returncode == 1
    assert archive.verify(place)["database"] is False
