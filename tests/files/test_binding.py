"""Files are bound in the command's transaction: all or none, once, and only one's own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connection, transaction

from flowadmin.files import removing
from flowadmin.files.binding import NotUnbound, NotYours, bind
from flowadmin.files.models import File
from flowadmin.files.storing import described, shape
from tests.files.uploads import PNG, a_file, nothing_stored, on_disk

PLACE = "instance:17:field:receipt"


def bind_as(user, *ids, now, to=PLACE):
    with transaction.atomic():
        bind(tenant_id=user.tenant_id, file_ids=ids, owner_id=user.pk, bound_to=to, now=now)


def test_binding(ann, now):
    one, two, other = (a_file(ann, now=now) for _ in range(3))
    bind_as(ann, one.id, two.id, one.id, now=now)
    held = File.objects.filter(bound_to=PLACE)
    assert {file.id for file in held} == {one.id, two.id}
    assert {file.bound_at for file in held} == {now}
    other.refresh_from_db()
    assert (other.bound_to, other.bound_at) == ("", None)


def test_what_a_place_holds_already_may_be_named_again_by_anybody(ann, gus, now):
    old, new = a_file(ann, now=now), a_file(gus, now=now)
    bind_as(ann, old.id, now=now)
    later = now + timedelta(hours=1)
    bind_as(gus, old.id, new.id, now=later)
    old.refresh_from_db()
    new.refresh_from_db()
    assert (old.bound_at, new.bound_at) == (now, later)
    assert old.bound_to == new.bound_to == PLACE


def test_nothing_to_bind(ann, now):
    with nothing_stored():
        bind_as(ann, now=now)


def refused_bind(kind, code, user, file_id, *more, now, to=PLACE):
    with nothing_stored(), pytest.raises(kind) as caught:
        bind_as(user, *more, file_id, now=now, to=to)
    problem = caught.value
    assert (problem.code, problem.file_id) == (code, file_id)
    assert problem.document()["errors"][0]["args"] == {"file": file_id}


def test_only_ones_own_files_are_bound(ann, gus, eve, now):
    mine, theirs, foreign = a_file(ann, now=now), a_file(gus, now=now), a_file(eve, now=now)
    for file_id in (theirs.id, foreign.id, "no-such-file", "", "x" * 5000, "发"):
        refused_bind(NotYours, "file.unknown", ann, file_id, mine.id, now=now)
    with nothing_stored(), pytest.raises(NotYours), transaction.atomic():
        # The right owner and the wrong tenant.
        bind(tenant_id=eve.tenant_id, file_ids=[mine.id], owner_id=ann.pk, bound_to=PLACE, now=now)


def test_a_file_is_bound_to_one_place(ann, gus, now):
    file = a_file(ann, now=now, bound_to="instance:17:seat:3")
    refused_bind(NotUnbound, "file.bound", ann, file.id, now=now)
    refused_bind(NotYours, "file.unknown", gus, file.id, now=now)


def test_a_command_that_fails_binds_nothing(ann, now):
    file = a_file(ann, now=now)

    def command():
        with transaction.atomic():
            bind(
                tenant_id=ann.tenant_id,
                file_ids=[file.id],
                owner_id=ann.pk,
                bound_to=PLACE,
                now=now,
            )
            raise LookupError

    with nothing_stored(), pytest.raises(LookupError):
        command()


@pytest.mark.django_db(transaction=True)
def test_outside_a_transaction_nothing_is_bound(ann, now):
    file = a_file(ann, now=now)
    with nothing_stored(), pytest.raises(RuntimeError, match="transaction"):
        bind(tenant_id=ann.tenant_id, file_ids=[file.id], owner_id=ann.pk, bound_to=PLACE, now=now)


@pytest.mark.parametrize("place", ["", "instance", ":17", "instance:" + "1" * 120])
def test_places_have_a_kind_and_an_end(ann, now, place):
    file = a_file(ann, now=now)
    with nothing_stored(), pytest.raises(ValueError, match="No place"):
        bind_as(ann, file.id, now=now, to=place)


def test_describing(ann, eve, now):
    mine = a_file(ann, now=now)
    foreign = a_file(eve, now=now, name="b.png", content=PNG)
    found = described(ann.tenant_id, [mine.id, foreign.id, "nothing", mine.id])
    assert found == {mine.id: shape(mine)}


@pytest.mark.django_db(transaction=True)
def test_two_requests_cannot_take_one_file(ann, now):
    file = a_file(ann, now=now)
    places = [f"instance:{number}:field:receipt" for number in range(4)]
    start = Barrier(len(places))

    def take(place):
        start.wait(10)
        try:
            bind_as(ann, file.id, now=now, to=place)
        except NotUnbound:
            return None
        finally:
            connection.close()
        return place

    with ThreadPoolExecutor(len(places)) as pool:
        won = [place for place in pool.map(take, places) if place]
    file.refresh_from_db()
    assert won == [file.bound_to]


@pytest.mark.django_db(transaction=True)
def test_the_sweep_and_a_command_meet(ann, now):
    """Whoever is first wins, and a file that is bound has its bytes."""
    late = now + timedelta(hours=25)
    for _round in range(5):
        file = a_file(ann, now=now)
        start = Barrier(2)

        def sweep(start=start):
            try:
                start.wait(10)
                return removing.sweep(late)
            finally:
                connection.close()

        def take(start=start, file=file):
            try:
                start.wait(10)
                bind_as(ann, file.id, now=late)
            except NotYours:
                return False
            finally:
                connection.close()
            return True

        with ThreadPoolExecutor(2) as pool:
            swept, bound = pool.submit(sweep), pool.submit(take)
            assert swept.result() + bound.result() == 1
        there = f"{ann.tenant_id}/{file.id}" in on_disk()
        assert there is bound.result() is File.objects.filter(pk=file.pk).exists()
