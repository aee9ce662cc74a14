"""P46: no page, API answer, export or admin page shows content or address, whoever asks."""

from __future__ import annotations

import pytest

from notifications.models import Callback
from tests.api.caller import Caller
from tests.notifications import posted

URL = "https://planted-host.example/planted-path?planted-token"
PLANTED = ("planted-host", "planted-path", "planted-token", "planted-content", "whsec_planted")


@pytest.fixture
def request_of_ann(ann, bao, now):
    posted.target(ann.tenant, URL, sealed="whsec_planted")
    request = posted.filed(ann, posted.lead(), now=now)
    posted.approve(bao, request, now=now)
    posted.fail_for_good(now)
    Callback.objects.update(payload='{"a": "planted-content"}')
    return request


def pages(request, row):
    return [
        "/", "/mine/?tab=all", "/mine/export/?tab=all&format=csv", f"/requests/{request.pk}/",
        f"/requests/{request.pk}/callbacks/", f"/requests/{request.pk}/print/", "/notices/",
        "/api/v1/callbacks/", f"/api/v1/instances/{request.pk}/",
        f"/api/v1/instances/{request.pk}/history/", f"/api/v1/instances/{request.pk}/explain/",
        "/admin/notifications/callback/", f"/admin/notifications/callback/{row.pk}/change/",
        f"/admin/notifications/callback/{row.pk}/history/", "/admin/workflow/target/",
        f"/admin/workflow/target/{row.target_id}/change/", "/admin/workflow/call/",
        f"/admin/workflow/instance/{request.pk}/change/", f"/api/v1/callbacks/{row.pk}/",
    ]  # fmt: skip


def test_nowhere_for_nobody(request_of_ann, ann, bao, admin, client_of):
    row = posted.only()
    assert row.status == "FAILED"
    for person in (ann, bao, admin):
        client = client_of(person)
        seen = 0
        for address in pages(request_of_ann, row):
            answer = client.get(address)
            assert answer.status_code in {200, 302, 403, 404}, (address, answer.status_code)
            content = answer.getvalue().decode(errors="replace")
            seen += answer.status_code == 200
            for text in PLANTED:
                assert text not in content, (person.login, address)
        assert seen >= 9
    answered = Caller(client_of(ann)).post(f"callbacks/{row.pk}/actions/retry")
    assert answered.status_code == 200
    assert not any(text in answered.content.decode() for text in PLANTED)


@pytest.mark.parametrize(
    "query",
    [
        "target_url__startswith=https", "payload__contains=planted", "host__contains=p",
        "target__url__contains=planted", "history__contains=a",
    ],
)  # fmt: skip
def test_no_filter_of_the_administration_tells_either(request_of_ann, admin, client_of, query):
    answer = client_of(admin).get(f"/admin/notifications/callback/?{query}")
    assert answer.status_code == 400


def test_nor_one_of_the_targets(request_of_ann, admin, client_of):
    answer = client_of(admin).get("/admin/workflow/target/?url__startswith=https")
    assert answer.status_code == 400


def test_nobody_changes_a_callback_in_the_administration(request_of_ann, admin, client_of):
    before, row = posted.everything(), posted.only()
    client = client_of(admin)
    for address in ("add/", f"{row.pk}/change/", f"{row.pk}/delete/"):
        assert client.post(f"/admin/notifications/callback/{address}").status_code == 403
    assert posted.everything() == before
