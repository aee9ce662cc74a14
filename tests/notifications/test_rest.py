"""`/api/v1/notices/`: one's own, newest first, by cursor; read once, read all."""

from __future__ import annotations

from datetime import timedelta

import pytest

from notifications.models import Notice
from tests.acceptance.acting import filed, human
from tests.api.caller import Caller
from tests.notifications.told import all_rows


@pytest.fixture
def api(client_of):
    return lambda user: Caller(client_of(user))


@pytest.fixture
def five(ann, now):
    """Five requests that wait for bao, all of one moment."""
    return [filed(ann, human("lead", "bao"), now=now) for _each in range(5)]


def test_a_row(five, api, bao, now):
    row = api(bao).read("notices/?page_size=1")["results"][0]
    request = five[-1]
    assert row == {
        "id": str(Notice.objects.latest("pk").pk),
        "kind": "assigned",
        "task": str(request.tasks.get().pk),
        "instance": str(request.pk),
        "title": request.title,
        "text": "“Lead” is with you now, through Ann Lee",
        "note": "",
        "from": "ann",
        "created_at": now.isoformat().replace("+00:00", "Z"),
        "read": False,
    }


def test_no_page_loses_a_row_of_one_moment(five, api, bao, now):
    """All five were sent in one microsecond; one more, sent later, has an earlier id."""
    first = Notice.objects.earliest("pk")
    Notice.objects.filter(pk=first.pk).update(sent_at=now + timedelta(seconds=1))
    seen, address = [], "notices/?page_size=2"
    while address:
        page = api(bao).read(address)
        seen += [int(row["id"]) for row in page["results"]]
        address = (page["next"] or "").partition("/api/v1/")[2]
    others = sorted(Notice.objects.exclude(pk=first.pk).values_list("pk", flat=True))
    assert seen == [first.pk, *reversed(others)]


def test_filters(five, api, bao):
    caller = api(bao)
    first = caller.read("notices/")["results"][0]["id"]
    assert caller.post(f"notices/{first}/actions/read", key=None).json()["read"] is True
    assert len(caller.read("notices/?read=false")["results"]) == 4
    assert len(caller.read("notices/?read=true&kind=assigned")["results"]) == 1
    assert caller.read("notices/?kind=urge")["results"] == []
    for bad in ("kind=x", "read=1", "page=2", "cursor=zz"):
        assert caller.get(f"notices/?{bad}").status_code == 400


def test_reading_is_noted_once_and_counted(five, api, ann, bao):
    caller = api(bao)
    assert caller.read("me")["counters"]["notices"] == 5
    pk = caller.read("notices/")["results"][0]["id"]
    caller.post(f"notices/{pk}/actions/read", key=None)
    read_at = Notice.objects.get(pk=pk).read_at
    caller.post(f"notices/{pk}/actions/read", key=None)
    assert Notice.objects.get(pk=pk).read_at == read_at
    assert caller.read("me")["counters"]["notices"] == 4
    assert caller.post("notices/actions/read-all", key=None).json() == {"read": 4}
    assert caller.read("me")["counters"]["notices"] == 0
    assert api(ann).read("me")["counters"]["notices"] == 0


def test_a_strangers_and_a_missing_notice_are_alike(five, api, ann, eve):
    pk = Notice.objects.latest("pk").pk
    before = all_rows()
    for person in (ann, eve):
        for each in (pk, pk + 1):
            api(person).refused(f"notices/{each}/actions/read", 404, "notice.unknown", key=None)
        assert api(person).read("notices/")["results"] == []
        api(person).post("notices/actions/read-all", key=None)
    assert all_rows() == before
