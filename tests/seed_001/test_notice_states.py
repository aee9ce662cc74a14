"""P31: four states in one table; only what was SENT is listed, counted and marked."""

from __future__ import annotations

import pytest

from notifications.models import Notice
from tests.acceptance.acting import filed, human
from tests.api.caller import Caller
from tests.notifications.told import all_rows


@pytest.fixture
def waiting(ann, now):
    return filed(ann, human("lead", "bao", deadline={"after": 60}), now=now)


@pytest.mark.parametrize("status", ["PENDING", "CANCELLED", "DISABLED"])
def test_what_was_not_sent_is_nobodys(waiting, client_of, bao, status):
    Notice.objects.filter(kind="timeout").update(status=status, receiver=bao)
    pk = Notice.objects.get(kind="timeout").pk
    caller, before = Caller(client_of(bao)), all_rows()
    assert [row["kind"] for row in caller.read("notices/")["results"]] == ["assigned"]
    assert caller.read("me")["counters"]["notices"] == 1
    assert caller.post(f"notices/{pk}/actions/read", key=None).status_code == 404
    assert caller.client.get(f"/notices/{pk}/").status_code == 404
    assert caller.client.post(f"/notices/{pk}/read/").status_code == 404
    assert "Reminder</span>" not in caller.client.get("/notices/").content.decode()
    assert all_rows() == before
    caller.post("notices/actions/read-all", key=None)
    assert Notice.objects.get(pk=pk).read_at is None


def test_there_are_no_other_states():
    assert Notice.Status.values == ["PENDING", "SENT", "CANCELLED", "DISABLED"]
