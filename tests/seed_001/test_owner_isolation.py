"""P2, P30: a draft is its owner's alone; neither colleagues nor operators nor tenants see it."""

from __future__ import annotations

import pytest

from flowadmin.directory.models import User
from tests.api.caller import nothing_written
from workflow.models import Draft

STRANGERS = ("chi", "bao", "admin", "eve")


@pytest.fixture
def rows():
    """Every value of every draft."""
    return lambda: list(Draft.objects.order_by("pk").values())


@pytest.mark.parametrize("login", STRANGERS)
def test_nobody_else_reaches_an_application_draft(api, application, write, rows, login):
    caller, before = api(User.objects.get(login=login)), rows()
    answers = [
        caller.get(f"application-drafts/{application['id']}/"),
        *(
            write(caller, method, "application-drafts", application, {"values": {}})
            for method in ("put", "patch", "delete")
        ),
        caller.post(f"application-drafts/{application['id']}/actions/submit"),
    ]
    found = [(answer.status_code, answer.json()["code"]) for answer in answers]
    assert found == [(404, "not_found")] * 5
    assert caller.read("application-drafts/")["count"] == 0
    assert caller.read("me")["counters"]["drafts"] == 0
    assert rows() == before


@pytest.mark.parametrize("login", ["admin", "eve", "ann"])
def test_nobody_else_reaches_a_design_draft(api, design, write, rows, login):
    caller, before = api(User.objects.get(login=login)), rows()
    answers = [
        caller.get(f"design-drafts/{design['id']}/"),
        write(caller, "put", "design-drafts", design, {"document": {"flowdoc": 1}}),
        write(caller, "delete", "design-drafts", design),
    ]
    assert [answer.status_code for answer in answers] == [404] * 3
    copy = caller.post("design-drafts/", {"draft": design["id"]}, key=None)
    assert copy.status_code in {403, 404}
    assert rows() == before


def test_no_person_and_no_tenant_can_be_named(api, ann, application):
    caller = api(ann)
    for box in ("application-drafts/", f"application-drafts/{application['id']}/"):
        for name in ("user", "tenant", "owner"):
            assert caller.get(f"{box}?{name}=bao").status_code == 400
    with nothing_written():
        body = {"flow": "expense", "values": {}, "user": "bao", "tenant": "other"}
        answer = caller.post("application-drafts/", body, key=None)
    assert answer.status_code == 400
    assert [each["at"] for each in answer.json()["errors"]] == ["/user", "/tenant"]


def test_another_tenant_does_not_even_know_the_process(api, eve, published):
    body = {"flow": published.definition.key, "values": {}}
    with nothing_written():
        answer = api(eve).post("application-drafts/", body, key=None)
    assert (answer.status_code, answer.json()["code"]) == (404, "flow.unknown")
