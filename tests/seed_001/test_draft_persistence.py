"""P1, P2: both kinds of draft are kept as they were saved, and saving publishes nothing."""

from __future__ import annotations

from datetime import timedelta

from flowadmin import clock
from flowadmin.files import removing
from flowadmin.files.models import File
from tests.files import uploads
from tests.seed_001.conftest import TYPED
from tests.workflow import flows
from workflow.actions import keeping_drafts
from workflow.models import Definition, Draft, Instance, Version


def test_a_design_comes_back_as_it_was(api, bao, design, write):
    form = {"formdoc": 1, "fields": [{"id": "zug", "type": "no such type"}]}
    document = {"steps": [{"kind": "approve"}], "flowdoc": 1, "key": "trip", "name": "行程"}
    body = {"name": "Second try", "document": document, "form": form, "view": {"folded": []}}
    assert write(api(bao), "put", "design-drafts", design, body).status_code == 200
    read = api(bao).read(f"design-drafts/{design['id']}/")
    assert {name: read[name] for name in body} == body
    assert list(read["document"]) == list(document)
    assert read["version"] == 2
    assert read["problem_count"] > 0
    assert not Definition.objects.exists()
    assert not Version.objects.exists()


def test_an_application_comes_back_as_it_was_typed(api, ann, application):
    read = api(ann).read(f"application-drafts/{application['id']}/")
    assert (read["values"], read["picked"]) == (TYPED, {"lead": ["bao"]})
    assert (read["version"], read["restorable"], read["flow"]) == (1, True, "expense")
    assert read["name"] == "Expense: 12,0x"
    assert not Instance.objects.exists()
    assert api(ann).read("me")["counters"]["drafts"] == 1


def test_it_is_filed_and_gone_in_one(api, ann, application, write):
    caller, path = api(ann), f"application-drafts/{application['id']}/actions/submit"
    caller.refused(path, 428, "precondition.missing")
    refused = caller.refused(path, 422, "form.invalid", if_match='"1"')
    assert refused["errors"][0]["at"] == "/values/amount"
    right = {"values": {"amount": "12000"}, "picked": {}}
    assert write(caller, "patch", "application-drafts", application, right).status_code == 200
    caller.refused(path, 412, "draft.version_moved", if_match='"1"')
    first = caller.post(path, key="once", if_match='"2"')
    assert first.status_code == 201, first.content
    assert first["Location"].endswith(f"/instances/{first.json()['id']}/")
    assert Instance.objects.get().snapshot["values"] == {"amount": "12000.00"}
    assert not Draft.objects.exists()
    again = caller.post(path, key="once", if_match='"2"')
    assert (again.status_code, again.json()) == (201, first.json())
    assert again["Idempotency-Replayed"] == "true"
    caller.refused(path, 404, "not_found", key="another")


def test_what_was_deleted_is_remembered_for_a_day(api, ann, application, write):
    caller = api(ann)
    assert write(caller, "delete", "application-drafts", application).status_code == 204
    found = caller.get(f"application-drafts/{application['id']}/")
    assert (found.status_code, found.json()["code"]) == (404, "draft.deleted")
    assert caller.read("application-drafts/")["count"] == 0
    caller.refused(f"application-drafts/{application['id']}/actions/submit", 404, "draft.deleted")


def test_its_files_are_not_swept(api, bao, ann, now, write):
    form = {"formdoc": 1, "fields": [{"id": "bill", "type": "file", "label": "Bill"}]}
    flows.publish(bao, flows.a_document(), form, now=now)
    kept, loose = uploads.a_file(ann, now=now), uploads.a_file(ann, now=now)
    foreign = uploads.a_file(bao, now=now)
    body = {"flow": "expense", "values": {"bill": [kept.pk, foreign.pk]}}
    draft = api(ann).post("application-drafts/", body, key=None).json()
    assert removing.sweep(now + timedelta(hours=25)) == 2
    assert not File.objects.filter(pk__in=[loose.pk, foreign.pk]).exists()
    write(api(ann), "delete", "application-drafts", draft)
    assert removing.sweep(now + timedelta(hours=25)) == 0
    assert keeping_drafts.sweep(clock.now() + timedelta(hours=23)) == 0
    assert keeping_drafts.sweep(clock.now() + timedelta(hours=25)) == 1
    assert removing.sweep(now + timedelta(hours=25)) == 1
