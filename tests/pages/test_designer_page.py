"""The designer's page from the server: whose it is, what it carries, and any stored document."""

from __future__ import annotations

import json
import re

import pytest

from flowadmin import clock
from flowadmin.directory.models import RoleGrant, User
from tests.workflow import flows
from workflow.actions import demonstration, design_drafts
from workflow.models import Definition, Draft
from workflow.models.drafts import as_content


def draft_for(login, template="expense"):
    user = User.objects.get(login=login)
    return flows.demo_draft(user, template, clock.now())


def carried(response, name):
    text = response.content.decode()
    found = re.search(
        rf'<script id="{name}" type="application/json">(.*?)</script>', text, re.DOTALL
    )
    assert found is not None
    return json.loads(found[1])


@pytest.fixture
def signed_in(client, demo_tenant):
    def person(login):
        client.force_login(User.objects.get(login=login))
        return client

    return person


def test_the_page_carries_the_draft_and_shows_it_without_the_script(signed_in):
    draft = draft_for("bao")
    response = signed_in("bao").get(f"/design/{draft.pk}/")
    assert response.status_code == 200
    data = carried(response, "designer-data")
    assert (data["id"], data["version"]) == (str(draft.pk), 1)
    assert data["document"] == design_drafts.Design.of(draft).document
    assert (data["may_write"], data["may_publish"]) == (True, True)
    assert data["addresses"]["draft"] == f"/api/v1/design-drafts/{draft.pk}/"
    tree = response.content.decode().split('<script id="designer-data"')[0]
    assert tree.index("Head of department") < tree.index("Above 10,000")
    assert tree.index("Above 10,000") < tree.index("Head of finance")


@pytest.mark.parametrize("login", ["admin", "ann", "eve"])
def test_drafts_of_others_do_not_exist(signed_in, login):
    draft = draft_for("bao")
    response = signed_in(login).get(f"/design/{draft.pk}/")
    assert response.status_code == 404
    assert "Head of finance" not in response.content.decode()
    assert signed_in(login).get(f"/design/{2**70}/").status_code == 404


def test_without_the_permission_the_page_is_only_to_read(signed_in):
    draft = draft_for("bao")
    RoleGrant.objects.filter(permission__in=["flow.design", "flow.publish"]).delete()
    response = signed_in("bao").get(f"/design/{draft.pk}/")
    data = carried(response, "designer-data")
    assert (data["may_write"], data["may_publish"]) == (False, False)


@pytest.mark.parametrize(
    "document",
    [
        {"flowdoc": 1},
        {"flowdoc": 1, "steps": 7, "name": ["x"]},
        {"flowdoc": 1, "steps": [None, 3, {"kind": []}, {"branches": [1, {"steps": "no"}]}]},
        {"flowdoc": 1, "name": "</script><b>", "steps": [{"kind": "approve", "name": "<i>"}]},
    ],
)
def test_any_stored_document_opens(signed_in, document):
    draft = draft_for("bao")
    Draft.objects.filter(pk=draft.pk).update(content=as_content({"document": document}))
    response = signed_in("bao").get(f"/design/{draft.pk}/")
    assert response.status_code == 200
    assert carried(response, "designer-data")["document"] == document
    assert "<i>" not in response.content.decode()


def test_the_live_version_is_told_to_designers_of_the_tenant_only(signed_in, transactional_db):
    demonstration.load(password="correct horse battery", now=clock.now())
    bao = User.objects.get(login="bao")
    version = Definition.objects.get(key="expense", tenant_id=bao.tenant_id).current
    assert version is not None
    draft = design_drafts.from_version(user=bao, version=version, now=clock.now())
    address = f"/design/live/expense/?draft={draft.pk}"
    live = signed_in("bao").get(address).json()["live"]
    assert live["version"] == 1
    assert live["running"] > 0
    # The draft is the version, however the two are written down.
    assert (live["changes"], live["summary"]) == ([], "No differences")
    nothing = signed_in("bao").get(f"/design/live/nothing/?draft={draft.pk}")
    assert nothing.json() == {"live": None}
    design = design_drafts.Design.of(draft)
    design.document["steps"][0]["name"] = "Boss"
    content = as_content({"document": design.document, "form": design.form})
    Draft.objects.filter(pk=draft.pk).update(content=content)
    live = signed_in("bao").get(address).json()["live"]
    assert [(each["what"], each["text"]) for each in live["changes"]] == [
        ("changed", "Step “Boss” changed")
    ]
    assert live["changes"][0]["details"] == ["name: Head of department → Boss"]
    assert signed_in("bao").get("/design/live/expense/").status_code == 404
    assert signed_in("admin").get(address).status_code == 404
    assert signed_in("ann").get(address).status_code == 403
    assert signed_in("eve").get(address).status_code == 403
    eve = User.objects.get(login="eve")
    User.objects.filter(pk=eve.pk).update(is_superuser=True)
    assert signed_in("eve").get(address).status_code == 404
    own = f"/design/live/expense/?draft={draft_for('eve').pk}"
    assert signed_in("eve").get(own).json() == {"live": None}


def test_a_newer_version_and_other_drafts_are_named(signed_in, transactional_db):
    demonstration.load(password="correct horse battery", now=clock.now())
    draft = draft_for("bao")
    document = {**design_drafts.Design.of(draft).document, "key": "expense"}
    content = as_content({"document": document, "form": None})
    Draft.objects.filter(pk=draft.pk).update(
        content=content, flow_key="expense", based_on=1, deployment_id="another"
    )
    other = draft_for("admin")
    Draft.objects.filter(pk=other.pk).update(flow_key="expense", based_on=3)
    text = signed_in("bao").get(f"/design/{draft.pk}/").content.decode()
    assert "compare before publishing" in text
    assert "Administrator has a draft of this process too (based on v3)." in text
