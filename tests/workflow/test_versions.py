"""The pointer of a process: each move of it is a row, and an undo finds the version before."""

from __future__ import annotations

import importlib
import threading

import pytest
from django.apps import apps
from django.db import connection

from flowadmin.rest.problems import Problem
from tests.workflow import flows
from workflow.actions import publishing, versions
from workflow.models import Definition, Publication


def publish(user, name, now):
    return flows.publish(user, flows.a_document(name=name), now=now)


def current(version):
    return Definition.objects.get(pk=version.definition_id).current.number


def undo(user, version, now):
    return versions.undo_publish(
        user=user, definition=version.definition, reason="wrong", now=now
    ).number


def rows(version):
    found = Publication.objects.filter(definition=version.definition).order_by("pk")
    return [(each.kind, each.before and each.before.number, each.after.number) for each in found]


def test_each_publication_is_recorded_with_who_when_and_why(bao, now):
    publishing.publish(
        user=bao, document=flows.a_document(), form=flows.FORM, note="first", now=now
    )
    row = Publication.objects.get()
    assert (row.kind, row.before, row.after.number) == ("published", None, 1)
    assert (row.reason, row.by, row.at, row.tenant) == ("first", bao, now, bao.tenant)


def test_undone_twice_it_goes_back_twice(bao, later):
    one = publish(bao, "One", later())
    publish(bao, "Two", later())
    publish(bao, "Three", later())
    assert undo(bao, one, later()) == 2
    assert undo(bao, one, later()) == 1
    with pytest.raises(Problem) as refusal:
        undo(bao, one, later())
    assert refusal.value.code == "publication.nothing_before"
    assert current(one) == 1
    assert rows(one)[-2:] == [("undone", 3, 2), ("undone", 2, 1)]


def test_an_earlier_document_published_again_is_undone_too(bao, later):
    """approvals.md 4, 80: publishing an old version again is a move of the pointer."""
    one = publish(bao, "One", later())
    publish(bao, "Two", later())
    assert publish(bao, "One", later()) == one
    assert publish(bao, "One", later()) == one
    assert rows(one) == [("published", None, 1), ("published", 1, 2), ("published", 2, 1)]
    assert undo(bao, one, later()) == 2
    publish(bao, "Three", later())
    assert undo(bao, one, later()) == 2


def test_requests_that_run_stay_on_their_version(ann, bao, later):
    publish(bao, "One", later())
    two = publish(bao, "Two", later())
    instance = flows.start(ann, now=later())
    undo(bao, two, later())
    instance.refresh_from_db()
    assert instance.version == two
    assert flows.start(ann, now=later()).version.number == 1
    flows.approve(bao, now=later())


def test_versions_from_before_the_table_are_told_by_the_migration(bao, later):
    one = publish(bao, "One", later())
    publish(bao, "Two", later())
    publish(bao, "One", later())
    told = rows(one)
    Publication.objects.all().delete()
    migration = importlib.import_module("workflow.migrations.0004_publications")
    migration.tell_past_publications(apps, None)
    assert rows(one) == told
    assert undo(bao, one, later()) == 2


@pytest.mark.django_db(transaction=True)
def test_two_undos_at_the_same_moment_take_turns(bao, later):
    one = publish(bao, "One", later())
    publish(bao, "Two", later())
    publish(bao, "Three", later())
    found, moments = [], [later(), later()]
    barrier = threading.Barrier(2)

    def once(now):
        try:
            barrier.wait()
            found.append(undo(bao, one, now))
        finally:
            connection.close()

    threads = [threading.Thread(target=once, args=(now,)) for now in moments]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [1, 2]
    assert current(one) == 1
    assert rows(one)[-2:] == [("undone", 3, 2), ("undone", 2, 1)]
