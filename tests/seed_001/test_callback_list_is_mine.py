"""P7, P46: one sees the callbacks of requests that one filed, and of these the state alone."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.notifications import posted
from tests.workflow import flows

MEMBERS = {
    "id", "event_id", "event", "instance", "step", "state", "attempts", "result", "updated_at",
    "may_retry",
}  # fmt: skip


@pytest.fixture
def callback(ann, now):
    flows.publish(ann, flows.a_document(), now=now)
    return posted.failed(flows.start(ann, now=now))


def test_rest_shows_the_state_and_nothing_more(callback, api, ann):
    [row] = api(ann).read("callbacks/")["results"]
    assert set(row) == MEMBERS
    assert row["id"] == str(callback.pk)
    assert row["instance"] == str(callback.instance_id)
    assert (row["state"], row["attempts"], row["result"]) == ("failed", 5, "HTTP_503")
    assert row["may_retry"] is True
    found = [
        api(ann).read(f"callbacks/?instance={callback.instance_id}&state={state}")["count"]
        for state in ("failed", "pending", "sending", "delivered")
    ]
    assert found == [1, 0, 0, 0]
    for query in ("state=FAILED", "instance=x", "target=1"):
        assert api(ann).get(f"callbacks/?{query}").status_code == 400


@pytest.mark.parametrize("login", ["bao", "chi", "admin", "eve"])
def test_for_everybody_else_it_is_not_there(callback, api, request, login):
    other = request.getfixturevalue(login)
    assert api(other).read("callbacks/")["results"] == []
    before = posted.everything()
    answer = api(other).post(f"callbacks/{callback.pk}/actions/retry")
    assert (answer.status_code, answer.json()["code"]) == (404, "callback.unknown")
    client = Client()
    client.force_login(other)
    address = f"/requests/{callback.instance_id}/callbacks/"
    assert client.get(address).status_code == 404
    sent = {"callback": str(callback.pk), "idempotency_key": "abcdefgh-1234"}
    assert client.post(f"{address}retry/", sent).status_code == 404
    assert posted.everything() == before


def test_the_page_shows_states_results_and_history(callback, ann, client_of, now):
    callback.history = [
        {"id": "501", "status": "FAILED", "result": "HTTP_503", "http_status": 503},
        {"id": "a2", "kind": "attempt", "at": now.isoformat(), "status": "STARTED"},
        {"id": "m1", "kind": "retry", "at": now.isoformat(), "by": "1"},
        {"id": "a3", "kind": "attempt", "at": now.isoformat(), "status": "TIMEOUT",
         "late": "HTTP_200"},
    ]  # fmt: skip
    callback.save()
    client = client_of(ann)
    page = client.get(f"/requests/{callback.instance_id}/callbacks/").content.decode()
    for text in (
        "Failed", "HTTP 503", "started, no result: the process ended or the lease expired",
        "sent again by hand", "no answer in time", "came too late: HTTP 200", "Send again",
        callback.event_id,
    ):  # fmt: skip
        assert text in page, text
    listed = client.get("/mine/?tab=all").content.decode()
    assert f"/requests/{callback.instance_id}/callbacks/" in listed


def test_without_callbacks_there_is_no_chip_and_an_empty_page(ann, client_of, now):
    flows.publish(ann, flows.a_document(), now=now)
    request = flows.start(ann, now=now)
    assert "callbacks" not in client_of(ann).get("/mine/").content.decode()
    page = client_of(ann).get(f"/requests/{request.pk}/callbacks/").content.decode()
    assert "Nothing was told to other systems" in page
