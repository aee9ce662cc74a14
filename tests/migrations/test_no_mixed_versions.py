"""Seed 001 P15: old and new processes never run together; whoever comes second is told of both."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from flowadmin.coordination import presence
from flowadmin.coordination.models import RunningProcess
from flowadmin.management.entrance import writes

PROJECT = Path(__file__).resolve().parents[2]
OLD = "schema 0ld0ld0l (workflow 0001)"


def another(now, **values):
    """A process of another machine, seen now, with an old schema."""
    row = {
        "id": "another",
        "role": "web server",
        "host": "old-host",
        "machine": "another kernel",
        "pid": 4711,
        "schema": OLD,
        "started_at": now,
        "seen_at": now,
    }
    return RunningProcess.objects.create(**row | values)


@pytest.mark.django_db
class TestOneProcess:
    def test_it_refuses_beside_another_version_names_both_and_leaves_nothing(self, now):
        another(now)

        with pytest.raises(presence.MixedVersions) as refused:
            presence.announce("background worker", now)

        text = str(refused.value)
        assert OLD in text
        assert presence.schema_version() in text
        assert "web server (process 4711 on old-host)" in text
        assert list(RunningProcess.objects.values_list("id", flat=True)) == ["another"]

    def test_the_same_version_may_join(self, now):
        another(now, schema=presence.schema_version())

        mine = presence.announce("web server", now)

        assert {row.id for row in presence.living(now)} == {"another", mine}
        presence.leave(mine)
        assert [row.id for row in presence.living(now)] == ["another"]

    @pytest.mark.parametrize(
        "gone",
        [
            {"seen_at": timedelta(seconds=-91)},
            # Left before the database's clock was set back.
            {"seen_at": timedelta(hours=1)},
        ],
    )
    def test_what_has_not_been_seen_is_gone(self, now, gone):
        another(now, seen_at=now + gone["seen_at"])
        assert presence.announce("web server", now)

    def test_a_killed_process_of_this_machine_is_gone_at_once(self, now):
        ended = subprocess.Popen([sys.executable, "-c", ""])
        ended.wait()
        another(now, machine=presence._machine(), pid=ended.pid)
        assert presence.announce("web server", now)

    def test_a_process_of_this_machine_lives_however_old_its_row(self, now):
        """A machine that slept: its rows are old and its processes go on."""
        other = another(
            now,
            machine=presence._machine(),
            pid=os.getppid(),
            born=presence._born(os.getppid()),
            seen_at=now - timedelta(minutes=20),
        )
        with pytest.raises(presence.MixedVersions):
            presence.announce("web server", now)
        # The same number, begun at another moment, is another process.
        RunningProcess.objects.filter(pk=other.pk).update(born="1")
        assert presence.announce("web server", now)

    def test_what_needs_the_database_alone_names_who_is_there(self, now):
        presence.refuse_while_running(now)
        another(now, schema=presence.schema_version())
        with pytest.raises(presence.StillRunning, match=r"process 4711 on old-host"):
            presence.refuse_while_running(now)


def test_commands_that_write_are_told_from_those_that_read():
    assert all(writes(name) for name in ("migrate", "api_token", "load_demo", "flow_migrate"))
    assert not any(writes(name) for name in ("doctor", "backup", "check", "work", "collectstatic"))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A migrated SQLite installation in which an old web server of another host lives."""
    folder = tmp_path_factory.mktemp("mixed")
    done = run(folder, "manage.py", "migrate", "--verbosity=0")
    assert done.returncode == 0, done.stderr
    with closing(sqlite3.connect(folder / "flowadmin.sqlite3")) as file, file:
        file.execute(
            "INSERT INTO coord_process (id, role, host, machine, pid, born, schema, started_at,"
            " seen_at) VALUES ('o', 'web server', 'old-host', 'k', 4711, '', ?,"
            " strftime('%Y-%m-%d %H:%M:%f', 'now'), strftime('%Y-%m-%d %H:%M:%f', 'now'))",
            [OLD],
        )
    return folder


def run(data, *arguments):
    clean = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
    clean.pop("FLOWADMIN_MODE", None)
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=PROJECT,
        env=clean | {"FLOWADMIN_DATA": str(data), "DJANGO_SETTINGS_MODULE": "flowadmin.settings"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("manage.py", "work", "--once"),
        ("manage.py", "migrate"),
        ("-c", "import flowadmin.wsgi"),
    ],
    ids=["worker", "command", "web"],
)
def test_a_real_process_does_not_start(data, arguments):
    done = run(data, *arguments)

    assert done.returncode == 1
    assert OLD in done.stderr
    assert "this process has schema" in done.stderr
    with closing(sqlite3.connect(data / "flowadmin.sqlite3")) as file:
        assert file.execute("SELECT id FROM coord_process").fetchall() == [("o",)]
