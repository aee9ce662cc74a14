"""Unused files go after a day, row first; what a crash left on disk goes too."""

from __future__ import annotations

import os
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from flowadmin import clock, doctor
from flowadmin.files import disk, jobs, removing
from flowadmin.files.checking import differences
from flowadmin.files.models import File
from tests.files.uploads import PDF, a_file, nothing_stored, on_disk, rows

DAY = timedelta(hours=24)


@pytest.fixture
def committed(django_capture_on_commit_callbacks):
    """`committed()` is a context at whose end the transaction counts as committed."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


def aged(path, now, age):
    """As if the bytes had been written that long before."""
    at = (now - age).timestamp()
    os.utime(path, (at, at))


def test_the_sweep_takes_what_is_unbound_and_a_day_old(ann, eve, now, committed):
    old, foreign = a_file(ann, now=now - DAY), a_file(eve, now=now - DAY)
    young = a_file(ann, now=now - DAY + timedelta(seconds=1))
    bound = a_file(ann, now=now - 9 * DAY, bound_to="instance:1:field:x")
    with committed():
        assert removing.sweep(now) == 2
    assert {file.id for file in File.objects.all()} == {young.id, bound.id}
    assert not {old.id, foreign.id} & {name.partition("/")[2] for name in on_disk()}
    with nothing_stored(), committed():
        assert removing.sweep(now) == 0


def test_a_round_takes_five_hundred_at_most(ann, now, committed, monkeypatch):
    monkeypatch.setattr(removing, "ROUND", 2)
    for _ in range(3):
        a_file(ann, now=now - DAY)
    with committed():
        assert [removing.sweep(now) for _ in range(3)] == [2, 1, 0]


def test_bytes_go_only_when_their_row_has_gone(ann, now):
    """Without the commit the bytes stay: a row that can be read has its bytes."""
    file = a_file(ann, now=now - DAY)
    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert removing.sweep(now) == 1
    (delete,) = [each["sql"] for each in asked if each["sql"].startswith("DELETE")]
    assert "bound_to" in delete  # the condition is looked at by the statement that deletes
    assert on_disk() == {f"{ann.tenant_id}/{file.id}": PDF}


def test_what_a_crash_left_is_removed_after_a_day(ann, now):
    kept = a_file(ann, now=now)
    folder = disk.media() / str(ann.tenant_id)
    aged(folder / kept.id, now, 3 * DAY)
    for name in (".half-an-upload", "a-row-never-committed"):
        (folder / name).write_bytes(b"x")
        aged(folder / name, now, DAY + timedelta(minutes=1))
    (folder / ".going-on").write_bytes(b"x")
    aged(folder / ".going-on", now, timedelta(hours=1))
    (disk.media() / "lost+found").mkdir()
    assert removing.sweep_bytes(now) == 2
    assert set(on_disk()) == {f"{ann.tenant_id}/{kept.id}", f"{ann.tenant_id}/.going-on"}
    assert len(rows()) == 1


def test_bytes_in_a_foreign_folder_have_no_row(ann, eve, now):
    file = a_file(ann, now=now)
    a_file(eve, now=now)
    strange = disk.media() / str(eve.tenant_id) / file.id
    strange.write_bytes(b"x")
    aged(strange, now, 2 * DAY)
    assert removing.sweep_bytes(now) == 1
    assert not strange.exists()
    assert len(on_disk()) == 2


def test_what_is_no_file_of_ours_is_left_alone(ann, now, tmp_path):
    a_file(ann, now=now)
    folder = disk.media() / str(ann.tenant_id)
    (folder / "a-folder").mkdir()
    target = tmp_path / "outside"
    target.write_text("precious")
    (folder / "a-link").symlink_to(target)
    assert removing.sweep_bytes(now + 9 * DAY + timedelta(days=365 * 50)) == 0
    assert target.exists()


def test_the_jobs_read_the_clock(ann, committed):
    a_file(ann, now=clock.now() - DAY)
    with committed():
        assert jobs.sweep_files() == 1
    assert jobs.sweep_bytes() == 0


def test_an_empty_installation(db, now):
    assert (removing.sweep(now), removing.sweep_bytes(now), differences(now, 9)) == (0, 0, [])


# Differences ------------------------------------------------------------------------------------


def test_differences_are_named(ann, eve, now):
    whole, lost, short = (a_file(ann, now=now) for _ in range(3))
    a_file(eve, now=now)
    disk.remove(lost.tenant_id, lost.id)
    disk.path_of(short.tenant_id, short.id).write_bytes(PDF[:-1])
    folder = disk.media() / str(ann.tenant_id)
    for name, age in (("old", 3 * DAY), ("waits-for-the-sweep", DAY + timedelta(hours=1))):
        (folder / name).write_bytes(b"x")
        aged(folder / name, now, age)
    aged(folder / whole.id, now, 9 * DAY)
    expected = {
        f"no bytes: file {lost.id}",
        f"another size: file {short.id}",
        f"bytes without a row: {ann.tenant_id}/old",
    }
    assert set(differences(now, 9)) == expected
    assert len(differences(now, 2)) == 2
    broken = {each.id: each for each in doctor.examine(now) if not each.ok}
    assert set(broken["files"].examples) == expected
    assert set(broken) == {"files"}


def test_a_sound_installation_has_none(ann, now):
    a_file(ann, now=now)
    assert differences(now, 9) == []
    assert [each.ok for each in doctor.examine(now) if each.id == "files"] == [True]
