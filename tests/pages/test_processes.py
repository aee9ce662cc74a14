"""Processes as their authors see them: the list, versions and their differences, acts, import."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.builders import a_role
from tests.pages.reading import Page
from tests.workflow.flows import a_document, approve_step, big_and_small, publish, start
from workflow.actions import editing
from workflow.actions.requests import start_request
from workflow.engine.editing import Wanted
from workflow.models import Definition, Draft, Instance, Publication, Version
from workflow.pages.answers import new_key
from workflow.pages.processes import process_context

pytestmark = pytest.mark.django_db
ROWS = (Definition, Version, Publication, Draft)


@pytest.fixture
def author(demo_tenant, chi):
    """Chi draws, publishes and manages."""
    grants = ("flow.design", "flow.publish", "flow.manage")
    a_role(demo_tenant, members=[chi], grants=grants)
    return chi


@pytest.fixture
def expense(bao, now):
    """Two versions: the second has one step more and another name."""
    publish(bao, big_and_small(), now=now)
    document = big_and_small()
    document["steps"].append(approve_step("last_look", name="Last <look>"))
    version, _new = publish(bao, document, now=now + timedelta(days=1)), True
    return version


def counts():
    return [model.objects.count() for model in ROWS]


def act(client, verb, key="expense", **fields):
    return client.post(f"/processes/{key}/acts/{verb}/", {"idempotency_key": new_key(), **fields})


def test_only_people_of_processes_see_them(client_of, expense, ann, author, eve):
    assert "/processes/" in Page(client_of(author).get("/inbox/")).links
    assert "/processes/" not in Page(client_of(ann).get("/inbox/")).links
    for address in ("/processes/", "/processes/expense/", "/processes/expense/export/"):
        assert client_of(ann).get(address).status_code == 403
        assert client_of(author).get(address).status_code == 200
    a_role(eve.tenant, members=[eve], grants=("flow.design",))
    assert "/processes/expense/" not in Page(client_of(eve).get("/processes/")).links
    assert client_of(eve).get("/processes/expense/").status_code == 404


def test_the_list_and_the_versions_say_what_runs(client_of, expense, ann, author, now):
    start_request(user=ann, flow="expense", values={"amount": "5", "reason": "x"}, now=now)
    client = client_of(author)
    listed = Page(client.get("/processes/"))
    assert "v2" in listed.text
    page = Page(client.get("/processes/expense/"))
    assert "1 added" in page.text
    assert "/processes/expense/versions/1/" in page.links
    shown = Page(client.get("/processes/expense/versions/2/"))
    assert "Step “Last &lt;look&gt;” added" in shown.text
    back = Page(client.get("/processes/expense/versions/1/?against=2"))
    assert "Step “Last &lt;look&gt;” removed" in back.text
    assert client.get("/processes/expense/versions/3/").status_code == 404
    assert client.get("/processes/expense/?tab=nonsense").status_code == 400


def test_an_edited_request_runs_under_the_version_it_came_from(client_of, ann, bao, author, now):
    lead = approve_step("lead", "bao", acts={"edit_future": True})
    publish(bao, a_document(lead, approve_step("last", "dan")), now=now)
    instance = start(ann, now=now)
    editing.edit_future(
        instance=instance,
        user=bao,
        edits=[Wanted("insert_approve", after="lead", name="More", people=(author.pk,))],
        reason="To be sure",
        now=now,
    )
    assert Instance.objects.get(pk=instance.pk).version.private_to_id == instance.pk
    flow = Definition.objects.get(key="expense")
    context: dict[str, Any] = process_context(author, flow)
    assert [(row.version.number, row.running) for row in context["rows"]] == [(1, 1)]
    assert context["running"] == 1


def test_picture_and_figures(client_of, expense, ann, author, now):
    start_request(user=ann, flow="expense", values={"amount": "20000", "reason": "x"}, now=now)
    client = client_of(author)
    drawn = Page(client.get("/processes/expense/?tab=picture"))
    assert "in all other cases" in drawn.text
    assert "Last &lt;look&gt;" in drawn.text
    figures = Page(client.get("/processes/expense/?tab=figures"))
    assert "1 request is open." in figures.text
    assert "1 task waits." in figures.text


def test_acts_are_done_once_and_need_a_reason(client_of, expense, ann, author):
    client, key = client_of(author), new_key()
    before = counts()
    assert act(client, "suspend", comment=" ").status_code == 422
    assert act(client_of(ann), "suspend", comment="x").status_code == 403
    assert act(client, "nonsense", comment="x").status_code == 404
    assert counts() == before
    for _click in range(2):
        answer = act(client, "suspend", comment="audit", idempotency_key=key)
        assert answer.status_code == 303
    assert Publication.objects.filter(kind="suspended").count() == 1
    assert act(client, "suspend", comment="again").status_code == 409
    assert act(client, "resume", comment="done").status_code == 303
    assert act(client, "undo", comment="wrong one").status_code == 303
    assert Definition.objects.get(key="expense").current.number == 1
    before = counts()
    assert act(client, "publish", comment="x", version="1").status_code == 409
    assert act(client, "publish", comment=" ", version="2").status_code == 422
    assert counts() == before
    assert act(client, "publish", comment="right after all", version="2").status_code == 303
    assert Definition.objects.get(key="expense").current.number == 2
    assert Version.objects.count() == 2


def test_a_version_becomes_a_draft(client_of, expense, author):
    answer = act(client_of(author), "draft", version="1")
    draft = Draft.objects.get(user=author)
    assert answer.headers["Location"] == f"/design/{draft.pk}/"
    assert draft.based_on == 1
    again = act(client_of(author), "draft")
    assert again.headers["Location"] == f"/design/{draft.pk}/"


def test_what_was_exported_can_be_imported(client_of, expense, author, bao):
    client = client_of(author)
    exported = client.get("/processes/expense/export/?version=2").content
    assert json.loads(exported)["document"]["key"] == "expense"
    answer = import_file(client, exported)
    draft = Draft.objects.get(user=author)
    assert answer.status_code in {200, 303}
    assert draft.parts()["document"]["steps"][-1]["id"] == "last_look"


@pytest.mark.parametrize(
    ("content", "status"),
    [(b"{", 422), (b"[]", 422), (b'{"a": 1}', 422), (b"\xff\xfe", 422), (b" " * 1_048_577, 413)],
)
def test_a_file_that_cannot_be_carried_leaves_nothing(client_of, author, content, status):
    before = counts()
    assert import_file(client_of(author), content).status_code == status
    assert counts() == before


def test_a_file_that_loses_something_is_reported(client_of, author):
    before = counts()
    document = a_document(steps=[{"id": "x", "kind": "warp", "name": "X"}])
    answer = import_file(client_of(author), json.dumps({"document": document}).encode())
    assert answer.status_code == 422
    assert "step.unknown_kind" in Page(answer).text
    assert counts() == before


def import_file(client, content):
    file = SimpleUploadedFile("process.json", content, "application/json")
    fields = {"idempotency_key": new_key(), "source": "auto", "file": file}
    return client.post("/process-import/", fields)


def test_print_records_and_the_way(client_of, expense, ann, eve, now):
    settled = start_request(
        user=ann, flow="expense", values={"amount": "20000", "reason": "=1+1"}, now=now
    )
    address = f"/requests/{settled.outcome.instance_id}"
    client = client_of(ann)
    printed = Page(client.get(f"{address}/print/")).text
    assert "20,000.00" in printed
    assert "data-local" in printed
    assert "data-relative" not in printed  # "3 minutes ago" says nothing on paper
    table = client.get(f"{address}/records.csv").getvalue().decode("utf-8-sig")
    assert table.count("\r\n") > 1
    assert not any(cell.startswith(("=", "@")) for cell in table.replace("\r\n", ",").split(","))
    for page in ("print/", "picture/", "records.csv"):
        assert client_of(eve).get(f"{address}/{page}").status_code == 404
