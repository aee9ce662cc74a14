"""The way from one machine to a cluster, with the commands that docs/how-to/cluster.md gives."""

from __future__ import annotations

import re
import shlex
from contextlib import closing, contextmanager

import pytest

from tests.chaos.databases import Database
from tests.cluster.processes import ROOT, await_that, brought, clean_environment, run_python

pytestmark = [pytest.mark.cluster, pytest.mark.slow]

LOG = """
INSERT INTO django_admin_log
    (object_id, object_repr, action_flag, change_message, content_type_id, user_id, action_time)
SELECT ann.id, 'Ann', 2, 'moved', kind.id, admin.id, '2026-03-02 09:00:00'
FROM org_user ann, org_user admin, django_content_type kind
WHERE ann.login = 'ann' AND admin.login = 'admin' AND kind.model = 'user'
"""
LOGGED = """
SELECT who.login, kind.model, log.object_repr FROM django_admin_log log
JOIN org_user who ON who.id = log.user_id
JOIN django_content_type kind ON kind.id = log.content_type_id
"""


def commands(title, *names):
    """The `manage.py` commands of these names in one section of the page, as lists of words."""
    page = (ROOT / "docs" / "how-to" / "cluster.md").read_text(encoding="utf-8")
    section = page.partition(f"## {title}\n")[2].partition("\n## ")[0].replace("\\\n", " ")
    found = re.findall(r"^    \.venv/bin/python (manage\.py .*)$", section, re.MULTILINE)
    chosen = [shlex.split(line) for line in found]
    return [words for words in chosen if words[1] in names]


def carried_out(environment, folder, words):
    """What a command says; the page's files lie in `folder`."""
    done = run_python(
        environment,
        *(str(folder / word) if word.endswith(".jsonl") else word for word in words),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextmanager
def another_database(cluster, folder):
    """An empty database beside the cluster's."""
    database = Database(cluster.database.kind, folder, cluster.database.url)
    database.create()
    try:
        yield database
    finally:
        database.drop()


def test_everything_arrives_and_goes_on(postgresql_cluster, tmp_path):
    cluster = postgresql_cluster
    cluster.empty_queues()
    old = clean_environment(FLOWADMIN_DATA=str(tmp_path))
    carried_out(old, tmp_path, ["-m", "tests.cluster.acting", "furnish"])
    with closing(Database("sqlite", tmp_path)._connect("")) as connection:
        assert connection.execute(LOG).rowcount == 1
    (request,) = brought(old, "copy", lost=False)
    takes_out = commands("4 Move the data", "dumpdata")
    assert [words[1] for words in takes_out] == ["dumpdata", "dumpdata"]
    for words in takes_out:
        carried_out(old, tmp_path, words)
    with another_database(cluster, tmp_path) as database:
        new = cluster.environment() | {"DATABASE_URL": database.url}
        (migrate,) = commands("3 Prepare each machine", "migrate")
        carried_out(new, tmp_path, migrate)
        looks = commands("4 Move the data", "loaddata", "flow_replay", "doctor")
        assert [words[1] for words in looks] == ["loaddata", "flow_replay", "doctor"]
        for words in looks:
            said = carried_out(new, tmp_path, words)
            assert words[1] != "flow_replay" or said.split()[0] == "1"
        assert database.rows(LOGGED) == [("admin", "user", "Ann")]
        # A new request takes the next number, and the step that was due goes on as well.
        (another,) = brought(new, "auto", lost=False)
        assert another > request
        carried_out(new, tmp_path, ["manage.py", "work", "--once"])
        await_that(
            lambda: database.rows("SELECT DISTINCT state FROM flow_instance") == [("approved",)],
            "both requests have ended",
        )
