"""Seed 004 S8: a second machine on one SQLite file is refused while the first is live."""

from __future__ import annotations

import os

import pytest

from flowadmin.sqlite.host import LIVE_SECONDS, Host, SecondHost, hold, marker_of, release

HERE = Host(boot="boot-1", machine="m-1", name="alpha")
ELSEWHERE = Host(boot="boot-2", machine="m-2", name="beta")


@pytest.fixture
def database(tmp_path):
    return tmp_path / "data" / "flowadmin.sqlite3"


def _age(marker, seconds):
    written = marker.stat().st_mtime
    os.utime(marker, (written - seconds, written - seconds))


def test_the_first_machine_leaves_its_marker_and_may_come_again(database):
    hold(database, HERE)
    hold(database, HERE)

    assert '"alpha"' in marker_of(database).read_text()
    assert [path.name for path in database.parent.iterdir()] == ["flowadmin.sqlite3.host"]


def test_another_machine_is_refused_and_changes_nothing(database):
    hold(database, HERE)
    before = marker_of(database).read_text()

    with pytest.raises(SecondHost, match="'alpha'") as refused:
        hold(database, ELSEWHERE)

    assert refused.value.other == HERE
    assert "DATABASE_URL" in str(refused.value)
    assert marker_of(database).read_text() == before
    assert [path.name for path in database.parent.iterdir()] == ["flowadmin.sqlite3.host"]


@pytest.mark.parametrize(("age", "taken"), [(LIVE_SECONDS - 5, False), (LIVE_SECONDS + 5, True)])
def test_a_marker_lives_as_long_as_it_is_refreshed(database, age, taken):
    hold(database, HERE)
    _age(marker_of(database), age)

    if taken:
        hold(database, ELSEWHERE)
    else:
        with pytest.raises(SecondHost):
            hold(database, ELSEWHERE)

    assert ('"beta"' in marker_of(database).read_text()) is taken


def test_the_first_machine_learns_that_it_was_replaced(database):
    hold(database, HERE)
    _age(marker_of(database), LIVE_SECONDS + 5)
    hold(database, ELSEWHERE)

    with pytest.raises(SecondHost, match="'beta'"):
        hold(database, HERE)


@pytest.mark.parametrize(
    ("other", "welcome"),
    [
        (Host(boot="boot-1", machine="", name="container"), True),
        (Host(boot="boot-9", machine="m-1", name="alpha"), True),
        (Host(boot="boot-9", machine="m-1", name="gamma"), False),
        (Host(boot="boot-9", machine="", name="alpha"), False),
    ],
    ids=["same kernel", "same machine started anew", "copied image", "no machine id"],
)
def test_who_counts_as_the_same_machine(database, other, welcome):
    hold(database, Host(boot="boot-1", machine=other.machine, name="alpha"))

    if welcome:
        hold(database, other)
        assert f'"{other.name}"' in marker_of(database).read_text()
    else:
        with pytest.raises(SecondHost):
            hold(database, other)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"boot": 1}', "null"])
def test_a_file_that_is_no_marker_is_written_over(database, text):
    database.parent.mkdir()
    marker_of(database).write_text(text)

    hold(database, HERE)

    assert '"alpha"' in marker_of(database).read_text()


def test_a_clean_stop_lets_another_machine_in_at_once(database):
    hold(database)
    release(database)

    hold(database, ELSEWHERE)
    release(database)

    assert '"beta"' in marker_of(database).read_text()
