"""The operators' pages: who may see them, what they list, and what they hide."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from flowadmin.ops import redaction
from tests.builders import a_role
from tests.pages.reading import Page
from tests.workflow import flows
from workflow.engine import events as engine_events
from workflow.models import Event, Instance, Job
from workflow.runtime import steps

pytestmark = pytest.mark.django_db
SECRET = "The takeover of Acme"
COMMENT = "Only because it is Acme"


@pytest.fixture
def operator(demo_tenant, chi):
    """Chi may see the operation, and has no part in any request."""
    a_role(demo_tenant, members=[chi], grants=("ops.view",))
    return chi


@pytest.fixture
def job(ann, bao, now):
    """A copy step of ann's request that went wrong four times."""
    copy = {"id": "tell", "kind": "copy", "name": "Tell", "who": {"any_of": [
        {"by": "user", "ids": ["dan"]}]}}  # fmt: skip
    flows.publish(ann, flows.a_document(flows.approve_step(), copy), now=now)
    flows.start(ann, now=now, reason=SECRET)
    flows.approve(bao, now=now + timedelta(minutes=5), comment=COMMENT)
    found, at = Job.objects.get(), now
    for _time in range(4):
        at += timedelta(hours=1)
        claimed = steps.claim(found.pk, "one", at)
        assert claimed is not None
        steps.put_back(claimed, "ValueError", at)
    return Job.objects.get()


def test_only_operators_of_the_tenant_see_them(client_of, job, ann, bao, operator, eve, admin):
    one = f"/ops/runs/{job.instance_id}/"
    for address in ("/ops/runs/", one, f"{one}export/"):
        assert client_of(ann).get(address).status_code == 403
        assert client_of(bao).get(address).status_code == 403
        assert client_of(operator).get(address).status_code == 200
    assert "/ops/runs/" in Page(client_of(operator).get("/inbox/")).links
    assert "/ops/runs/" not in Page(client_of(ann).get("/inbox/")).links
    a_role(eve.tenant, members=[eve], grants=("ops.view",))
    assert one not in Page(client_of(eve).get("/ops/runs/?tab=failed")).links
    for address in (one, f"{one}export/", "/ops/runs/9999999/", "/ops/runs/x/"):
        assert client_of(eve).get(address).status_code == 404
    of_another = client_of(eve).get("/ops/runs/", {"number": Instance.objects.get().number})
    assert of_another.status_code == 200


@pytest.mark.parametrize(
    ("query", "listed"),
    [
        ("", True),
        ("?tab=failed", True),
        ("?tab=retried", True),
        ("?tab=retried&more=4", False),
        ("?tab=leased", False),
        ("?tab=later", False),
    ],
)
def test_tabs(client_of, operator, job, query, listed):
    page = Page(client_of(operator).get(f"/ops/runs/{query}"))
    assert (f"/ops/runs/{job.instance_id}/" in page.links) is listed
    assert ("ValueError" in page.text) is listed


@pytest.mark.parametrize("query", ["tab=none", "tab=retried&more=-1", "more=9999", "page=0"])
def test_what_cannot_be_read_is_told(client_of, operator, query):
    assert client_of(operator).get(f"/ops/runs/?{query}").status_code == 400


def test_a_number_leads_to_its_request(client_of, operator, job):
    client, instance = client_of(operator), Instance.objects.get()
    found = client.get("/ops/runs/", {"number": instance.number})
    assert (found.status_code, found["Location"]) == (303, f"/ops/runs/{instance.pk}/")
    assert "No request has the number" in client.get("/ops/runs/?number=12-x").text


def test_a_run_tells_what_happened_and_hides_what_people_wrote(client_of, operator, job, now):
    answer = client_of(operator).get(f"/ops/runs/{job.instance_id}/")
    page = Page(answer)

    kinds = list(Event.objects.order_by("position").values_list("kind", flat=True))
    assert all(kind in page.text for kind in kinds)
    assert "05:00" in page.text  # the approval took five minutes
    assert "Work “copy” went wrong and is tried again at" in page.text
    for hidden in (SECRET, COMMENT, "12000", "Ann Lee"):
        assert hidden not in answer.text
    assert f"/requests/{job.instance_id}/" not in page.links


def test_the_export_is_the_same(client_of, operator, job):
    answer = client_of(operator).get(f"/ops/runs/{job.instance_id}/export/")
    found = json.loads(answer.content)

    assert answer["Content-Disposition"].startswith("attachment")
    assert [each["seq"] for each in found["events"]] == list(range(1, len(found["events"]) + 1))
    approved = next(each for each in found["events"] if each["type"] == "task_approved")
    assert approved["seconds"] == 300
    assert approved["data"]["comment"] == "(hidden)"
    assert found["complete"] is True
    assert SECRET not in answer.text
    assert COMMENT not in answer.text


def test_a_page_asks_few_questions_however_many_rows(client_of, operator, job, ann, bao, now):
    client = client_of(operator)
    client.get("/ops/runs/?tab=failed")
    with CaptureQueriesContext(connection) as once:
        client.get("/ops/runs/?tab=failed")
    for _time in range(3):
        flows.start(ann, now=now)
        flows.approve(bao, now=now)
    for other in Job.objects.exclude(pk=job.pk):
        claimed = steps.claim(other.pk, "one", now)
        assert claimed is not None
        steps.put_back(claimed, "ValueError", now)
    with CaptureQueriesContext(connection) as more:
        assert client.get("/ops/runs/?tab=failed").text.count("ValueError") == 4
    assert len(more) == len(once)


def test_nothing_that_people_write_is_among_what_is_shown():
    """Each member of an event that holds words, values or people is hidden."""
    written = {
        "title", "values", "changes", "comment", "text", "form", "signature", "files", "answers",
        "about", "chosen", "dropped", "leaves", "holder", "initiator", "people", "by", "before",
        "absent", "why", "channels", "was", "asks", "children", "edits", "emptied", "user",
    }  # fmt: skip
    assert not written & redaction.SHOWN
    assert redaction.shown({"event": "x", "values": {"a": 1}, "code": {"a": SECRET}}) == {
        "values": "(hidden: 1 entry)",
        "code": "(hidden: 1 entry)",
    }
    # What is shown is a member of some event: no word of the list is without effect.
    members = {
        name
        for kind in vars(engine_events).values()
        for name in getattr(kind, "__struct_fields__", ())
    }
    assert members >= redaction.SHOWN
