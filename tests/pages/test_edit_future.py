"""The panel in which what comes next is changed: shown first, then confirmed, then done."""

from __future__ import annotations

import pytest

from tests.pages.reading import HTMX, Page
from tests.workflow import flows
from workflow.engine.commands import Answered
from workflow.models import Instance, Version
from workflow.runtime.execute import execute

pytestmark = pytest.mark.django_db

ADD = {
    "act-what": "after-lead",
    "act-name": "Second look",
    "act-who": ["chi", "dan"],
    "act-decide": "all",
    "act-reason": "Just to be sure",
}


@pytest.fixture
def filed(ann, bao, now):
    """A request that waits for bao, whose step lets him edit, and goes on to dan."""
    lead = flows.approve_step("lead", "bao", acts={"edit_future": True})
    flows.publish(ann, flows.a_document(lead, flows.approve_step("last", "dan")), now=now)
    return flows.start(ann, now=now)


def address(filed):
    return f"/requests/{filed.pk}/"


def panel(client, filed, act="edit-future"):
    return Page(client.get(f"{address(filed)}acts/{act}/", headers=HTMX))


def send(client, filed, page, act="edit-future", **fields):
    hidden = page.form_with("act-reason")
    return client.post(address(filed), {**hidden, "act": act, **fields}, headers=HTMX)


def test_what_would_change_is_shown_before_it_is_confirmed(filed, bao, chi, dan, client_of):
    client = client_of(bao)
    assert "Change what comes next …" in client.get(address(filed)).content.decode()
    before = flows.rows(), flows.everything()
    shown = send(client, filed, panel(client, filed), **ADD)
    assert shown.status_code == 200
    page = Page(shown)
    names = f"{chi.name}, {dan.name} (all of 2)"
    assert f"Added after “Lead”: “Second look”, which asks {names}" in page.text
    assert "Confirm this change" in page.text
    # Another change than the one that was shown has to be shown first.
    other = send(client, filed, page, **ADD | {"act-who": ["dan"]})
    assert "Confirm this change" in other.content.decode()
    assert (flows.rows(), flows.everything()) == before
    done = send(client, filed, Page(other), **ADD | {"act-who": ["dan"]})
    assert done.headers["HX-Redirect"] == address(filed)
    assert Version.with_private.filter(private_to=filed).count() == 1
    text = client.get(address(filed)).content.decode()
    assert "Bao Chen changed what comes next" in text
    assert "v1" in text
    assert "changed for this request" in text
    fields = {"act-what": "remove-added_1", "act-reason": "Not needed"}
    taken = send(client, filed, panel(client, filed), **fields)
    assert "Taken out: “Second look”" in taken.content.decode()


def test_what_is_wrong_stands_beside_its_field(filed, bao, client_of, ann):
    client = client_of(bao)
    before = flows.rows(), flows.everything()
    for fields, text in (
        ({"act-name": ""}, "Give the added step a name."),
        ({"act-who": []}, "This field is required."),
        ({"act-who": ["nobody"]}, "There is no such active person."),
        ({"act-what": "people-lead"}, "Select a valid choice"),
        ({"act-reason": ""}, "This field is required."),
    ):
        answer = send(client, filed, panel(client, filed), **ADD | fields)
        assert answer.status_code == 422, fields
        assert text in answer.content.decode()
    assert "edit-future" not in Page(client_of(ann).get(address(filed))).text
    assert client_of(ann).get(f"{address(filed)}acts/edit-future/").status_code == 409
    page = panel(client, filed)
    assert send(client_of(ann), filed, page, **ADD).status_code == 403
    assert (flows.rows(), flows.everything()) == before


def test_a_manager_tries_a_held_step_again(ann, admin, client_of, now):
    call = {
        "id": "call", "kind": "http", "name": "Call", "method": "POST", "url": "https://example.com",
    }  # fmt: skip
    flows.publish(ann, flows.a_document(call, flows.approve_step()), now=now)
    filed = flows.start(ann, now=now)
    execute(
        tenant_id=filed.tenant_id, instance_id=filed.pk, actor_id=None, now=now,
        command=Answered(1, ok=False, code="http.failed"),
    )  # fmt: skip
    client = client_of(admin)
    page = panel(client, filed, "retry")
    done = send(client, filed, page, "retry", **{"act-step": "1", "act-reason": "Up again"})
    assert done.headers["HX-Redirect"] == address(filed)
    assert Instance.objects.get(pk=filed.pk).held is None
